//===- NnapiPool.cpp - Pools ------------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiWindow.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// NNAPI forbids padding as wide as the window, so that every window covers part of the input.
LogicalResult checkPadding(NnapiOperation &op, const NnapiWindow &window) {
  for (unsigned side = 0; side < 4; ++side)
    if (window.pad[side] >= window.kernel[side / 2])
      return op.malformed("has padding of " + Twine(window.pad[side]) + " for a window of " +
                          Twine(window.kernel[side / 2]));
  return success();
}

/// Averages of unsigned types round like those of signed types.
template <typename PoolOp>
Value createPool(NnapiOperation &op, RankedTensorType result, Value input, const NnapiWindow &window) {
  if constexpr (std::is_same_v<PoolOp, nn::AveragePool2dOp>)
    return PoolOp::create(op.builder(), op.location(), result, input, window.kernel, window.stride, window.pad,
                          window.activation, true);
  else
    return PoolOp::create(op.builder(), op.location(), result, input, window.kernel, window.stride, window.pad,
                          window.activation);
}

template <typename PoolOp> LogicalResult convertPool(NnapiOperation &op) {
  FailureOr<NnapiWindow> window = readWindow(op, {.first = 1, .kernel = true});
  Value input = failed(window) ? Value() : imageValue(op, 0, "input", window->channelsFirst);
  if (!input || failed(resolvePadding(op, *window, extentsOf(input))) || failed(checkPadding(op, *window)))
    return failure();
  auto extents = windowedExtents(op, *window, extentsOf(input));
  if (failed(extents))
    return failure();
  RankedTensorType result = nhwcResultType(op, 0, {shapeOf(input)[0], (*extents)[0], (*extents)[1], shapeOf(input)[3]},
                                           window->channelsFirst);
  if (!result)
    return failure();
  return finishImage(op, createPool<PoolOp>(op, result, input, *window), window->channelsFirst);
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::AveragePool2d, 7, 11, scalarsFrom(1), convertPool<nn::AveragePool2dOp>},
    {OperationType::L2Pool2d, 7, 11, scalarsFrom(1), convertPool<nn::L2Pool2dOp>},
    {OperationType::MaxPool2d, 7, 11, scalarsFrom(1), convertPool<nn::MaxPool2dOp>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiPoolConverters() { return kConverters; }

} // namespace avocet::compiler
