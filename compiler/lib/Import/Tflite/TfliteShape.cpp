//===- TfliteShape.cpp - Operators that move or rename elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The new shape is that of the result; the operand or option that repeats it is ignored.
LogicalResult convertReshape(TfliteOperator &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = op.resultType();
  if (!input || !result)
    return failure();
  return op.finish(nn::ReshapeOp::create(op.builder(), op.location(), result, input));
}

LogicalResult convertPad(TfliteOperator &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = op.resultType();
  FailureOr<SmallVector<int64_t>> amounts = op.integers(1, "paddings");
  if (!input || !result || failed(amounts))
    return failure();
  size_t rank = cast<RankedTensorType>(input.getType()).getRank();
  if (amounts->size() != 2 * rank)
    return op.malformed("has " + Twine(amounts->size()) + " paddings for an input of rank " + Twine(rank));
  SmallVector<int64_t> low, high;
  for (size_t axis = 0; axis < rank; ++axis) {
    low.push_back((*amounts)[2 * axis]);
    high.push_back((*amounts)[2 * axis + 1]);
  }
  return op.finish(nn::PadOp::create(op.builder(), op.location(), result, input, low, high, FloatAttr()));
}

LogicalResult convertConcatenation(TfliteOperator &op) {
  auto *options = op.options<tflite::ConcatenationOptions>();
  if (!options)
    return op.malformed("lacks its options");
  RankedTensorType result = op.resultType();
  if (!result)
    return failure();
  if (options->activation() != tflite::ActivationFunction::NONE)
    return op.refuse("fused activation", "has none", EnumNameActivationFunction(options->activation()));
  SmallVector<Value> inputs;
  for (uint32_t position = 0; position < op.numInputs(); ++position) {
    inputs.push_back(op.value(position, ("input " + Twine(position)).str()));
    if (!inputs.back())
      return failure();
    if (cast<RankedTensorType>(inputs.back().getType()).getElementType() != result.getElementType())
      return op.refuse(("input " + Twine(position)).str(), "scale of the result", "another scale");
  }
  FailureOr<int64_t> axis = op.normalizedAxis(options->axis(), result.getRank(), "a result of ");
  if (failed(axis))
    return failure();
  return op.finish(nn::ConcatenationOp::create(op.builder(), op.location(), result, inputs, *axis));
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::RESHAPE, 1, 2, convertReshape},
    {tflite::BuiltinOperator::SQUEEZE, 1, 1, convertReshape},
    {tflite::BuiltinOperator::EXPAND_DIMS, 2, 2, convertReshape},
    {tflite::BuiltinOperator::PAD, 2, 2, convertPad},
    {tflite::BuiltinOperator::CONCATENATION, 1, 1024, convertConcatenation},
};

} // namespace

ArrayRef<TfliteConverter> tfliteShapeConverters() { return kConverters; }

} // namespace avocet::compiler
