//===- TfliteUnary.cpp - Functions of one tensor --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::ABS, 1, 1, shared<convertUnary<nn::UnaryKind::Abs>>},
    {BuiltinOperator::ELU, 1, 1, shared<convertUnary<nn::UnaryKind::Elu>>},
    {BuiltinOperator::EXP, 1, 1, shared<convertUnary<nn::UnaryKind::Exp>>},
    {BuiltinOperator::FLOOR, 1, 1, shared<convertUnary<nn::UnaryKind::Floor>>},
    {BuiltinOperator::HARD_SWISH, 1, 1, shared<convertUnary<nn::UnaryKind::HardSwish>>},
    {BuiltinOperator::LOG, 1, 1, shared<convertUnary<nn::UnaryKind::Log>>},
    {BuiltinOperator::LOGICAL_NOT, 1, 1, shared<convertUnary<nn::UnaryKind::LogicalNot>>},
    {BuiltinOperator::LOGISTIC, 1, 1, shared<convertFunction<nn::LogisticOp>>},
    {BuiltinOperator::NEG, 1, 1, shared<convertUnary<nn::UnaryKind::Neg>>},
    {BuiltinOperator::QUANTIZE, 1, 1, shared<convertFunction<nn::QuantizeOp>>},
    {BuiltinOperator::RELU, 1, 1, shared<convertRelu<nn::Activation::Relu>>},
    {BuiltinOperator::RELU6, 1, 1, shared<convertRelu<nn::Activation::Relu6>>},
    {BuiltinOperator::RELU_N1_TO_1, 1, 1, shared<convertRelu<nn::Activation::ReluN1To1>>},
    {BuiltinOperator::RSQRT, 1, 1, shared<convertUnary<nn::UnaryKind::Rsqrt>>},
    {BuiltinOperator::SIN, 1, 1, shared<convertUnary<nn::UnaryKind::Sin>>},
    {BuiltinOperator::SQRT, 1, 1, shared<convertUnary<nn::UnaryKind::Sqrt>>},
    {BuiltinOperator::TANH, 1, 1, shared<convertFunction<nn::TanhOp>>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteUnaryConverters() { return kConverters; }

} // namespace avocet::compiler
