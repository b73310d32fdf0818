//===- NnapiElementwise.cpp - Operations on single elements -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Op> LogicalResult convertArithmetic(NnapiOperation &op) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  FailureOr<nn::Activation> activation = op.activation(2);
  if (!lhs || !rhs || failed(activation))
    return failure();
  RankedTensorType result = broadcastResult(op, lhs, rhs);
  return result ? op.finish(Op::create(op.builder(), op.location(), result, lhs, rhs, *activation)) : failure();
}

template <typename Op> LogicalResult convertBinary(NnapiOperation &op) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  if (!lhs || !rhs)
    return failure();
  RankedTensorType result = broadcastResult(op, lhs, rhs);
  return result ? op.finish(Op::create(op.builder(), op.location(), result, lhs, rhs)) : failure();
}

/// Inputs with scales of their own are first converted to the result's scale.
template <typename Op> LogicalResult convertSelecting(NnapiOperation &op) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  if (!lhs || !rhs)
    return failure();
  RankedTensorType result = broadcastResult(op, lhs, rhs);
  if (!result)
    return failure();
  Type element = result.getElementType();
  return op.finish(
      Op::create(op.builder(), op.location(), result, requantized(op, lhs, element), requantized(op, rhs, element)));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Add, 3, 3, 1 << 2, convertArithmetic<nn::AddOp>},
    {OperationType::Mul, 3, 3, 1 << 2, convertArithmetic<nn::MulOp>},
    {OperationType::Div, 3, 3, 1 << 2, convertArithmetic<nn::DivOp>},
    {OperationType::Sub, 3, 3, 1 << 2, convertArithmetic<nn::SubOp>},
    {OperationType::Maximum, 2, 2, 0, convertSelecting<nn::MaximumOp>},
    {OperationType::Minimum, 2, 2, 0, convertSelecting<nn::MinimumOp>},
    {OperationType::Pow, 2, 2, 0, convertBinary<nn::PowOp>},
    {OperationType::Prelu, 2, 2, 0, convertBinary<nn::PreluOp>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
