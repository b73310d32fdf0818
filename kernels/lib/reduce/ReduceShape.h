//===- ReduceShape.h - Elements that a reduction combines -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_REDUCE_REDUCESHAPE_H
#define AVOCET_KERNELS_LIB_REDUCE_REDUCESHAPE_H

#include "avocet/kernels/dsp/Reduce.h"
#include "common/MapParts.h"
#include "common/ReductionWork.h"

namespace avocet::kernels {

/// Ok if the shape has `input` elements and `output` without the reduced axes.
Status checkReduceShape(const ReduceParameters &parameters, uint64_t input, uint64_t output);

/// Results of a row: the elements of the kept axes, modulo 2^64. Of a rank above the limit only the first axes count.
uint64_t reducedElements(const ReduceParameters &parameters);

/// Whether the single row is a matrix, its first axis reduced and its second kept: its rows may have gaps between them.
bool isReducedMatrix(const ReduceParameters &parameters, const firmware::DspCommand &command);

/// Parts of the single row of a command, along its outermost axis; if that axis is reduced and all after it are kept,
/// along the latter. 1 for other shapes.
uint32_t reduceParts(const ReduceParameters &parameters, const firmware::DspCommand &command);
void selectReduced(firmware::DspCommand &command, ReduceParameters &parameters, uint32_t first, uint32_t count);

/// The axes of the operand of a command, its rows first.
std::vector<ReducedAxis> reducedAxes(const ReduceParameters &parameters, const firmware::DspCommand &command);

/// Iterates over the elements of a checked shape in memory order, one run along the last axis at a time, with the
/// element of the result for each.
class ReduceCursor {
public:
  explicit ReduceCursor(const ReduceParameters &parameters);

  uint32_t run() const { return parameters_.extents[parameters_.rank - 1]; }
  /// Elements of the result from one element of a run to the next: 1, or 0 where the last axis is reduced.
  uint32_t step() const { return strides_[parameters_.rank - 1]; }
  uint64_t result() const { return result_; }
  void advance();

private:
  const ReduceParameters &parameters_;
  std::array<uint32_t, ReduceParameters::kMaxAxes> strides_{}, position_{};
  uint64_t result_ = 0;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_REDUCE_REDUCESHAPE_H
