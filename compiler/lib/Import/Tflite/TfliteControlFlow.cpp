//===- TfliteControlFlow.cpp - Operators with subgraphs -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subgraph is imported at each use, with the values of the use as its inputs.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/ControlFlow.h"
#include "Import/Common/Results.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

FailureOr<SmallVector<Value>> passedValues(TfliteOperator &op, uint32_t first) {
  SmallVector<Value> values;
  for (uint32_t position = first; position < op.numInputs(); ++position) {
    values.push_back(op.value(position, "input " + std::to_string(position)));
    if (!values.back())
      return failure();
  }
  return values;
}

/// Binds the values of a subgraph as the results of the operator, which declares their types.
LogicalResult finishSubgraph(TfliteOperator &op, ValueRange values) {
  if (values.size() != op.numOutputs())
    return op.malformed("has a subgraph with " + Twine(values.size()) + " outputs, must have " +
                        Twine(op.numOutputs()));
  for (auto [position, value] : llvm::enumerate(values)) {
    RankedTensorType type = op.isResized() ? op.resultType(position, shapeOf(value)) : op.resultType(position);
    if (!type)
      return failure();
    if (type != value.getType())
      return refuseResultType(op, position, "another shape, element type or quantisation");
  }
  return finishAll(op, values);
}

LogicalResult convertIf(TfliteOperator &op) {
  auto *options = op.options<tflite::IfOptions>();
  if (!options)
    return op.malformed("lacks its options");
  FailureOr<SmallVector<Value>> values = passedValues(op, 1);
  Value condition = op.value(0, "condition");
  if (failed(values) || !condition)
    return failure();
  if (!isCondition(condition))
    return op.malformed("has a condition that is no boolean of one element");
  const std::array subgraphs{options->then_subgraph(), options->else_subgraph()};
  if (ArrayRef<char> known = op.constantBytes(0); !known.empty()) {
    FailureOr<SmallVector<Value>> taken = op.importSubgraph(subgraphs[known[0] != 0 ? 0 : 1], *values);
    return failed(taken) ? failure() : finishSubgraph(op, *taken);
  }
  std::array<Region, 2> branches;
  for (auto [subgraph, branch] : llvm::zip(subgraphs, branches)) {
    branch.emplaceBlock();
    if (failed(importRegion(op, branch, [&] { return op.importSubgraph(subgraph, *values); })))
      return failure();
  }
  nn::IfOp created = createIf(op, condition, branches);
  return created ? finishSubgraph(op, created.getResults()) : failure();
}

LogicalResult importTurn(TfliteOperator &op, int32_t subgraph, ValueRange inits, Region &region) {
  SmallVector<Location> locations(inits.size(), op.location());
  region.emplaceBlock().addArguments(inits.getTypes(), locations);
  return importRegion(op, region, [&] { return op.importSubgraph(subgraph, region.front().getArguments()); });
}

LogicalResult convertWhile(TfliteOperator &op) {
  auto *options = op.options<tflite::WhileOptions>();
  if (!options)
    return op.malformed("lacks its options");
  FailureOr<SmallVector<Value>> inits = passedValues(op, 0);
  Region condition, body;
  if (failed(inits) || failed(importTurn(op, options->condition_subgraph(), *inits, condition)) ||
      failed(importTurn(op, options->body_subgraph(), *inits, body)))
    return failure();
  nn::WhileOp created = createWhile(op, *inits, condition, body);
  return created ? finishSubgraph(op, created.getResults()) : failure();
}

LogicalResult convertComposite(TfliteOperator &op) {
  auto *options = op.moreOptions<tflite::CompositeOptions>();
  if (!options)
    return op.malformed("lacks its options");
  FailureOr<SmallVector<Value>> values = passedValues(op, 0);
  if (failed(values))
    return failure();
  FailureOr<SmallVector<Value>> results = op.importSubgraph(options->decomposition_subgraph(), *values);
  return failed(results) ? failure() : finishSubgraph(op, *results);
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::IF, 1, kAnyNumber, convertIf, 0, kAnyNumber},
    {tflite::BuiltinOperator::WHILE, 1, kAnyNumber, convertWhile, 1, kAnyNumber},
    {tflite::BuiltinOperator::STABLEHLO_COMPOSITE, 0, kAnyNumber, convertComposite, 1, kAnyNumber},
};

} // namespace

ArrayRef<TfliteConverter> tfliteControlFlowConverters() { return kConverters; }

} // namespace avocet::compiler
