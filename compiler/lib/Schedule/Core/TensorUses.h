//===- TensorUses.h - Which operations use a tensor -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element-wise operation, or a convolution with a residual addition, may write its result over an operand: the array
// reads an element of the operand before it writes the same element of the result. Both tensors then share one buffer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TENSORUSES_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TENSORUSES_H

#include "Problem.h"
#include "RowFlow.h"

#include <array>
#include <cstdint>
#include <vector>

namespace avocet::compiler::schedule {

/// The writers and readers of all tensors of a problem, which must outlive the object. A border is the position before
/// an operation (or after the last one); a tensor crosses it if an earlier operation writes (a part of) the tensor and
/// a later one uses it.
class TensorUses {
public:
  explicit TensorUses(const Problem &problem);

  /// First and last writer and last user, by operation. A network input has no writer.
  struct Range {
    uint32_t writer = 0, lastWriter = 0, reader = 0;
    bool isWritten = false, isRead = false;
    bool hasShortRuns = false; ///< an operation writes it in runs that are shorter than a burst
  };
  const Range &of(uint32_t tensor) const { return ranges_[tensor]; }
  bool crosses(uint32_t tensor, uint32_t border) const {
    return ranges_[tensor].isWritten && ranges_[tensor].writer < border && ranges_[tensor].reader >= border &&
           !isOnlyStored(tensor);
  }
  /// Whether the tensor is a network output that nothing reads, whose parts are stored when they are made.
  bool isOnlyStored(uint32_t tensor) const;

  /// Bytes of the tensor in SRAM.
  uint64_t bytesOf(uint32_t tensor) const;
  /// Bytes of all tensors that cross a border.
  uint64_t crossingBytes(uint32_t border) const { return crossing_[border]; }

  /// The distinct tensors that an operation reads, and those that it writes.
  const std::vector<uint32_t> &readBy(uint32_t operation) const { return reads_[operation]; }
  const std::vector<uint32_t> &writtenBy(uint32_t operation) const { return writes_[operation]; }

private:
  const Problem &problem_;
  std::vector<Range> ranges_;                         ///< by tensor
  std::vector<uint64_t> crossing_;                    ///< by border
  std::vector<std::vector<uint32_t>> reads_, writes_; ///< by operation
};

/// Tensors; kNone after the last.
using InPlaceOperands = std::array<uint32_t, 2>;

/// The operands of an operation whose place its result may take, if both are whole in SRAM: tensors of the result's
/// shape that the operation reads element by element, and only once.
InPlaceOperands inPlaceOperands(const Problem &problem, uint32_t operation);

/// Whether nothing needs the tensor after the operation. Required of operands that are in SRAM, not of a copy of one in
/// DRAM.
bool isLastUse(const Problem &problem, const TensorUses &uses, uint32_t tensor, uint32_t operation);

/// Whether the other operations of a cascade have read each row of the tensor before the operation overwrites it. The
/// order of tiles does not depend on residencies, so the answer for a flow holds for all residencies of its borders.
bool isReadBefore(const Problem &problem, const RowFlow &flow, uint32_t tensor, uint32_t operation);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TENSORUSES_H
