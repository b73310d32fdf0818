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

template <nn::Activation kind> LogicalResult convertRelu(NnapiOperation &op) {
  Function f = functionOf(op);
  return f ? op.finish(nn::ReluOp::create(op.builder(), op.location(), f.result, f.input, kind)) : failure();
}

template <nn::UnaryKind kind> LogicalResult convertUnary(NnapiOperation &op) {
  Function f = functionOf(op);
  constexpr float kUnusedAlpha = 1;
  return f ? op.finish(nn::UnaryOp::create(op.builder(), op.location(), f.result, f.input, kind, APFloat(kUnusedAlpha)))
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
    {8, 1, 1, 0, convertUnary<nn::UnaryKind::Floor>},
    {14, 1, 1, 0, convertFunction<nn::LogisticOp>},
    {19, 1, 1, 0, convertRelu<nn::Activation::Relu>},
    {20, 1, 1, 0, convertRelu<nn::Activation::ReluN1To1>},
    {21, 1, 1, 0, convertRelu<nn::Activation::Relu6>},
    {28, 1, 1, 0, convertFunction<nn::TanhOp>},
    {38, 1, 1, 0, convertUnary<nn::UnaryKind::Abs>},
    {49, 1, 1, 0, convertUnary<nn::UnaryKind::Exp>},
    {60, 1, 1, 0, convertUnary<nn::UnaryKind::Log>},
    {62, 1, 1, 0, convertUnary<nn::UnaryKind::LogicalNot>},
    {67, 1, 1, 0, convertUnary<nn::UnaryKind::Neg>},
    {83, 1, 1, 0, convertUnary<nn::UnaryKind::Rsqrt>},
    {85, 1, 1, 0, convertUnary<nn::UnaryKind::Sin>},
    {88, 1, 1, 0, convertUnary<nn::UnaryKind::Sqrt>},
    {98, 2, 2, 1 << 1, convertElu},
    {99, 1, 1, 0, convertUnary<nn::UnaryKind::HardSwish>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiUnaryConverters() { return kConverters; }

} // namespace avocet::compiler
