//===- SvdfBase.h - Operands and rules of SVDF kernels ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CELLS_SVDFBASE_H
#define AVOCET_KERNELS_LIB_CELLS_SVDFBASE_H

#include "common/DspKernel.h"

#include <algorithm>
#include <span>

namespace avocet::kernels {

/// Operands by meaning; the bias may be absent.
struct SvdfOperands {
  explicit SvdfOperands(const firmware::DspCommand &command);

  const firmware::FeatureMap &input, &features, &time, *bias, &state, &stateOut, &output;
};

/// Element types of the operands. The output has that of the input, states have that of the time weights.
struct SvdfTypes {
  firmware::DataType input, features, time, bias;
};

/// Moves each filter's window up by one and clears its last place.
template <typename T> void moveWindows(std::span<T> state, uint32_t memory) {
  for (size_t first = 0; first < state.size(); first += memory) {
    std::shift_left(state.begin() + first, state.begin() + first + memory, 1);
    state[first + memory - 1] = 0;
  }
}

/// A kernel with the operands of svdf (Cells.h). Parts are elements of the batch.
class SvdfBase : public DspKernel {
protected:
  /// `opsPerOutput`: lane operations on elements of type `lanes` for each output after its sum.
  constexpr SvdfBase(firmware::DataType lanes, uint64_t opsPerOutput) : lanes_(lanes), opsPerOutput_(opsPerOutput) {}

  OperandCount inputCount() const override { return {4, 5}; }
  OperandCount outputCount() const override { return 2; }

  /// Ok if the rank divides the filters, and all operands have these types and the shapes that follow.
  static Status checkShapes(const SvdfOperands &operands, uint32_t rank, const SvdfTypes &types);

  DspWork work(const firmware::DspCommand &command) const override;
  uint32_t partsOf(const firmware::DspCommand &command) const override;
  firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t first, uint32_t count) const override;

private:
  firmware::DataType lanes_;
  uint64_t opsPerOutput_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CELLS_SVDFBASE_H
