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

/// Above it the IR of an unrolled loop would take too much memory.
constexpr int64_t kMostIterations = 1 << 12;

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
  Region &thenBranch = op.keptRegion(), &elseBranch = op.keptRegion();
  for (auto [graph, branch] : {std::pair(first, &thenBranch), std::pair(second, &elseBranch)}) {
    branch->emplaceBlock();
    if (failed(importRegion(op, *branch, [&] { return op.importSubgraph(*graph, {}); }))) {
      op.askFor(condition); // the branch may not be one that this network takes
      return failure();
    }
  }
  nn::IfOp created = createIf(op, condition, thenBranch, elseBranch);
  if (!created)
    op.askFor(condition);
  return created ? finishAll(op, created.getResults()) : failure();
}

Value scalar64(OnnxOperation &op, int64_t number) {
  const auto type = RankedTensorType::get({}, op.builder().getI64Type());
  return filled(op, type, op.builder().getI64IntegerAttr(number));
}

Value truth(OnnxOperation &op, bool value) {
  return filled(op, RankedTensorType::get({}, op.builder().getI1Type()), op.builder().getBoolAttr(value));
}

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
  if (op.hasInput(0) && !(loop.limit = op.value(0, "M")))
    return failure();
  loop.condition = op.hasInput(1) ? op.value(1, "cond") : truth(op, true);
  FailureOr<SmallVector<Value>> values = op.values(std::min<uint32_t>(2, op.numInputs()), op.numInputs());
  if (!loop.condition || failed(values))
    return failure();
  loop.values = std::move(*values);
  if (!isCondition(loop.condition) || (loop.limit && tensorOf(loop.limit).getNumElements() != 1))
    return op.malformed("has a condition or a limit of other than one element");
  if (loop.limit && !shapeOf(loop.limit).empty())
    loop.limit = reshape(op, loop.limit, {});
  if (!shapeOf(loop.condition).empty())
    loop.condition = reshape(op, loop.condition, {});
  if (op.numOutputs() < loop.values.size())
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs for " + Twine(loop.values.size()) + " values");
  loop.stacked = op.numOutputs() - loop.values.size();
  return loop;
}

FailureOr<SmallVector<Value>> importTurn(OnnxOperation &op, const Loop &loop, Value iteration, Value condition,
                                         ValueRange values) {
  SmallVector<Value> inputs{iteration, condition};
  llvm::append_range(inputs, values);
  FailureOr<SmallVector<Value>> results = op.importSubgraph(*loop.body, inputs);
  if (succeeded(results) && results->size() != 1 + loop.values.size() + loop.stacked)
    return op.malformed("has a body with " + Twine(results->size()) + " outputs, must have " +
                        Twine(1 + loop.values.size() + loop.stacked));
  return results;
}

/// A loop of the device. Its results cannot grow with the iterations.
LogicalResult convertOnDevice(OnnxOperation &op, const Loop &loop) {
  if (loop.stacked != 0)
    return op.refuse("body", "results of a loop of the device have one shape", "stacked results");
  SmallVector<Value> inits{scalar64(op, 0), loop.condition};
  llvm::append_range(inits, loop.values);
  const SmallVector<Location> locations(inits.size(), op.location());
  Region &condition = op.keptRegion(), &body = op.keptRegion();
  condition.emplaceBlock().addArguments(ValueRange(inits).getTypes(), locations);
  body.emplaceBlock().addArguments(ValueRange(inits).getTypes(), locations);
  auto goesOn = [&]() -> FailureOr<SmallVector<Value>> {
    Value next = condition.front().getArgument(1);
    if (loop.limit)
      next = createPair<nn::LogicalOp>(op, next,
                                       compare(op, condition.front().getArgument(0), nn::CompareKind::Less, loop.limit),
                                       nn::LogicalKind::And);
    if (!next)
      return failure();
    return SmallVector<Value>{next};
  };
  auto turn = [&]() -> FailureOr<SmallVector<Value>> {
    const auto arguments = body.front().getArguments();
    FailureOr<SmallVector<Value>> results =
        importTurn(op, loop, arguments[0], arguments[1], ValueRange(arguments).drop_front(2));
    if (failed(results))
      return failure();
    Value next = add(op, arguments[0], scalar64(op, 1));
    results->insert(results->begin(), next);
    if (!next)
      return failure();
    return results;
  };
  if (failed(importRegion(op, condition, goesOn)) || failed(importRegion(op, body, turn)))
    return failure();
  nn::WhileOp created = createWhile(op, inits, condition, body);
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
  SmallVector<Value> values = loop.values;
  SmallVector<SmallVector<Value>> parts(loop.stacked);
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
    FailureOr<SmallVector<Value>> results = importTurn(op, loop, scalar64(op, iteration), condition, values);
    if (failed(results))
      return failure();
    condition = results->front();
    llvm::copy(ArrayRef(*results).slice(1, values.size()), values.begin());
    for (auto [part, result] : llvm::zip(parts, ArrayRef(*results).drop_front(1 + values.size())))
      part.push_back(result);
  }
  if (failed(finishAll(op, values)))
    return failure();
  for (auto [index, each] : llvm::enumerate(parts)) {
    if (each.empty())
      return op.refuse("", "tensors have elements", "a loop without iterations");
    SmallVector<int64_t> shape(shapeOf(each.front()));
    shape.insert(shape.begin(), 1);
    for (Value &part : each)
      part = reshape(op, part, shape);
    Value stacked = each.size() == 1 ? each.front() : concatenate(op, each, 0);
    if (failed(op.finish(stacked, static_cast<uint32_t>(values.size() + index))))
      return failure();
  }
  return success();
}

