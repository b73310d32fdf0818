//===- OnnxControlFlow.cpp - Branches and loops -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/ControlFlow.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "OnnxGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertIf(OnnxOperation &op) {
  const onnx_file::GraphProto *first = op.graph("then_branch"), *second = op.graph("else_branch");
  Value condition = op.value(0, "condition");
  if (!condition)
    return failure();
  if (!first || !second || !isCondition(condition))
    return op.malformed("lacks a branch, or its condition is no boolean of one element");
  if (const Integers *known = op.knownIntegers(condition)) {
    FailureOr<SmallVector<Value>> taken = op.importSubgraph(known->front() != 0 ? *first : *second, {});
    return failed(taken) ? failure() : finishAll(op, *taken);
  }
  nn::IfOp created =
      importIf(op, condition, [&](bool isTrue) { return op.importSubgraph(isTrue ? *first : *second, {}); });
  if (!created)
    op.askFor(condition); // a branch may not be one that this network takes
  return created ? finishAll(op, created.getResults()) : failure();
}

Value scalar64(OnnxOperation &op, int64_t number) { return int64Constant(op, {}, {number}); }

/// What a Loop carries: the iteration, the condition, and values. `body` results: the condition, the values, and parts
/// of the stacked results.
struct Loop {
  const onnx_file::GraphProto *body;
  Value limit; ///< null: none
  Value condition;
  SmallVector<Value> values;
  size_t stacked; ///< results that have a part from each iteration
};

FailureOr<Loop> loopOf(OnnxOperation &op) {
  Loop loop{op.graph("body"), {}, {}, {}, 0};
  if (!loop.body)
    return op.malformed("lacks its body");
  loop.limit = op.optional(0, "M");
  loop.condition = op.hasInput(1) ? op.value(1, "cond") : filled(op, {}, op.builder().getI1Type(), 1);
  FailureOr<SmallVector<Value>> values = op.values(std::min<uint32_t>(2, op.numInputs()), op.numInputs());
  if (!loop.condition || failed(values))
    return failure();
  loop.values = std::move(*values);
  if (!isCondition(loop.condition) || (loop.limit && tensorOf(loop.limit).getNumElements() != 1))
    return op.malformed("has a condition or a limit of other than one element");
  loop.limit = reshape(op, loop.limit, {});
  loop.condition = reshape(op, loop.condition, {});
  if (op.numOutputs() < loop.values.size())
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs for " + Twine(loop.values.size()) + " values");
  loop.stacked = op.numOutputs() - loop.values.size();
  return loop;
}

FailureOr<SmallVector<Value>> importBody(OnnxOperation &op, const onnx_file::GraphProto &body, ValueRange inputs,
                                         size_t outputs) {
  FailureOr<SmallVector<Value>> results = op.importSubgraph(body, inputs);
  if (succeeded(results) && results->size() != outputs)
    return op.malformed("has a body with " + Twine(results->size()) + " outputs, must have " + Twine(outputs));
  return results;
}

FailureOr<SmallVector<Value>> importTurn(OnnxOperation &op, const Loop &loop, Value iteration, Value condition,
                                         ValueRange values) {
  SmallVector<Value> inputs{iteration, condition};
  llvm::append_range(inputs, values);
  return importBody(op, *loop.body, inputs, 1 + loop.values.size() + loop.stacked);
}

/// A loop of the device. Its results cannot grow with the iterations.
LogicalResult convertOnDevice(OnnxOperation &op, const Loop &loop) {
  if (loop.stacked != 0)
    return op.refuse("body", "results of a loop of the device have one shape", "stacked results");
  SmallVector<Value> inits{scalar64(op, 0), loop.condition};
  llvm::append_range(inits, loop.values);
  auto goesOn = [&](ValueRange arguments) -> FailureOr<SmallVector<Value>> {
    Value next = arguments[1];
    if (loop.limit)
      next = createPair<nn::LogicalOp>(op, next, compare(op, arguments[0], nn::CompareKind::Less, loop.limit),
                                       nn::LogicalKind::And);
    if (!next)
      return failure();
    return SmallVector<Value>{next};
  };
  auto turn = [&](ValueRange arguments) -> FailureOr<SmallVector<Value>> {
    FailureOr<SmallVector<Value>> results = importTurn(op, loop, arguments[0], arguments[1], arguments.drop_front(2));
    Value next = add(op, arguments[0], scalar64(op, 1));
    if (failed(results) || !next)
      return failure();
    results->insert(results->begin(), next);
    return results;
  };
  nn::WhileOp created = importWhile(op, inits, goesOn, turn);
  return created ? finishAll(op, created.getResults().drop_front(2)) : failure();
}

