//===- TfliteElementwise.cpp - Arithmetic, functions and changes of quantisation -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Options, typename BinaryOp> LogicalResult convertArithmetic(TfliteOperator &op) {
  const Options *options = op.options<Options>();
  FailureOr<nn::Activation> activation =
      op.fusedActivation(options ? options->activation() : tflite::ActivationFunction::NONE);
  Value lhs = op.value(0, "first input"), rhs = op.value(1, "second input");
  RankedTensorType result = op.resultType();
  if (!lhs || !rhs || !result || failed(activation))
    return failure();
  return op.finish(BinaryOp::create(op.builder(), op.location(), result, lhs, rhs, *activation));
}

template <typename BinaryOp> LogicalResult convertSelecting(TfliteOperator &op) {
  Value lhs = op.value(0, "first input"), rhs = op.value(1, "second input");
  RankedTensorType result = op.resultType();
  if (!lhs || !rhs || !result)
    return failure();
  return op.finish(BinaryOp::create(op.builder(), op.location(), result, lhs, rhs));
}

template <typename UnaryOp> LogicalResult convertUnary(TfliteOperator &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = op.resultType();
  if (!input || !result)
    return failure();
  return op.finish(UnaryOp::create(op.builder(), op.location(), result, input));
}

template <nn::Activation kind> LogicalResult convertRelu(TfliteOperator &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = op.resultType();
  if (!input || !result)
    return failure();
  return op.finish(nn::ReluOp::create(op.builder(), op.location(), result, input, kind));
}

LogicalResult convertSoftmax(TfliteOperator &op) {
  auto *options = op.options<tflite::SoftmaxOptions>();
  if (!options)
    return op.malformed("lacks its options");
  Value input = op.value(0, "input");
  RankedTensorType result = op.resultType();
  if (!input || !result)
    return failure();
  return op.finish(nn::SoftmaxOp::create(op.builder(), op.location(), result, input, APFloat(options->beta())));
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::ADD, 2, 2, convertArithmetic<tflite::AddOptions, nn::AddOp>},
    {BuiltinOperator::SUB, 2, 2, convertArithmetic<tflite::SubOptions, nn::SubOp>},
    {BuiltinOperator::MUL, 2, 2, convertArithmetic<tflite::MulOptions, nn::MulOp>},
    {BuiltinOperator::MINIMUM, 2, 2, convertSelecting<nn::MinimumOp>},
    {BuiltinOperator::MAXIMUM, 2, 2, convertSelecting<nn::MaximumOp>},
    {BuiltinOperator::LOGISTIC, 1, 1, convertUnary<nn::LogisticOp>},
    {BuiltinOperator::TANH, 1, 1, convertUnary<nn::TanhOp>},
    {BuiltinOperator::QUANTIZE, 1, 1, convertUnary<nn::QuantizeOp>},
    {BuiltinOperator::RELU, 1, 1, convertRelu<nn::Activation::Relu>},
    {BuiltinOperator::RELU_N1_TO_1, 1, 1, convertRelu<nn::Activation::ReluN1To1>},
    {BuiltinOperator::RELU6, 1, 1, convertRelu<nn::Activation::Relu6>},
    {BuiltinOperator::SOFTMAX, 1, 1, convertSoftmax},
};

} // namespace

ArrayRef<TfliteConverter> tfliteElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
