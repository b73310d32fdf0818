//===- Planner.cpp - Divides a model into steps ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Planner.h"

#include "avocet/hal/types/Utils.h"
#include "plan/StepModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

namespace avocet::hal::partition {
namespace {

/// Operations whose results reach an output of the subgraph.
std::vector<bool> liveOperations(const Subgraph &subgraph) {
  std::vector<bool> isNeeded(subgraph.operands.size());
  for (uint32_t output : subgraph.outputIndexes)
    isNeeded[output] = true;
  std::vector<bool> isLive(subgraph.operations.size());
  for (size_t i = subgraph.operations.size(); i-- > 0;) {
    const Operation &operation = subgraph.operations[i];
    isLive[i] = std::ranges::any_of(operation.outputs, [&](uint32_t output) { return isNeeded[output]; });
    if (isLive[i])
      for (uint32_t input : operation.inputs)
        isNeeded[input] = true;
  }
  return isLive;
}

/// Groups the live operations of a subgraph into steps, in an order in which each step finds its inputs. The host's
/// operations come first, since others often wait for them; then a device takes everything that it can.
class StepOrder {
public:
  /// `owner`: for each operation a device, or `host`.
  StepOrder(const Subgraph &subgraph, const std::vector<bool> &isLive, std::vector<size_t> owner, size_t host)
      : subgraph_(subgraph), owner_(std::move(owner)), ready_(host + 1), missing_(subgraph.operations.size()),
        uses_(subgraph, isLive) {
    std::vector<bool> isWritten(subgraph.operands.size());
    for (const Operation &operation : subgraph.operations)
      for (uint32_t output : operation.outputs)
        isWritten[output] = true;
    for (uint32_t i = 0; i < subgraph.operations.size(); ++i) {
      missing_[i] = std::ranges::count_if(subgraph.operations[i].inputs, [&](uint32_t in) { return isWritten[in]; });
      if (isLive[i] && missing_[i] == 0)
        ready_[owner_[i]].push_back(i);
    }
  }

  const OperandUses &uses() const { return uses_; }

  /// The next step's owner and operations; empty at the end.
  std::pair<size_t, std::vector<uint32_t>> next() {
    const auto place = std::find_if(ready_.rbegin(), ready_.rend(), [](const auto &queue) { return !queue.empty(); });
    std::vector<uint32_t> taken;
    if (place == ready_.rend())
      return {0, taken};
    const size_t owner = static_cast<size_t>(ready_.rend() - place) - 1;
    const size_t most = owner + 1 == ready_.size() ? 1 : subgraph_.operations.size();
    while (!place->empty() && taken.size() < most) {
      taken.push_back(place->front());
      place->pop_front();
      finish(taken.back());
    }
    std::ranges::sort(taken);
    return {owner, taken};
  }

private:
  void finish(uint32_t operation) {
    for (uint32_t output : subgraph_.operations[operation].outputs)
      for (uint32_t reader : uses_.readers(output))
        if (--missing_[reader] == 0)
          ready_[owner_[reader]].push_back(reader);
  }

  const Subgraph &subgraph_;
  const std::vector<size_t> owner_;
  std::vector<std::deque<uint32_t>> ready_; ///< by owner; the host is the last
  std::vector<int64_t> missing_;            ///< inputs that are not computed yet, by operation
  OperandUses uses_;
};

/// Notes after which step no other one reads an operand.
void findReleases(const Subgraph &subgraph, std::vector<PlanStep> &steps) {
  std::vector<bool> isDone(subgraph.operands.size());
  for (uint32_t output : subgraph.outputIndexes)
    isDone[output] = true;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    for (const std::vector<uint32_t> *list : {&step->inputs, &step->outputs})
      for (uint32_t operand : *list)
        if (!isDone[operand]) {
          isDone[operand] = true;
          step->released.push_back(operand);
        }
}

class Planner {
public:
  Planner(const Model &model, const Candidates &candidates) : model_(model), candidates_(candidates) {}

  Result<Plan> plan(bool mayPartition) {
    // The only device gets what it cannot do too: its refusal is the best explanation.
    if (candidates_.devices.size() == 1 && !candidates_.hasCpu && !hasControlFlow()) {
      plan_.onlyDevice = candidates_.devices.front();
      return std::move(plan_);
    }
    const std::vector<bool> isOpen = openControlFlow(model_, model_.main);
    const DeviceChoice choice(candidates_, model_, isOpen);
    if (std::optional<size_t> all = mayPartition ? commonDevice(choice) : choice.forAll()) {
      plan_.onlyDevice = candidates_.devices[*all];
      return std::move(plan_);
    }
    if (!mayPartition)
      return refuseWhole(choice);
    AVOCET_RETURN_IF_ERROR(planSubgraph(0, model_, choice));
    while (!queued_.empty())
      AVOCET_RETURN_IF_ERROR(planNext());
    return std::move(plan_);
  }

private:
  bool hasControlFlow() const {
    return std::ranges::any_of(model_.main.operations, [](const Operation &operation) {
      return operation.type == OperationType::If || operation.type == OperationType::While;
    });
  }

