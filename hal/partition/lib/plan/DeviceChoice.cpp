//===- DeviceChoice.cpp - The best device for operations ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/DeviceChoice.h"

#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "plan/Work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>

namespace avocet::hal::partition {

DeviceChoice::DeviceChoice(const Candidates &candidates, const Model &model, const std::vector<bool> &isOpenControlFlow)
    : candidates_(candidates), model_(model), isOpenControlFlow_(isOpenControlFlow) {
  for (size_t device = 0; device < candidates.devices.size(); ++device)
    answers_.push_back(ask(device));
  chooseForEach();
  moveRegions(model_, operationTimes(), best_);
  if (isVerbose(VerboseTag::Compilation))
    logChoices();
}

/// "operation 2 (ADD): npu; costs npu 0.5, cpu 1", with the reasons of devices that do not support it.
void DeviceChoice::logChoices() const {
  for (size_t i = 0; i < best_.size(); ++i) {
    std::string costs;
    for (size_t device = 0; device < answers_.size(); ++device)
      if (answers_[device].supported[i])
        costs += fmt::format("{}{} {:.3g}", costs.empty() ? "; costs " : ", ", candidates_.devices[device]->name(),
                             answers_[device].costs[i]);
    writeVerbose(VerboseTag::Compilation,
                 fmt::format("partition: operation {} ({}): {}{}", i, operationName(model_.main.operations[i].type),
                             best_[i] ? candidates_.devices[*best_[i]]->name() : "no device, " + reasons(i), costs));
  }
}

DeviceChoice::Answer DeviceChoice::ask(size_t device) const {
  const IDevice &object = *candidates_.devices[device];
  const std::vector<Operation> &operations = model_.main.operations;
  Answer answer;
  answer.supported.resize(operations.size());
  if (auto supported = object.getSupportedOperations(model_); !supported)
    answer.error = supported.error().message;
  else if (supported->supported.size() != operations.size())
    answer.error = fmt::format("it answered for {} operations of {}", supported->supported.size(), operations.size());
  else
    answer = {std::move(supported->supported), std::move(supported->reasons), "", {}};

  const CostModel costs(object.capabilities(), model_, [](const Subgraph &subgraph, const Operation &operation) {
    constexpr double kLeast = 1; // an operation of unknown size counts little
    return static_cast<float>(std::max(processorTime(subgraph, operation).value_or(kLeast), kLeast));
  });
  for (size_t i = 0; i < operations.size(); ++i) {
    if (isOpenControlFlow_[i] && candidates_.hasCpu && !candidates_.isCpu(device))
      answer.supported[i] = false;
    const PerformanceInfo info = costs.of(model_.main, operations[i]);
    answer.costs.push_back(candidates_.preference == ExecutionPreference::LowPower ? info.powerUsage : info.execTime);
  }
  return answer;
}

OperationTimes DeviceChoice::operationTimes() const {
  OperationTimes times;
  for (const Answer &answer : answers_) {
    std::vector<std::optional<float>> &of = times.emplace_back(answer.costs.begin(), answer.costs.end());
    for (size_t i = 0; i < of.size(); ++i)
      if (!answer.supported[i])
        of[i].reset();
  }
  return times;
}

bool DeviceChoice::isBetter(size_t device, float cost, const std::optional<size_t> &best, float bestCost) const {
  return !best || cost < bestCost || (cost == bestCost && candidates_.isCpu(device));
}

void DeviceChoice::chooseForEach() {
  best_.resize(model_.main.operations.size());
  for (size_t i = 0; i < best_.size(); ++i)
    for (size_t device = 0; device < answers_.size(); ++device)
      if (answers_[device].supported[i] &&
          isBetter(device, answers_[device].costs[i], best_[i], best_[i] ? answers_[*best_[i]].costs[i] : 0))
        best_[i] = device;
}

std::optional<size_t> DeviceChoice::forAll() const {
  std::optional<size_t> best;
  float bestCost = 0;
  for (size_t device = 0; device < answers_.size(); ++device) {
    const Answer &answer = answers_[device];
    float cost = 0;
    for (float one : answer.costs)
      cost = std::min(cost + one, FLT_MAX);
    if (!std::ranges::all_of(answer.supported, std::identity()) || !isBetter(device, cost, best, bestCost))
      continue;
    best = device;
    bestCost = cost;
  }
  return best;
}

std::string DeviceChoice::reasons(size_t operation) const {
  std::string text;
  for (size_t device = 0; device < answers_.size(); ++device) {
    const Answer &answer = answers_[device];
    std::string reason = answer.error;
    if (reason.empty() && operation < answer.reasons.size())
      reason = fmt::format("{} {} {}", answer.reasons[operation].operand, answer.reasons[operation].rule,
                           answer.reasons[operation].value);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", candidates_.devices[device]->name(),
                        reason.empty() ? "not supported" : reason);
  }
  return text.empty() ? "there is no device" : text;
}

namespace {

bool hasUnknownSize(const Subgraph &subgraph) {
  return std::ranges::any_of(subgraph.operands, [](const Operand &operand) {
    return operand.lifetime != OperandLifeTime::NoValue && operand.lifetime != OperandLifeTime::Subgraph &&
           !isFullySpecified(operand);
  });
}

/// For each referenced subgraph, whether it or one that it names has an operand of unknown size.
std::vector<bool> openSubgraphs(const Model &model) {
  std::vector<std::vector<size_t>> users(model.referenced.size());
  std::vector<size_t> open;
  std::vector<bool> isOpen(model.referenced.size());
  for (size_t i = 0; i < model.referenced.size(); ++i) {
    for (const Operand &operand : model.referenced[i].operands)
      if (operand.lifetime == OperandLifeTime::Subgraph)
        users[operand.location.offset].push_back(i);
    if (hasUnknownSize(model.referenced[i])) {
      isOpen[i] = true;
      open.push_back(i);
    }
  }
  while (!open.empty()) {
    const size_t index = open.back();
    open.pop_back();
    for (size_t user : users[index])
      if (!isOpen[user]) {
        isOpen[user] = true;
        open.push_back(user);
      }
  }
  return isOpen;
}

} // namespace

std::vector<bool> openControlFlow(const Model &model, const Subgraph &subgraph) {
  const std::vector<bool> isOpen = openSubgraphs(model);
  auto isOpenOperand = [&](uint32_t index) {
    const Operand &operand = subgraph.operands[index];
    if (operand.lifetime == OperandLifeTime::Subgraph)
      return static_cast<bool>(isOpen[operand.location.offset]);
    return operand.lifetime != OperandLifeTime::NoValue && !isFullySpecified(operand);
  };
  std::vector<bool> result;
  for (const Operation &operation : subgraph.operations)
    result.push_back((operation.type == OperationType::If || operation.type == OperationType::While) &&
                     (std::ranges::any_of(operation.inputs, isOpenOperand) ||
                      std::ranges::any_of(operation.outputs, isOpenOperand)));
  return result;
}

} // namespace avocet::hal::partition
