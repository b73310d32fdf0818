//===- NnapiControlFlow.cpp - IF and WHILE ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation passes values to the inputs of a subgraph; in the nn dialect the region uses these values directly.
// Shapes that the subgraph leaves open therefore follow from the values, and constants stay constants.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/ControlFlow.h"
#include "Import/Common/ImportedOperation.h"
#include "NnapiGraph.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// A subgraph of an operation, imported into a region of its own.
class BranchImporter {
public:
  /// `reference`: position of the operand that names the subgraph; `first`: position of the first passed value.
  BranchImporter(NnapiOperation &op, uint32_t reference, uint32_t first)
      : op_(op), graph_(op.import(), subgraphOf(op, reference), op.topLevel()), first_(first) {}

  static uint32_t subgraphOf(NnapiOperation &op, uint32_t reference) {
    return static_cast<uint32_t>(op.inputOperand(reference).subgraph() + 1);
  }

  uint32_t numOutputs() const { return graph_.subgraph().outputs()->size(); }

  LogicalResult checkSignature(uint32_t outputs) {
    const uint32_t passed = op_.numInputs() - first_, taken = graph_.subgraph().inputs()->size();
    if (passed != taken)
      return op_.malformed("passes " + Twine(passed) + " values to a subgraph that takes " + Twine(taken));
    if (numOutputs() != outputs)
      return op_.malformed("has a subgraph with " + Twine(numOutputs()) + " outputs, must have " + Twine(outputs));
    return success();
  }

  /// Passes value number `index` to the subgraph, with its elements if they are known.
  void bind(uint32_t index, Value value, std::span<const uint8_t> known) {
    const uint32_t operand = graph_.subgraph().inputs()->Get(index);
    graph_.bind(operand, value);
    graph_.give(operand, known);
  }

  /// The elements of an output after run(), empty if they are not known.
  std::span<const uint8_t> known(uint32_t output) const {
    return graph_.data(graph_.subgraph().outputs()->Get(output));
  }

  /// Imports the operations at the insertion point and returns the outputs.
  FailureOr<SmallVector<Value>> run() {
    if (failed(graph_.importOperations()) || op_.import().refused)
      return failure();
    SmallVector<Value> outputs;
    for (uint32_t operand : *graph_.subgraph().outputs())
      outputs.push_back(graph_.value(operand));
    if (llvm::is_contained(outputs, Value()))
      return op_.malformed("has a subgraph with an output that has no value");
    return outputs;
  }

  /// The same in a region, which yields them. The region's block must exist.
  FailureOr<SmallVector<Value>> runIn(Region &region) {
    return importRegion(op_, region, [&] { return run(); });
  }

private:
  NnapiOperation &op_;
  NnapiGraph graph_;
  const uint32_t first_;
};

/// The elements of value number `index`, of those from position `first` on.
std::span<const uint8_t> knownValue(NnapiOperation &op, uint32_t first, size_t index) {
  return op.graph().data(op.inputIndex(first + static_cast<uint32_t>(index)));
}

/// The values from position `first` on; omitted ones are null.
FailureOr<SmallVector<Value>> passedValues(NnapiOperation &op, uint32_t first) {
  SmallVector<Value> values;
  for (uint32_t position = first; position < op.numInputs(); ++position) {
    values.push_back(op.hasInput(position) ? op.value(position, "input " + std::to_string(position)) : Value());
    if (op.hasInput(position) && !values.back())
      return failure();
  }
  return values;
}

LogicalResult checkReferences(NnapiOperation &op, uint32_t first) {
  for (uint32_t position = first; position < first + 2; ++position)
    if (op.inputOperand(position).lifetime() != nnapi::Lifetime::Subgraph)
      return op.malformed("has no subgraph as input " + Twine(position));
  return success();
}

constexpr uint32_t kIfValues = 3;

