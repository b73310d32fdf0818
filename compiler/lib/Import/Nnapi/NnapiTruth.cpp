//===- NnapiTruth.cpp - Relations and choices ----------------- -*- C++ -*-===//
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

/// Inputs with scales of their own are first converted to the result's scale.
LogicalResult convertSelect(NnapiOperation &op) {
  Value condition = op.value(0, "condition"), lhs = op.value(1, "input 1"), rhs = op.value(2, "input 2");
  RankedTensorType result = condition && lhs && rhs ? op.resultType(0, shapeOf(lhs)) : RankedTensorType();
  if (!result)
    return failure();
  Type element = result.getElementType();
  return op.finish(nn::SelectOp::create(op.builder(), op.location(), result, condition, requantized(op, lhs, element),
                                        requantized(op, rhs, element)));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Equal, 2, 2, 0, shared<convertCompare<nn::CompareKind::Equal>>},
    {OperationType::Greater, 2, 2, 0, shared<convertCompare<nn::CompareKind::Greater>>},
    {OperationType::GreaterEqual, 2, 2, 0, shared<convertCompare<nn::CompareKind::GreaterEqual>>},
    {OperationType::Less, 2, 2, 0, shared<convertCompare<nn::CompareKind::Less>>},
    {OperationType::LessEqual, 2, 2, 0, shared<convertCompare<nn::CompareKind::LessEqual>>},
    {OperationType::LogicalAnd, 2, 2, 0, shared<convertLogical<nn::LogicalKind::And>>},
    {OperationType::LogicalOr, 2, 2, 0, shared<convertLogical<nn::LogicalKind::Or>>},
    {OperationType::NotEqual, 2, 2, 0, shared<convertCompare<nn::CompareKind::NotEqual>>},
    {OperationType::Select, 3, 3, 0, convertSelect},
};

} // namespace

ArrayRef<NnapiConverter> nnapiTruthConverters() { return kConverters; }

} // namespace avocet::compiler
