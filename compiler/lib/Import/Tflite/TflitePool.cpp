//===- TflitePool.cpp - Pools over windows of images ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteWindow.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename PoolOp> LogicalResult convertPool(TfliteOperator &op) {
  auto *options = op.options<tflite::Pool2DOptions>();
  if (!options)
    return op.malformed("lacks its options");
  Value input = op.value(0, "input");
  RankedTensorType result = op.resultType();
  FailureOr<nn::Activation> activation = op.fusedActivation(options->activation());
  if (!input || !result || failed(activation))
    return failure();
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getRank() != 4)
    return op.refuse("input", "rank", Twine(type.getRank()), "4");
  std::array<int64_t, 2> kernel{options->filter_height(), options->filter_width()};
  std::array<int64_t, 2> stride{options->stride_h(), options->stride_w()};
  auto pad =
      explicitPadding(op, {options->padding(), {type.getDimSize(1), type.getDimSize(2)}, kernel, stride, {1, 1}});
  if (failed(pad))
    return failure();
  return op.finish(PoolOp::create(op.builder(), op.location(), result, input, kernel, stride, *pad, *activation));
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::AVERAGE_POOL_2D, 1, 1, convertPool<nn::AveragePool2dOp>},
    {tflite::BuiltinOperator::L2_POOL_2D, 1, 1, convertPool<nn::L2Pool2dOp>},
    {tflite::BuiltinOperator::MAX_POOL_2D, 1, 1, convertPool<nn::MaxPool2dOp>},
};

} // namespace

ArrayRef<TfliteConverter> tflitePoolConverters() { return kConverters; }

} // namespace avocet::compiler