  /// The device that is the best one for each operation.
  std::optional<size_t> commonDevice(const DeviceChoice &choice) const {
    const std::optional<size_t> first = choice.of(0);
    for (size_t i = 1; i < model_.main.operations.size(); ++i)
      if (choice.of(i) != first)
        return std::nullopt;
    return first;
  }

  Error refuseWhole(const DeviceChoice &choice) const {
    for (size_t i = 0; i < model_.main.operations.size(); ++i)
      if (!choice.of(i))
        return refuse(0, i, choice);
    return invalidArgument("no device supports all operations of the model, and it must not be divided");
  }

  Error refuse(uint32_t subgraph, size_t operation, const DeviceChoice &choice) const {
    return invalidArgument(
        fmt::format("{}operation {} ({}): no device supports it ({})",
                    subgraph == 0 ? std::string() : fmt::format("subgraph {}, ", subgraph - 1), operation,
                    operationName(subgraphOf(model_, subgraph).operations[operation].type), choice.reasons(operation)));
  }

  Outcome planNext() {
    const auto [index, depth] = *queued_.begin();
    queued_.erase(queued_.begin());
    if (depth > kMaxNesting)
      return generalFailure(fmt::format("subgraph {}: more than {} branches and loops inside each other that no device "
                                        "supports",
                                        index - 1, kMaxNesting));
    depth_ = depth;
    Model model = model_;
    model.main = subgraphOf(model_, index);
    const std::vector<bool> isOpen = openControlFlow(model, model.main);
    return planSubgraph(index, model, DeviceChoice(candidates_, model, isOpen));
  }

  /// `model`: the subgraph as the main one.
  Outcome planSubgraph(uint32_t index, const Model &model, const DeviceChoice &choice) {
    const Subgraph &subgraph = model.main;
    const std::vector<bool> isLive = liveOperations(subgraph);
    const size_t host = candidates_.devices.size();
    std::vector<size_t> owner(subgraph.operations.size());
    for (size_t i = 0; i < owner.size(); ++i) {
      const OperationType type = subgraph.operations[i].type;
      const bool isControlFlow = type == OperationType::If || type == OperationType::While;
      if (isLive[i] && !choice.of(i) && !isControlFlow)
        return refuse(index, i, choice);
      owner[i] = choice.of(i).value_or(host);
    }
    StepOrder order(subgraph, isLive, std::move(owner), host);
    std::vector<PlanStep> &steps = plan_.subgraphs[index];
    for (auto [device, operations] = order.next(); !operations.empty(); std::tie(device, operations) = order.next())
      steps.push_back(device == host ? hostStep(subgraph, operations)
                                     : deviceStep(model, device, std::move(operations), order.uses()));
    findReleases(subgraph, steps);
    return success();
  }

  PlanStep deviceStep(const Model &model, size_t device, std::vector<uint32_t> operations,
                      const OperandUses &uses) const {
    PlanStep step;
    step.device = candidates_.devices[device];
    step.operations = std::move(operations);
    buildStepModel(model, model.main, uses, step);
    return step;
  }

  PlanStep hostStep(const Subgraph &subgraph, const std::vector<uint32_t> &operations) {
    const Operation &operation = subgraph.operations[operations.front()];
    PlanStep step;
    step.kind = operation.type == OperationType::If ? StepDescription::Kind::If : StepDescription::Kind::While;
    step.operations = operations;
    step.outputs = operation.outputs;
    for (uint32_t input : operation.inputs)
      if (subgraph.operands[input].lifetime == OperandLifeTime::Subgraph)
        queue(static_cast<uint32_t>(subgraph.operands[input].location.offset) + 1);
      else if (!isConstant(subgraph.operands[input].lifetime))
        step.inputs.push_back(input);
    return step;
  }

  void queue(uint32_t subgraph) {
    uint32_t &depth = depths_[subgraph];
    if (depth != 0 && depth >= depth_ + 1)
      return;
    depth = depth_ + 1;
    queued_[subgraph] = depth;
  }

  const Model &model_;
  const Candidates &candidates_;
  Plan plan_;
  uint32_t depth_ = 0; ///< of the subgraph that is planned
  std::map<uint32_t, uint32_t> depths_;
  std::map<uint32_t, uint32_t> queued_; ///< subgraphs to plan, and their depths
};

} // namespace

Result<Plan> makePlan(const Model &model, const Candidates &candidates, bool mayPartition) {
  return Planner(model, candidates).plan(mayPartition);
}

} // namespace avocet::hal::partition
