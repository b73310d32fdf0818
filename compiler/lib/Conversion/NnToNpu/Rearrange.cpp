//===- Rearrange.cpp - Moving elements with the vector DSP ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/dsp/Rearrange.h"

using namespace mlir;

namespace avocet::compiler {

SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

kernels::Move placedAt(uint32_t input, ArrayRef<int64_t> shape, ArrayRef<int64_t> outer, ArrayRef<int64_t> position) {
  SmallVector<int64_t> from = denseStrides(shape), to = denseStrides(outer);
  kernels::Move move;
  move.input = input;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    move.outputOffset += static_cast<uint32_t>(position[axis] * to[axis]);
    move.axes.push_back(
        {static_cast<uint32_t>(shape[axis]), static_cast<int32_t>(from[axis]), static_cast<int32_t>(to[axis])});
  }
  return move;
}

FailureOr<Value> placeRearrange(Operation *op, ValueRange inputs, StorageShape shape,
                                kernels::RearrangeParameters parameters, Placement &placement,
                                std::optional<uint32_t> layer) {
  for (kernels::Move &move : parameters.moves)
    move = kernels::simplified(move);
  Placement::Dsp dsp;
  dsp.kernel = kernels::kRearrangeKernel;
  dsp.parameters = kernels::packRearrange(parameters);
  constexpr size_t kMost = firmware::DspCommand::kMaxDspParameters;
  if (dsp.parameters.size() > kMost)
    return placement.refuse(op, "", "words that say how its elements move", Twine(dsp.parameters.size()), Twine(kMost));
  dsp.inputs.assign(inputs.begin(), inputs.end());
  dsp.inputZeroPoints.assign(inputs.size(), 0);
  dsp.results = {storageType(shape, tensorOf(inputs.front()).getElementType())};
  dsp.resultZeroPoints = {0};
  dsp.layer = layer;
  FailureOr<npu::DspOp> moved = placement.dsp(op, dsp);
  if (failed(moved))
    return failure();
  return moved->getResult(0);
}

} // namespace avocet::compiler
