//===- NnapiUnary.cpp - Functions of one tensor --------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The input, and the result's type, which has the input's shape.
struct Function {
  Value input;
  RankedTensorType result;
  explicit operator bool() const { return result != nullptr; }
};

Function functionOf(NnapiOperation &op) {
  Value input = op.value(0, "input");
  return {input, input ? op.resultType(0, shapeOf(input)) : RankedTensorType()};
}

template <typename Op> LogicalResult convertFunction(NnapiOperation &op) {
  Function f = functionOf(op);
  return f ? op.finish(Op::create(op.builder(), op.location(), f.result, f.input)) : failure();
}

template <nn::Activation Kind> LogicalResult convertRelu(NnapiOperation &op) {
  Function f = functionOf(op);
  return f ? op.finish(nn::ReluOp::create(op.builder(), op.location(), f.result, f.input, Kind)) : failure();
}

template <nn::UnaryKind Kind> LogicalResult convertUnary(NnapiOperation &op) {
  Function f = functionOf(op);
  constexpr float kUnusedAlpha = 1;
  return f ? op.finish(nn::UnaryOp::create(op.builder(), op.location(), f.result, f.input, Kind, APFloat(kUnusedAlpha)))
           : failure();
}

LogicalResult convertElu(NnapiOperation &op) {
  Function f = functionOf(op);
  FailureOr<double> alpha = op.real(1, "alpha");
  if (!f || failed(alpha))
    return failure();
  return op.finish(nn::UnaryOp::create(op.builder(), op.location(), f.result, f.input, nn::UnaryKind::Elu,
                                       APFloat(static_cast<float>(*alpha))));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Floor, 1, 1, 0, convertUnary<nn::UnaryKind::Floor>},
    {OperationType::Logistic, 1, 1, 0, convertFunction<nn::LogisticOp>},
    {OperationType::Relu, 1, 1, 0, convertRelu<nn::Activation::Relu>},
    {OperationType::Relu1, 1, 1, 0, convertRelu<nn::Activation::ReluN1To1>},
    {OperationType::Relu6, 1, 1, 0, convertRelu<nn::Activation::Relu6>},
    {OperationType::Tanh, 1, 1, 0, convertFunction<nn::TanhOp>},
    {OperationType::Abs, 1, 1, 0, convertUnary<nn::UnaryKind::Abs>},
    {OperationType::Exp, 1, 1, 0, convertUnary<nn::UnaryKind::Exp>},
    {OperationType::Log, 1, 1, 0, convertUnary<nn::UnaryKind::Log>},
    {OperationType::LogicalNot, 1, 1, 0, convertUnary<nn::UnaryKind::LogicalNot>},
    {OperationType::Neg, 1, 1, 0, convertUnary<nn::UnaryKind::Neg>},
    {OperationType::Rsqrt, 1, 1, 0, convertUnary<nn::UnaryKind::Rsqrt>},
    {OperationType::Sin, 1, 1, 0, convertUnary<nn::UnaryKind::Sin>},
    {OperationType::Sqrt, 1, 1, 0, convertUnary<nn::UnaryKind::Sqrt>},
    {OperationType::Elu, 2, 2, 1 << 1, convertElu},
    {OperationType::HardSwish, 1, 1, 0, convertUnary<nn::UnaryKind::HardSwish>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiUnaryConverters() { return kConverters; }

} // namespace avocet::compiler
