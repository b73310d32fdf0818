//===- TfliteControlFlow.cpp - Operators with subgraphs ---------*- C++ -*-===//
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
#include "Import/Common/ImportedOperation.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertIf(TfliteOperator &op, const tflite::IfOptions &options) {
  FailureOr<SmallVector<Value>> values = op.values(1, op.numInputs());
  Value condition = op.value(0, "condition");
  if (failed(values) || !condition)
    return failure();
  if (!isCondition(condition))
    return op.malformed("has a condition that is no boolean of one element");
  const std::array subgraphs{options.then_subgraph(), options.else_subgraph()};
  if (ArrayRef<char> known = op.constantBytes(0); !known.empty()) {
    FailureOr<SmallVector<Value>> taken = op.importSubgraph(subgraphs[known[0] != 0 ? 0 : 1], *values);
    return failed(taken) ? failure() : finishSubgraph(op, *taken);
  }
  nn::IfOp created =
      importIf(op, condition, [&](bool isTrue) { return op.importSubgraph(subgraphs[isTrue ? 0 : 1], *values); });
  return created ? finishSubgraph(op, created.getResults()) : failure();
}

/// A loop of the device: the values keep their shapes.
LogicalResult convertLoop(TfliteOperator &op, const tflite::WhileOptions &options, ValueRange inits) {
  const auto turn = [&](int32_t subgraph) {
    return [&op, subgraph](ValueRange arguments) { return op.importSubgraph(subgraph, arguments); };
  };
  nn::WhileOp created = importWhile(op, inits, turn(options.condition_subgraph()), turn(options.body_subgraph()));
  return created ? finishSubgraph(op, created.getResults()) : failure();
}

/// Whether the loop goes on after the values, if that is known before the device runs.
FailureOr<std::optional<bool>> goesOn(TfliteOperator &op, int32_t subgraph, ValueRange values) {
  FailureOr<SmallVector<Value>> condition = op.importSubgraph(subgraph, values);
  if (failed(condition))
    return failure();
  if (condition->size() != 1 || !isCondition(condition->front()))
    return op.malformed("has a condition that is no boolean of one element");
  const Integers *known = op.knownIntegers(condition->front());
  return known ? std::optional(known->front() != 0) : std::nullopt;
}

/// A loop whose iterations follow one another in the program. Shapes and slices may depend on its counter.
/// `isDevicesLoop`: set if the length is not known at all.
LogicalResult unroll(TfliteOperator &op, const tflite::WhileOptions &options, SmallVector<Value> values,
                     bool &isDevicesLoop) {
  for (int64_t iteration = 0; iteration <= kMostIterations; ++iteration) {
    FailureOr<std::optional<bool>> next = goesOn(op, options.condition_subgraph(), values);
    if (failed(next))
      return failure();
    isDevicesLoop = iteration == 0 && !*next;
    if (!*next)
      return op.refuse("condition", "is known before the device runs, as the shapes or slices of the body depend on it",
                       "a computed value");
    if (!**next)
      return finishSubgraph(op, values);
    FailureOr<SmallVector<Value>> results = op.importSubgraph(options.body_subgraph(), values);
    if (failed(results))
      return failure();
    if (results->size() != values.size())
      return op.malformed("has a body with " + Twine(results->size()) + " outputs, must have " + Twine(values.size()));
    values = std::move(*results);
  }
  return op.refuse("", "iterations of a loop that compilation unrolls", "more", Twine(kMostIterations));
}

/// Only loops that cannot run otherwise are unrolled, and reported as loops if their length is not known.
LogicalResult convertWhile(TfliteOperator &op, const tflite::WhileOptions &options) {
  FailureOr<SmallVector<Value>> inits = op.values(0, op.numInputs());
  if (failed(inits))
    return failure();
  bool isDevicesLoop = false;
  return convertLoopEither(
      op, [&] { return convertLoop(op, options, *inits); }, [&] { return unroll(op, options, *inits, isDevicesLoop); },
      &isDevicesLoop);
}

LogicalResult convertComposite(TfliteOperator &op) {
  auto *options = op.moreOptions<tflite::CompositeOptions>();
  if (!options)
    return op.malformed("lacks its options");
  FailureOr<SmallVector<Value>> values = op.values(0, op.numInputs());
  if (failed(values))
    return failure();
  FailureOr<SmallVector<Value>> results = op.importSubgraph(options->decomposition_subgraph(), *values);
  return failed(results) ? failure() : finishSubgraph(op, *results);
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::IF, 1, kAnyNumber, withOptions<convertIf>, 0, kAnyNumber},
    {tflite::BuiltinOperator::WHILE, 1, kAnyNumber, withOptions<convertWhile>, 1, kAnyNumber},
    {tflite::BuiltinOperator::STABLEHLO_COMPOSITE, 0, kAnyNumber, convertComposite, 1, kAnyNumber},
};

} // namespace

ArrayRef<TfliteConverter> tfliteControlFlowConverters() { return kConverters; }

} // namespace avocet::compiler
