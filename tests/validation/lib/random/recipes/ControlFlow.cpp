//===- ControlFlow.cpp - Branches and loops -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subgraphs are drawn as the graph is. They begin with values of the graph as inputs. Inputs that drawing adds to one
// subgraph are added to the other too, and passed to both.
//
//===----------------------------------------------------------------------===//

#include "../ControlFlow.h"
#include "../Recipes.h"

#include <algorithm>
#include <numeric>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

constexpr std::string_view kPassedTypes = "fhiusb";
constexpr int32_t kMaxTurns = 4;

void addInput(Graph &subgraph, Value value) {
  value.role = ValueRole::Input;
  subgraph.values.push_back(std::move(value));
}

void pass(Draft &draft, ControlFlow &flow, Graph &subgraph, uint32_t value) {
  addInput(subgraph, draft.at(value));
  flow.passed.push_back(value);
}

/// Inputs that drawing has added become inputs or constants of the graph.
void passNewInputs(Draft &draft, ControlFlow &flow, const Graph &subgraph) {
  const std::vector<uint32_t> inputs = inputsOf(subgraph);
  for (size_t i = flow.passed.size(); i < inputs.size(); ++i) {
    Value value = subgraph.values[inputs[i]];
    value.role = draft.random().percent(30) ? ValueRole::Constant : ValueRole::Input;
    flow.passed.push_back(draft.add(std::move(value)));
  }
}

/// Adds the inputs of `later` that `earlier` lacks.
void addMissingInputs(Graph &earlier, const Graph &later) {
  const std::vector<uint32_t> inputs = inputsOf(later);
  for (size_t i = inputsOf(earlier).size(); i < inputs.size(); ++i)
    addInput(earlier, later.values[inputs[i]]);
}

std::vector<uint32_t> possibleOutputs(const Graph &subgraph) {
  std::vector<uint32_t> results;
  for (uint32_t i = 0; i < subgraph.values.size(); ++i)
    if (mayLeaveSubgraph(subgraph.values[i]) && std::ranges::find(subgraph.outputs, i) == subgraph.outputs.end())
      results.push_back(i);
  return results;
}

/// One or two outputs. False: no result can be one.
bool chooseOutputs(Random &random, Graph &subgraph) {
  for (uint32_t wanted = random.extent(1, 2); wanted > 0; --wanted)
    if (const std::vector<uint32_t> possible = possibleOutputs(subgraph); !possible.empty())
      subgraph.outputs.push_back(random.oneOf(possible));
  return !subgraph.outputs.empty();
}

/// An operation whose result has type, extents and quantization of `like`.
bool appendLike(SubgraphDrawer &drawer, Graph &subgraph, const Value &like) {
  const OperationType type = like.type == TensorBool8 ? LogicalAnd : Add;
  return drawer.append(subgraph, type, [&](Draft &draft) {
    const uint32_t first = draft.pickShape(like, like.dimensions, true);
    draft.inputs({first, draft.pickShape(like, like.dimensions, true)});
    if (type == Add)
      draft.input(anyActivation(draft));
    draft.outputLike(first, rankOf(like));
    return true;
  });
}

/// A result like `like` becomes the next output: one that exists, else a new one.
bool addOutputLike(Draft &draft, Graph &subgraph, Value like) {
  std::vector<uint32_t> fitting = possibleOutputs(subgraph);
  std::erase_if(fitting, [&](uint32_t value) { return !isSameKind(subgraph.values[value], like); });
  if (fitting.empty()) {
    if (!appendLike(draft.drawer(), subgraph, like))
      return false;
    fitting = subgraph.operations.back().outputs;
  }
  subgraph.outputs.push_back(draft.random().oneOf(fitting));
  return true;
}

/// Adds the operands, and the first `numResults` outputs of the subgraphs as results.
void addOperands(Draft &draft, ControlFlow flow, size_t numResults) {
  prune(flow);
  if (flow.chooser)
    draft.input(*flow.chooser);
  for (const Graph &subgraph : flow.graphs)
    draft.input(draft.add(subgraphValue(subgraph)));
  for (uint32_t value : flow.passed)
    draft.input(value);
  const Graph &last = flow.graphs.back();
  for (size_t i = 0; i < numResults; ++i) {
    const Value &like = last.values[last.outputs[i]];
    draft.output(like.type, rankOf(like), like.scale, like.zeroPoint);
  }
}

bool branches(Draft &draft) {
  if (!draft.drawer().mayDraw())
    return false;
  Value truth;
  truth.type = TensorBool8;
  ControlFlow flow;
  flow.chooser = draft.pickShape(truth, {1});
  auto &[first, second] = flow.graphs;
  for (uint32_t count = draft.random().extent(1, 4); count > 0; --count)
    pass(draft, flow, first, draft.pick(kPassedTypes));
  draft.drawer().grow(first, draft.random().extent(1, 4));
  if (!chooseOutputs(draft.random(), first))
    return false;
  second = inputsAlone(first);
  draft.drawer().grow(second, draft.random().extent(0, 3));
  for (uint32_t output : first.outputs)
    if (!addOutputLike(draft, second, first.values[output]))
      return false;
  addMissingInputs(first, second);
  passNewInputs(draft, flow, first);
  const size_t numResults = first.outputs.size();
  addOperands(draft, std::move(flow), numResults);
  return true;
}

/// A number for a loop: known before the loop runs, or not.
uint32_t number(Draft &draft, int32_t value) {
  const uint32_t constant = draft.integers({value});
  if (draft.random().percent(60))
    return constant;
  Value input = draft.at(constant);
  input.role = ValueRole::Input;
  return draft.add(std::move(input));
}

