//===- TfliteUnary.cpp - Functions of one tensor --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "TfliteGraph.h"
#include "TfliteWideFunctions.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

bool isPlain32(Type element) { return element.isInteger(32); }

/// The type of INT32 has no scale, so the operation has it.
LogicalResult convertQuantize(TfliteOperator &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result)
    return failure();
  auto quantize = nn::QuantizeOp::create(op.builder(), op.location(), result, input);
  const bool isFromIntegers = isPlain32(elementOf(input));
  if (isFromIntegers || isPlain32(result.getElementType())) {
    FailureOr<float> scale =
        isFromIntegers ? op.integerScale(op.inputTensor(0), "input") : op.integerScale(op.outputTensor(0), "result");
    if (failed(scale))
      return failure();
    quantize.setIntegerScale(APFloat(*scale));
  }
  return op.finish(quantize);
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::ABS, 1, 1, shared<convertUnary<nn::UnaryKind::Abs>>},
    {BuiltinOperator::ELU, 1, 1, shared<convertUnary<nn::UnaryKind::Elu>>},
    {BuiltinOperator::EXP, 1, 1, convertExp},
    {BuiltinOperator::FLOOR, 1, 1, shared<convertUnary<nn::UnaryKind::Floor>>},
    {BuiltinOperator::HARD_SWISH, 1, 1, shared<convertUnary<nn::UnaryKind::HardSwish>>},
    {BuiltinOperator::LOG, 1, 1, convertLog},
    {BuiltinOperator::LOGICAL_NOT, 1, 1, shared<convertUnary<nn::UnaryKind::LogicalNot>>},
    {BuiltinOperator::LOGISTIC, 1, 1, shared<convertFunction<nn::LogisticOp>>},
    {BuiltinOperator::NEG, 1, 1, shared<convertUnary<nn::UnaryKind::Neg>>},
    {BuiltinOperator::QUANTIZE, 1, 1, convertQuantize},
    {BuiltinOperator::RELU, 1, 1, shared<convertRelu<nn::Activation::Relu>>},
    {BuiltinOperator::RELU6, 1, 1, shared<convertRelu<nn::Activation::Relu6>>},
    {BuiltinOperator::RELU_N1_TO_1, 1, 1, shared<convertRelu<nn::Activation::ReluN1To1>>},
    {BuiltinOperator::RSQRT, 1, 1, convertRsqrt},
    {BuiltinOperator::SIN, 1, 1, shared<convertUnary<nn::UnaryKind::Sin>>},
    {BuiltinOperator::SQRT, 1, 1, convertSqrt},
    {BuiltinOperator::TANH, 1, 1, shared<convertFunction<nn::TanhOp>>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteUnaryConverters() { return kConverters; }

} // namespace avocet::compiler
