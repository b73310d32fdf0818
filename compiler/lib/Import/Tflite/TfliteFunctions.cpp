//===- TfliteFunctions.cpp - Functions of single elements -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that only TFLite has. Those that both formats have are in TfliteElementwise.cpp.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "TfliteGraph.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertGelu(TfliteOperator &op) {
  auto *options = op.options<tflite::GeluOptions>();
  bool isApproximate = options && options->approximate();
  return createFunction<nn::UnaryOp>(op, isApproximate ? nn::UnaryKind::GeluTanh : nn::UnaryKind::Gelu, APFloat(1.0f));
}

LogicalResult convertLeakyRelu(TfliteOperator &op) {
  auto *options = op.options<tflite::LeakyReluOptions>();
  float alpha = options ? options->alpha() : 0.0f;
  if (!std::isfinite(alpha))
    return op.malformed("has the alpha " + std::to_string(alpha));
  return createFunction<nn::UnaryOp>(op, nn::UnaryKind::LeakyRelu, APFloat(alpha));
}

/// Integers out of range keep their low bits, as in C++.
LogicalResult convertCast(TfliteOperator &op) { return createFunction<nn::CastOp>(op, /*wraps=*/true); }

template <nn::BinaryKind kind> LogicalResult convertPair(TfliteOperator &op) {
  return createBinary<nn::BinaryOp>(op, kind);
}

/// Adds from left to right.
LogicalResult convertAddN(TfliteOperator &op) {
  RankedTensorType result = op.resultType();
  Value sum = op.value(0, "input 0");
  if (!result || !sum)
    return failure();
  if (isa<quant::QuantizedType>(result.getElementType()))
    return op.refuse("result", "element type", "a quantised type", "FLOAT32 or INT32");
  for (uint32_t position = 1; position < op.numInputs(); ++position) {
    Value next = op.value(position, ("input " + Twine(position)).str());
    if (!next)
      return failure();
    if (shapeOf(next) != shapeOf(sum))
      return op.malformed("has inputs of different shapes");
    sum = nn::AddOp::create(op.builder(), op.location(), result, sum, next, nn::Activation::None);
  }
  return op.finish(op.numInputs() > 1 ? sum
                                      : nn::ReshapeOp::create(op.builder(), op.location(), result, sum).getResult());
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::ADD_N, 1, kAnyNumber, convertAddN},
    {BuiltinOperator::ATAN2, 2, 2, convertPair<nn::BinaryKind::Atan2>},
    {BuiltinOperator::BITWISE_XOR, 2, 2, convertPair<nn::BinaryKind::BitwiseXor>},
    {BuiltinOperator::CAST, 1, 1, convertCast},
    {BuiltinOperator::CEIL, 1, 1, shared<convertUnary<nn::UnaryKind::Ceil>>},
    {BuiltinOperator::COS, 1, 1, shared<convertUnary<nn::UnaryKind::Cos>>},
    {BuiltinOperator::FLOOR_DIV, 2, 2, convertPair<nn::BinaryKind::FloorDiv>},
    {BuiltinOperator::FLOOR_MOD, 2, 2, convertPair<nn::BinaryKind::FloorMod>},
    {BuiltinOperator::GELU, 1, 1, convertGelu},
    {BuiltinOperator::LEAKY_RELU, 1, 1, convertLeakyRelu},
    {BuiltinOperator::RELU_0_TO_1, 1, 1, shared<convertRelu<nn::Activation::Relu0To1>>},
    {BuiltinOperator::RIGHT_SHIFT, 2, 2, convertPair<nn::BinaryKind::RightShift>},
    {BuiltinOperator::ROUND, 1, 1, shared<convertUnary<nn::UnaryKind::Round>>},
    {BuiltinOperator::SIGN, 1, 1, shared<convertUnary<nn::UnaryKind::Sign>>},
    {BuiltinOperator::SQUARE, 1, 1, shared<convertUnary<nn::UnaryKind::Square>>},
    {BuiltinOperator::SQUARED_DIFFERENCE, 2, 2, convertPair<nn::BinaryKind::SquaredDifference>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteFunctionConverters() { return kConverters; }

} // namespace avocet::compiler
