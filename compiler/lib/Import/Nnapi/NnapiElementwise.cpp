//===- NnapiElementwise.cpp - Operations on single elements -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

#include "mlir/Dialect/Traits.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Op> LogicalResult convertArithmetic(NnapiOperation &op) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  FailureOr<nn::Activation> activation = op.activation(2);
  if (!lhs || !rhs || failed(activation))
    return failure();
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(shapeOf(lhs), shapeOf(rhs), shape))
    return op.malformed("has inputs whose shapes do not broadcast");
  RankedTensorType result = op.resultType(0, shape);
  return result ? op.finish(Op::create(op.builder(), op.location(), result, lhs, rhs, *activation)) : failure();
}

constexpr NnapiConverter kConverters[] = {
    {0, 3, 3, 0, convertArithmetic<nn::AddOp>},
    {18, 3, 3, 0, convertArithmetic<nn::MulOp>},
    {36, 3, 3, 0, convertArithmetic<nn::SubOp>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