FailureOr<SmallVector<Value>> importBranch(NnapiOperation &op, uint32_t reference, ArrayRef<Value> values,
                                           Region *region) {
  BranchImporter branch(op, reference, kIfValues);
  if (failed(branch.checkSignature(op.numOutputs())))
    return failure();
  for (auto [index, value] : llvm::enumerate(values))
    branch.bind(index, value, knownValue(op, kIfValues, index));
  return region ? branch.runIn(*region) : branch.run();
}

/// Imports only the branch of a known condition, in place.
LogicalResult takeBranch(NnapiOperation &op, bool condition, ArrayRef<Value> values) {
  FailureOr<SmallVector<Value>> outputs = importBranch(op, condition ? 1 : 2, values, nullptr);
  return failed(outputs) ? failure() : finishSubgraph(op, *outputs);
}

/// A condition for a support query, in which both branches must pass although the condition is known.
Value openCondition(NnapiOperation &op) {
  func::FuncOp function = op.import().function;
  const unsigned index = function.getNumArguments();
  auto type = RankedTensorType::get({1}, op.builder().getI1Type());
  auto name = op.builder().getStringAttr("input" + Twine(index));
  if (failed(function.insertArgument(index, type, op.builder().getDictionaryAttr({}), op.location())))
    return {};
  function.setArgAttr(index, nn::kNameAttr, name);
  return function.getArgument(index);
}

LogicalResult convertIf(NnapiOperation &op) {
  if (failed(checkReferences(op, 1)))
    return failure();
  if (!op.hasInput(0))
    return op.malformed("lacks its condition");
  FailureOr<SmallVector<Value>> values = passedValues(op, kIfValues);
  if (failed(values))
    return failure();
  std::span<const uint8_t> known = op.graph().data(op.inputIndex(0));
  if (known.size() == 1 && !op.import().isQuery)
    return takeBranch(op, known[0] != 0, *values);
  Value condition = known.size() == 1 ? openCondition(op) : op.value(0, "condition");
  if (!condition)
    return failure();
  if (!isCondition(condition))
    return op.malformed("has a condition that is no boolean of one element");
  std::array<Region, 2> branches;
  for (uint32_t i = 0; i < 2; ++i) {
    branches[i].emplaceBlock();
    FailureOr<SmallVector<Value>> given = importBranch(op, 1 + i, *values, &branches[i]);
    if (failed(given) || failed(checkResults(op, *given)))
      return failure();
  }
  nn::IfOp created = createIf(op, condition, branches[0], branches[1]);
  return created ? finishSubgraph(op, created.getResults()) : failure();
}

constexpr uint32_t kWhileValues = 2;

/// Imports the condition (reference 0) or the body (1) of a loop; the first `carried` values are loop-carried.
FailureOr<SmallVector<Value>> importTurn(NnapiOperation &op, uint32_t reference, uint32_t outputs,
                                         ArrayRef<Value> values, uint32_t carried, Region &region) {
  BranchImporter turn(op, reference, kWhileValues);
  if (failed(turn.checkSignature(outputs)))
    return failure();
  Block &block = region.emplaceBlock();
  for (auto [index, value] : llvm::enumerate(values)) {
    if (index < carried)
      turn.bind(index, block.addArgument(value.getType(), op.location()), {});
    else
      turn.bind(index, value, knownValue(op, kWhileValues, index));
  }
  return turn.runIn(region);
}

LogicalResult checkCarried(NnapiOperation &op, ArrayRef<Value> values, uint32_t carried) {
  if (carried < op.numOutputs() || carried > values.size())
    return op.malformed("has a body with " + Twine(carried) + " outputs, must have " + Twine(op.numOutputs()) + " to " +
                        Twine(values.size()));
  for (uint32_t index = 0; index < carried; ++index)
    if (!values[index])
      return op.malformed("lacks the initial value of its input " + Twine(kWhileValues + index));
  return success();
}

