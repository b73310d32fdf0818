//===- ControlFlow.cpp - Branches and loops of all importers --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"

#include "Axes.h"

using namespace mlir;

namespace avocet::compiler {

bool isCondition(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isInteger(1) && type.getNumElements() == 1;
}

FailureOr<SmallVector<Value>> importRegion(ImportedOperation &op, Region &region,
                                           llvm::function_ref<FailureOr<SmallVector<Value>>()> import) {
  OpBuilder::InsertionGuard guard(op.builder());
  op.builder().setInsertionPointToEnd(&region.front());
  FailureOr<SmallVector<Value>> outputs = import();
  if (succeeded(outputs))
    nn::YieldOp::create(op.builder(), op.location(), *outputs);
  return outputs;
}

static ValueRange yielded(Region &region) { return region.front().getTerminator()->getOperands(); }

LogicalResult checkResults(ImportedOperation &op, ValueRange values) {
  if (values.size() != op.numOutputs())
    return op.malformed("has a subgraph with " + Twine(values.size()) + " outputs, must have " +
                        Twine(op.numOutputs()));
  for (auto [position, value] : llvm::enumerate(values)) {
    RankedTensorType type = op.resultType(position, shapeOf(value));
    if (!type)
      return failure();
    if (type != value.getType())
      return op.refuse("result " + std::to_string(position), "has the type that the subgraph gives",
                       "another element type or quantization");
  }
  return success();
}

LogicalResult finishSubgraph(ImportedOperation &op, ValueRange values) {
  return failed(checkResults(op, values)) ? failure() : finishAll(op, values);
}

nn::IfOp createIf(ImportedOperation &op, Value condition, Region &thenBranch, Region &elseBranch) {
  TypeRange types(yielded(thenBranch));
  if (types != TypeRange(yielded(elseBranch))) {
    op.refuse("else", "gives the types of the other branch", "other shapes");
    return {};
  }
  auto created = nn::IfOp::create(op.builder(), op.location(), types, condition);
  created.getThenRegion().takeBody(thenBranch);
  created.getElseRegion().takeBody(elseBranch);
  return created;
}

nn::IfOp importIf(GraphOperation &op, Value condition,
                  llvm::function_ref<FailureOr<SmallVector<Value>>(bool isTrue)> import) {
  Region &thenBranch = op.keptRegion(), &elseBranch = op.keptRegion();
  for (Region *branch : {&thenBranch, &elseBranch}) {
    branch->emplaceBlock();
    if (failed(importRegion(op, *branch, [&] { return import(branch == &thenBranch); })))
      return {};
  }
  return createIf(op, condition, thenBranch, elseBranch);
}

nn::WhileOp createWhile(ImportedOperation &op, ValueRange inits, Region &condition, Region &body) {
  ValueRange truth = yielded(condition);
  if (truth.size() != 1 || !isCondition(truth.front())) {
    op.malformed("has a condition that is no boolean of one element");
    return {};
  }
  if (TypeRange(inits) != TypeRange(yielded(body))) {
    op.refuse("body", "gives the types of the initial values", "shapes or types that vary");
    return {};
  }
  auto created = nn::WhileOp::create(op.builder(), op.location(), TypeRange(inits), inits);
  created.getCondition().takeBody(condition);
  created.getBody().takeBody(body);
  return created;
}

LogicalResult importTurn(ImportedOperation &op, Region &region, ValueRange inits, ImportTurn import) {
  const SmallVector<Location> locations(inits.size(), op.location());
  region.emplaceBlock().addArguments(inits.getTypes(), locations);
  return importRegion(op, region, [&] { return import(region.front().getArguments()); });
}

nn::WhileOp importWhile(GraphOperation &op, ValueRange inits, ImportTurn condition, ImportTurn body) {
  Region &goesOn = op.keptRegion(), &turn = op.keptRegion();
  if (failed(importTurn(op, goesOn, inits, condition)) || failed(importTurn(op, turn, inits, body)))
    return {};
  return createWhile(op, inits, goesOn, turn);
}

LogicalResult convertLoopEither(ImportedOperation &op, llvm::function_ref<LogicalResult()> asLoop,
                                llvm::function_ref<LogicalResult()> unrolled, const bool *reportsLoop) {
  auto ofLoop = op.attempt(asLoop);
  if (failed(ofLoop) || ofLoop->empty())
    return LogicalResult(ofLoop);
  auto ofIterations = op.attempt(unrolled);
  if (failed(ofIterations) || ofIterations->empty())
    return LogicalResult(ofIterations);
  op.report(std::move(reportsLoop && *reportsLoop ? *ofLoop : *ofIterations));
  return failure();
}

void UnrolledTurns::add(ArrayRef<Value> results) {
  llvm::copy(results.take_front(values_.size()), values_.begin());
  for (auto [part, result] : llvm::zip_equal(parts_, results.drop_front(values_.size())))
    part.push_back(result);
}

LogicalResult UnrolledTurns::finish(ImportedOperation &op, ArrayRef<int64_t> axes, ArrayRef<int64_t> isBackward) {
  if (failed(finishAll(op, values_)))
    return failure();
  for (auto [index, each] : llvm::enumerate(parts_)) {
    if (each.empty())
      return op.refuse("", "tensors have elements", "a loop without iterations");
    if (isBackward[index])
      std::reverse(each.begin(), each.end());
    FailureOr<int64_t> axis = op.normalizedAxis(axes[index], static_cast<int64_t>(shapeOf(each[0]).size()) + 1);
    if (failed(axis) || failed(op.finish(stacked(op, each, *axis), static_cast<uint32_t>(values_.size() + index))))
      return failure();
  }
  return success();
}

} // namespace avocet::compiler
