//===- NnapiUnary.cpp - Functions of one tensor --------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "NnapiGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertElu(NnapiOperation &op) {
  FailureOr<double> alpha = op.real(1, "alpha");
  if (failed(alpha))
    return failure();
  return createFunction<nn::UnaryOp>(op, nn::UnaryKind::Elu, APFloat(static_cast<float>(*alpha)));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Floor, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Floor>>},
    {OperationType::Logistic, 1, 1, 0, shared<convertFunction<nn::LogisticOp>>},
    {OperationType::Relu, 1, 1, 0, shared<convertRelu<nn::Activation::Relu>>},
    {OperationType::Relu1, 1, 1, 0, shared<convertRelu<nn::Activation::ReluN1To1>>},
    {OperationType::Relu6, 1, 1, 0, shared<convertRelu<nn::Activation::Relu6>>},
    {OperationType::Tanh, 1, 1, 0, shared<convertFunction<nn::TanhOp>>},
    {OperationType::Abs, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Abs>>},
    {OperationType::Exp, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Exp>>},
    {OperationType::Log, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Log>>},
    {OperationType::LogicalNot, 1, 1, 0, shared<convertUnary<nn::UnaryKind::LogicalNot>>},
    {OperationType::Neg, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Neg>>},
    {OperationType::Rsqrt, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Rsqrt>>},
    {OperationType::Sin, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Sin>>},
    {OperationType::Sqrt, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Sqrt>>},
    {OperationType::Elu, 2, 2, 1 << 1, convertElu},
    {OperationType::HardSwish, 1, 1, 0, shared<convertUnary<nn::UnaryKind::HardSwish>>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiUnaryConverters() { return kConverters; }

} // namespace avocet::compiler