/// A loop while a counter, the first state, is below a bound.
class LoopDraft {
public:
  explicit LoopDraft(Draft &draft) : draft_(draft), random_(draft.random()) { flow_.type = While; }

  bool make() {
    passStart();
    draft_.drawer().grow(body(), random_.extent(1, 3));
    if (random_.flip())
      addLateState();
    draft_.drawer().grow(body(), random_.extent(0, 2));
    if (!addStateOutputs())
      return false;
    sortInputs();
    if (!appendCondition())
      return false;
    addMissingInputs(body(), condition());
    passNewInputs(draft_, flow_, body());
    const size_t numStates = states_.size();
    const auto numResults = random_.percent(80) ? numStates : random_.extent(1, static_cast<uint32_t>(numStates));
    addOperands(draft_, std::move(flow_), numResults);
    return true;
  }

private:
  Graph &condition() { return flow_.graphs[0]; }
  Graph &body() { return flow_.graphs[1]; }
  SubgraphDrawer &drawer() { return draft_.drawer(); }

  void passState(uint32_t value) {
    states_.push_back(flow_.passed.size());
    pass(draft_, flow_, body(), value);
  }

  /// The counter, perhaps its bound, other states, and values that do not change.
  void passStart() {
    const int32_t start = random_.between(-2, 2);
    bound_ = start + random_.between(0, kMaxTurns);
    passState(number(draft_, start));
    isBoundPassed_ = random_.flip();
    if (isBoundPassed_)
      pass(draft_, flow_, body(), number(draft_, bound_));
    for (uint32_t count = random_.extent(1, 2); count > 0; --count)
      passState(draft_.pick(kPassedTypes));
    for (uint32_t count = random_.extent(0, 2); count > 0; --count)
      pass(draft_, flow_, body(), draft_.pick(kPassedTypes));
  }

  /// A state like a result of the body, so that later operations read what an earlier iteration computed.
  void addLateState() {
    const std::vector<uint32_t> possible = possibleOutputs(body());
    if (possible.empty())
      return;
    const Value like = body().values[random_.oneOf(possible)];
    passNewInputs(draft_, flow_, body());
    passState(draft_.freshLike(like, like.dimensions, ValueRole::Input));
  }

  bool addStateOutputs() {
    const uint32_t counter = inputsOf(body())[states_.front()];
    const bool isCounted = drawer().append(body(), Add, [&](Draft &draft) {
      draft.inputs({counter, draft.integers({1}), draft.integer(0)});
      draft.outputLike(counter, 1);
      return true;
    });
    if (!isCounted)
      return false;
    body().outputs = body().operations.back().outputs;
    for (size_t i = 1; i < states_.size(); ++i)
      if (!addOutputLike(draft_, body(), body().values[inputsOf(body())[states_[i]]]))
        return false;
    passNewInputs(draft_, flow_, body());
    return true;
  }

  /// States come first, then the bound.
  void sortInputs() {
    std::vector<size_t> order = states_;
    for (size_t i = 0; i < flow_.passed.size(); ++i)
      if (std::ranges::find(states_, i) == states_.end())
        order.push_back(i);
    condition() = inputsAlone(body());
    passOnly(flow_, order);
  }

  bool appendCondition() {
    const bool isCompared = drawer().append(condition(), Less, [&](Draft &draft) {
      const auto bound = static_cast<uint32_t>(states_.size());
      draft.inputs({0, isBoundPassed_ ? bound : draft.integers({bound_})});
      draft.output(TensorBool8, 1);
      return true;
    });
    if (!isCompared || (random_.percent(30) && !narrowCondition()))
      return false;
    condition().outputs = condition().operations.back().outputs;
    return true;
  }

  /// The loop also ends when no element of a state is above some value, which the device finds while it runs.
  bool narrowCondition() {
    const auto state = static_cast<uint32_t>(random_.below(states_.size()));
    const Value like = condition().values[state];
    if (like.type == TensorBool8)
      return true;
    auto append = [&](OperationType type, auto addInputs) {
      const uint32_t rank = type == Greater ? rankOf(like) : 1;
      return drawer().append(condition(), type, [&](Draft &draft) {
        addInputs(draft);
        draft.output(TensorBool8, rank);
        return true;
      });
    };
    auto last = [&] { return condition().operations.back().outputs.front(); };
    const uint32_t isBelow = last();
    std::vector<int32_t> axes(rankOf(like));
    std::iota(axes.begin(), axes.end(), 0);
    return append(Greater,
                  [&](Draft &draft) { draft.inputs({state, draft.freshLike(like, {1}, ValueRole::Constant)}); }) &&
           append(ReduceAny,
                  [&](Draft &draft) { draft.inputs({last(), draft.integers(axes), draft.boolean(false)}); }) &&
           append(LogicalAnd, [&](Draft &draft) { draft.inputs({isBelow, last()}); });
  }

  Draft &draft_;
  Random &random_;
  ControlFlow flow_;
  std::vector<size_t> states_; ///< positions among the passed values, until these are sorted
  int32_t bound_ = 0;
  bool isBoundPassed_ = false;
};

bool loop(Draft &draft) { return draft.drawer().mayDraw() && LoopDraft(draft).make(); }

constexpr Recipe kRows[] = {{If, branches}, {While, loop}};

} // namespace

std::span<const Recipe> controlFlowRecipes() { return kRows; }

} // namespace avocet::hal::conformance