/// A loop whose iterations are imported one after the other. Its values may change their shapes.
class UnrolledLoop {
public:
  UnrolledLoop(NnapiOperation &op, ArrayRef<Value> values, uint32_t carried)
      : op_(op), values_(values), carried_(carried) {
    for (size_t index = 0; index < values.size(); ++index)
      known_.push_back(knownValue(op, kWhileValues, index));
  }

  LogicalResult run() {
    for (int64_t iteration = 0; iteration <= kMostIterations; ++iteration) {
      FailureOr<bool> goesOn = condition(iteration == 0);
      if (failed(goesOn) || !*goesOn)
        return failed(goesOn) ? failure() : finishSubgraph(op_, ArrayRef(values_).take_front(op_.numOutputs()));
      if (failed(iterate()))
        return failure();
    }
    op_.import().tooLarge = true;
    return op_.refuse("", "iterations of a loop that compilation unrolls", "more", Twine(kMostIterations));
  }

  /// After a failure that was not reported: the device computes the condition, so it has to run the loop.
  bool hasOpenCondition() const { return hasOpenCondition_; }

private:
  void bind(BranchImporter &turn) {
    for (auto [index, value] : llvm::enumerate(values_))
      turn.bind(static_cast<uint32_t>(index), value, known_[index]);
  }

  FailureOr<bool> condition(bool isFirst) {
    BranchImporter turn(op_, 0, kWhileValues);
    if (failed(turn.checkSignature(1)))
      return failure();
    bind(turn);
    if (failed(turn.run()))
      return failure();
    hasOpenCondition_ = isFirst && turn.known(0).size() != 1;
    if (hasOpenCondition_)
      return failure();
    if (turn.known(0).size() != 1)
      return op_.refuse("condition",
                        "is known before the device runs, as the shapes or slices of the body depend on it",
                        "a computed value");
    return turn.known(0).front() != 0;
  }

  LogicalResult iterate() {
    BranchImporter turn(op_, 1, kWhileValues);
    if (failed(turn.checkSignature(carried_)))
      return failure();
    bind(turn);
    FailureOr<SmallVector<Value>> next = turn.run();
    if (failed(next))
      return failure();
    for (uint32_t index = 0; index < carried_; ++index) {
      values_[index] = (*next)[index];
      known_[index] = turn.known(index);
    }
    return success();
  }

  NnapiOperation &op_;
  SmallVector<Value> values_;
  SmallVector<std::span<const uint8_t>> known_; ///< elements of values_, empty if they are not known
  const uint32_t carried_;
  bool hasOpenCondition_ = false;
};

LogicalResult convertWhile(NnapiOperation &op) {
  if (failed(checkReferences(op, 0)))
    return failure();
  FailureOr<SmallVector<Value>> values = passedValues(op, kWhileValues);
  if (failed(values))
    return failure();
  const uint32_t carried = BranchImporter(op, 1, kWhileValues).numOutputs();
  if (failed(checkCarried(op, *values, carried)))
    return failure();
  if (op.isUnrolledLoop()) {
    UnrolledLoop loop(op, *values, carried);
    const LogicalResult unrolled = loop.run();
    if (!loop.hasOpenCondition())
      return unrolled;
  }
  Region condition, body;
  if (failed(importTurn(op, 0, 1, *values, carried, condition)) ||
      failed(importTurn(op, 1, carried, *values, carried, body)))
    return failure();
  SmallVector<Value> inits(values->begin(), values->begin() + carried);
  nn::WhileOp created = createWhile(op, inits, condition, body);
  return created ? finishSubgraph(op, created.getResults().take_front(op.numOutputs())) : failure();
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::If, 3, UINT32_MAX, 0, convertIf},
    {OperationType::While, 2, UINT32_MAX, 0, convertWhile, loopChoices},
};

} // namespace

ArrayRef<NnapiConverter> nnapiControlFlowConverters() { return kConverters; }

} // namespace avocet::compiler
