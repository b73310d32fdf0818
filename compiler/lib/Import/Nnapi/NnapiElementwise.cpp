//===- NnapiElementwise.cpp - Operations on single elements -----*- C++ -*-===//
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

template <typename Op> LogicalResult convertArithmetic(NnapiOperation &op) {
  FailureOr<nn::Activation> activation = op.activation(2);
  return failed(activation) ? failure() : createBinary<Op>(op, *activation);
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Add, 3, 3, 1 << 2, convertArithmetic<nn::AddOp>},
    {OperationType::Mul, 3, 3, 1 << 2, convertArithmetic<nn::MulOp>},
    {OperationType::Div, 3, 3, 1 << 2, convertArithmetic<nn::DivOp>},
    {OperationType::Sub, 3, 3, 1 << 2, convertArithmetic<nn::SubOp>},
    {OperationType::Maximum, 2, 2, 0, shared<convertSelecting<nn::MaximumOp>>},
    {OperationType::Minimum, 2, 2, 0, shared<convertSelecting<nn::MinimumOp>>},
    {OperationType::Pow, 2, 2, 0, shared<convertBinary<nn::PowOp>>},
    {OperationType::Prelu, 2, 2, 0, shared<convertBinary<nn::PreluOp>>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
