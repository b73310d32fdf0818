//===- TensorResidency.h - Residencies of tensors while a cascade runs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TENSORRESIDENCY_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TENSORRESIDENCY_H

#include "avocet/compiler/Schedule/Core/Plan.h"

#include <cstdint>
#include <vector>

namespace avocet::compiler::schedule {

/// Residencies of tensors from the view of cascades, and the tensors spilled to DRAM so far.
class TensorResidency {
public:
  explicit TensorResidency(const Problem &problem);

  /// First writer and last reader of a tensor, by operation.
  struct Usage {
    uint32_t writer = 0, reader = 0;
    bool isWritten = false;
  };
  const Usage &usageOf(uint32_t tensor) const { return usages_[tensor]; }

  uint64_t bytesOf(size_t tensor) const;

  /// Sets a residency for every tensor of cascade [first, end), by tensor; other entries are unchanged.
  void setResidencies(uint32_t first, uint32_t end, std::vector<Residency> &residencies) const;
  Residency residencyIn(uint32_t tensor, uint32_t first, uint32_t end) const;

  /// Bytes of the tensors that are whole in SRAM while [first, end) runs: those that cross it or its borders.
  uint64_t residentBytes(uint32_t first, uint32_t end) const;

  void spill(uint32_t tensor);
  bool isSpilled(uint32_t tensor) const { return isSpilled_[tensor]; }
  const std::vector<uint32_t> &spills() const { return spills_; }

  /// The largest of `candidates` that can be spilled for cascade [first, end), or kNone. Network outputs that are read
  /// again are chosen only if no other candidate is left.
  uint32_t victimOf(const std::vector<uint32_t> &candidates, uint32_t first, uint32_t end) const;

private:
  const Problem &problem_;
  std::vector<Usage> usages_;     ///< by tensor
  std::vector<int64_t> crossing_; ///< bytes by border
  std::vector<bool> isSpilled_;
  std::vector<uint32_t> spills_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TENSORRESIDENCY_H
