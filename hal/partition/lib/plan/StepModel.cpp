//===- StepModel.cpp - The model of a step --------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/StepModel.h"

#include "avocet/base/Rounding.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <map>
#include <set>

namespace avocet::hal::partition {

OperandUses::OperandUses(const Subgraph &subgraph, const std::vector<bool> &isLive)
    : readers_(subgraph.operands.size()) {
  for (uint32_t i = 0; i < subgraph.operations.size(); ++i)
    if (isLive[i])
      for (uint32_t input : subgraph.operations[i].inputs)
        readers_[input].push_back(i);
}

namespace {

/// Offsets of copied constants; enough for every element type.
constexpr size_t kConstantAlignment = 8;

/// Copies operands into another model, with the constants, pools and subgraphs that they name.
class ModelCopy {
public:
  ModelCopy(const Model &from, Model &to) : from_(from), to_(to) {
    to_.relaxComputationFloat32toFloat16 = from.relaxComputationFloat32toFloat16;
    to_.extensionNameToPrefix = from.extensionNameToPrefix;
  }

  Operand copy(const Operand &operand) {
    Operand result = operand;
    DataLocation &location = result.location;
    if (operand.lifetime == OperandLifeTime::ConstantCopy)
      location.offset = copyBytes(location);
    else if (operand.lifetime == OperandLifeTime::ConstantReference)
      location.poolIndex = sharePool(location.poolIndex);
    else if (operand.lifetime == OperandLifeTime::Subgraph)
      location.offset = queueSubgraph(static_cast<uint32_t>(location.offset));
    return result;
  }

  /// Copies the subgraphs that were named, and those which they name. No recursion: models nest without a limit.
  void copySubgraphs() {
    for (size_t next = 0; next < queued_.size(); ++next) {
      Subgraph subgraph = from_.referenced[queued_[next]];
      for (Operand &operand : subgraph.operands)
        operand = copy(operand);
      to_.referenced.push_back(std::move(subgraph));
    }
  }

private:
  uint64_t copyBytes(const DataLocation &location) {
    std::vector<uint8_t> &bytes = to_.operandValues;
    bytes.resize(roundUp(bytes.size(), kConstantAlignment));
    const uint64_t offset = bytes.size();
    const auto begin = from_.operandValues.begin() + static_cast<ptrdiff_t>(location.offset);
    bytes.insert(bytes.end(), begin, begin + static_cast<ptrdiff_t>(location.length));
    return offset;
  }

  uint32_t sharePool(uint32_t index) {
    auto [place, isNew] = pools_.try_emplace(index, static_cast<uint32_t>(to_.pools.size()));
    if (isNew)
      to_.pools.push_back(from_.pools[index]);
    return place->second;
  }

  uint32_t queueSubgraph(uint32_t index) {
    auto [place, isNew] = subgraphs_.try_emplace(index, static_cast<uint32_t>(queued_.size()));
    if (isNew)
      queued_.push_back(index);
    return place->second;
  }

  const Model &from_;
  Model &to_;
  std::map<uint32_t, uint32_t> pools_;
  std::map<uint32_t, uint32_t> subgraphs_;
  std::vector<uint32_t> queued_;
};

class StepModelBuilder {
public:
  StepModelBuilder(const Model &model, const Subgraph &subgraph, const OperandUses &uses, PlanStep &step)
      : subgraph_(subgraph), uses_(uses), step_(step), members_(step.operations.begin(), step.operations.end()),
        copy_(model, step.model) {
    for (uint32_t operation : step.operations)
      for (uint32_t output : subgraph.operations[operation].outputs)
        written_.insert(output);
  }

  void build() {
    for (uint32_t index : step_.operations) {
      Operation operation = subgraph_.operations[index];
      for (uint32_t &operand : operation.inputs)
        operand = add(operand);
      for (uint32_t &operand : operation.outputs)
        operand = add(operand);
      step_.model.main.operations.push_back(std::move(operation));
    }
    copy_.copySubgraphs();
  }

private:
  bool isReadOutside(uint32_t operand) const {
    return subgraph_.operands[operand].lifetime == OperandLifeTime::SubgraphOutput ||
           std::ranges::any_of(uses_.readers(operand), [&](uint32_t reader) { return !members_.contains(reader); });
  }

  void makeInput(uint32_t source, uint32_t index) {
    step_.model.main.operands[index].lifetime = OperandLifeTime::SubgraphInput;
    step_.model.main.inputIndexes.push_back(index);
    step_.inputs.push_back(source);
  }

  void makeOutput(uint32_t source, uint32_t index) {
    step_.model.main.operands[index].lifetime = OperandLifeTime::SubgraphOutput;
    step_.model.main.outputIndexes.push_back(index);
    step_.outputs.push_back(source);
  }

  uint32_t add(uint32_t source) {
    std::vector<Operand> &operands = step_.model.main.operands;
    auto [place, isNew] = indices_.try_emplace(source, static_cast<uint32_t>(operands.size()));
    if (!isNew)
      return place->second;
    operands.push_back(copy_.copy(subgraph_.operands[source]));
    const OperandLifeTime lifetime = operands.back().lifetime;
    const bool isVariable = lifetime == OperandLifeTime::TemporaryVariable ||
                            lifetime == OperandLifeTime::SubgraphInput || lifetime == OperandLifeTime::SubgraphOutput;
    if (isVariable && !written_.contains(source))
      makeInput(source, place->second);
    else if (isVariable && isReadOutside(source))
      makeOutput(source, place->second);
    return place->second;
  }

  const Subgraph &subgraph_;
  const OperandUses &uses_;
  PlanStep &step_;
  const std::set<uint32_t> members_;
  std::set<uint32_t> written_;
  std::map<uint32_t, uint32_t> indices_;
  ModelCopy copy_;
};

} // namespace

void buildStepModel(const Model &model, const Subgraph &subgraph, const OperandUses &uses, PlanStep &step) {
  StepModelBuilder(model, subgraph, uses, step).build();
}

} // namespace avocet::hal::partition