LogicalResult convertLoop(OnnxOperation &op) {
  FailureOr<Loop> loop = loopOf(op);
  if (failed(loop))
    return failure();
  auto refusals = op.attempt([&] { return convertOnDevice(op, *loop); });
  if (failed(refusals) || refusals->empty())
    return LogicalResult(refusals);
  auto unrolled = op.attempt([&] { return unroll(op, *loop); });
  if (failed(unrolled) || unrolled->empty())
    return LogicalResult(unrolled);
  op.report(std::move(*unrolled));
  return failure();
}

/// Element `index` of a sequence along an axis, without the axis.
Value elementAt(OnnxOperation &op, Value sequence, int64_t axis, int64_t index) {
  SmallVector<int64_t> begin(shapeOf(sequence).size(), 0), extents(shapeOf(sequence));
  begin[axis] = index;
  extents[axis] = 1;
  Value part = slice(op, sequence, begin, extents);
  extents.erase(extents.begin() + axis);
  return part ? reshape(op, part, extents) : part;
}

Value joined(OnnxOperation &op, SmallVector<Value> parts, int64_t axis) {
  SmallVector<int64_t> shape(shapeOf(parts.front()));
  FailureOr<int64_t> place = op.normalizedAxis(axis, static_cast<int64_t>(shape.size()) + 1);
  if (failed(place))
    return {};
  shape.insert(shape.begin() + *place, 1);
  for (Value &part : parts)
    part = reshape(op, part, shape);
  return parts.size() == 1 ? parts.front() : concatenate(op, parts, *place);
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
  SmallVector<Value> values(ArrayRef(*inputs).take_front(states));
  SmallVector<SmallVector<Value>> parts(results);
  for (int64_t turn = 0; turn < count; ++turn) {
    SmallVector<Value> passed = values;
    for (int64_t i = 0; i < sequences; ++i)
      passed.push_back(elementAt(op, (*inputs)[states + i], axes[i], backward[i] ? count - 1 - turn : turn));
    if (llvm::is_contained(passed, Value()))
      return failure();
    FailureOr<SmallVector<Value>> made = op.importSubgraph(*body, passed);
    if (failed(made))
      return failure();
    if (made->size() != op.numOutputs())
      return op.malformed("has a body with " + Twine(made->size()) + " outputs, must have " + Twine(op.numOutputs()));
    values.assign(made->begin(), made->begin() + states);
    for (auto [part, result] : llvm::zip(parts, ArrayRef(*made).drop_front(states)))
      part.push_back(result);
  }
  if (failed(finishAll(op, values)))
    return failure();
  for (size_t i = 0; i < results; ++i) {
    if (resultsBackward[i])
      std::reverse(parts[i].begin(), parts[i].end());
    if (failed(op.finish(joined(op, parts[i], resultAxes[i]), static_cast<uint32_t>(states + i))))
      return failure();
  }
  return success();
}

constexpr OnnxConverter kConverters[] = {
    {"If", 1, 1, 1, convertIf, 1, kAnyNumber},
    {"Loop", 1, 0, kAnyNumber, convertLoop, 1, kAnyNumber},
    {"Scan", 9, 1, kAnyNumber, convertScan, 1, kAnyNumber},
};

} // namespace

ArrayRef<OnnxConverter> onnxControlFlowConverters() { return kConverters; }

} // namespace avocet::compiler