std::optional<int64_t> knownNumber(OnnxOperation &op, Value value) {
  const Integers *known = value ? op.knownIntegers(value) : nullptr;
  return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

/// One turn after the other, if compilation knows how many there are.
LogicalResult unroll(OnnxOperation &op, const Loop &loop) {
  std::optional<int64_t> limit = loop.limit ? knownNumber(op, loop.limit) : std::optional<int64_t>(INT64_MAX);
  Value condition = loop.condition;
  UnrolledTurns turns(loop.values, loop.stacked);
  if (!limit)
    return op.refuse("M", "is known before the device runs", "a computed tensor");
  for (int64_t iteration = 0; iteration < *limit; ++iteration) {
    std::optional<int64_t> goesOn = knownNumber(op, condition);
    if (!goesOn)
      return op.refuse("cond", "is known before the device runs", "a computed tensor");
    if (!*goesOn)
      break;
    if (iteration == kMostIterations)
      return op.refuse("", "iterations of a loop that compilation unrolls", "more", Twine(kMostIterations));
    FailureOr<SmallVector<Value>> results = importTurn(op, loop, scalar64(op, iteration), condition, turns.values());
    if (failed(results))
      return failure();
    condition = results->front();
    turns.add(ArrayRef(*results).drop_front());
  }
  const SmallVector<int64_t> zeros(loop.stacked, 0);
  return turns.finish(op, zeros, zeros);
}

LogicalResult convertLoop(OnnxOperation &op) {
  FailureOr<Loop> loop = loopOf(op);
  if (failed(loop))
    return failure();
  return convertLoopEither(op, [&] { return convertOnDevice(op, *loop); }, [&] { return unroll(op, *loop); });
}

/// The sequences of a Scan are known, so it is unrolled.
LogicalResult convertScan(OnnxOperation &op) {
  const onnx_file::GraphProto *body = op.graph("body");
  FailureOr<SmallVector<Value>> inputs = op.values(0, op.numInputs());
  const int64_t sequences = op.integer("num_scan_inputs", 0), states = op.numInputs() - sequences;
  if (failed(inputs))
    return failure();
  if (!body || sequences < 1 || states < 0 || op.numOutputs() < states)
    return op.malformed("has " + Twine(sequences) + " num_scan_inputs of " + Twine(op.numInputs()) + " inputs");
  const size_t results = op.numOutputs() - states;
  const SmallVector<int64_t> zeros(std::max<size_t>(sequences, results), 0);
  const auto listOf = [&](StringRef name, size_t count) { return op.list(name, ArrayRef(zeros).take_front(count)); };
  SmallVector<int64_t> axes = listOf("scan_input_axes", sequences),
                       backward = listOf("scan_input_directions", sequences);
  const SmallVector<int64_t> resultAxes = listOf("scan_output_axes", results),
                             resultsBackward = listOf("scan_output_directions", results);
  if (axes.size() != static_cast<size_t>(sequences) || backward.size() != axes.size() || resultAxes.size() != results ||
      resultsBackward.size() != results)
    return op.malformed("has lists of axes or directions of another length than its sequences");
  int64_t count = -1;
  for (int64_t i = 0; i < sequences; ++i) {
    ArrayRef<int64_t> shape = shapeOf((*inputs)[states + i]);
    FailureOr<int64_t> axis = op.normalizedAxis(axes[i], static_cast<int64_t>(shape.size()));
    if (failed(axis))
      return failure();
    axes[i] = *axis;
    if (count >= 0 && shape[*axis] != count)
      return op.malformed("has sequences of " + Twine(count) + " and " + Twine(shape[*axis]) + " elements");
    count = shape[*axis];
  }
  if (count > kMostIterations)
    return op.refuse("", "iterations of a loop that compilation unrolls", Twine(count), Twine(kMostIterations));
  UnrolledTurns turns(ArrayRef(*inputs).take_front(states), results);
  for (int64_t turn = 0; turn < count; ++turn) {
    SmallVector<Value> passed(turns.values());
    for (int64_t i = 0; i < sequences; ++i)
      passed.push_back(elementAt(op, (*inputs)[states + i], axes[i], backward[i] ? count - 1 - turn : turn));
    if (llvm::is_contained(passed, Value()))
      return failure();
    FailureOr<SmallVector<Value>> made = importBody(op, *body, passed, op.numOutputs());
    if (failed(made))
      return failure();
    turns.add(*made);
  }
  return turns.finish(op, resultAxes, resultsBackward);
}

constexpr OnnxConverter kConverters[] = {
    {"If", 1, 1, 1, convertIf, 1, kAnyNumber},
    {"Loop", 1, 0, kAnyNumber, convertLoop, 1, kAnyNumber},
    {"Scan", 9, 1, kAnyNumber, convertScan, 1, kAnyNumber},
};

} // namespace

ArrayRef<OnnxConverter> onnxControlFlowConverters() { return kConverters; }

} // namespace avocet::compiler
