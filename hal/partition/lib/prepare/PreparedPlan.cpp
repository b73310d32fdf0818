//===- PreparedPlan.cpp - Compiled steps ----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/PreparedPlan.h"

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

namespace avocet::hal::partition {
namespace {

class PlanPreparation {
public:
  PlanPreparation(std::shared_ptr<const Model> model, std::shared_ptr<IDevice> cpu, const PartitionOptions &options)
      : cpu_(std::move(cpu)), options_(options), result_(std::make_shared<PreparedPlan>()) {
    result_->model = std::move(model);
  }

  Result<std::shared_ptr<PreparedPlan>> prepare(Plan plan) {
    for (auto &[index, steps] : plan.subgraphs) {
      std::vector<PreparedStep> &prepared = result_->subgraphs[index];
      for (PlanStep &step : steps) {
        prepared.emplace_back();
        prepared.back().plan = std::move(step);
        AVOCET_RETURN_IF_ERROR(prepareStep(index, prepared.back()));
      }
    }
    AVOCET_RETURN_IF_ERROR(shareConstants());
    result_->whole =
        std::make_unique<CpuCopy>(result_->model, hasVendorOperation(*result_->model) ? nullptr : cpu_, options_);
    return std::move(result_);
  }

private:
  std::shared_ptr<IDevice> cpuFor(const PlanStep &step) const {
    return step.device == cpu_ || hasVendorOperation(step.model) ? nullptr : cpu_;
  }

  Outcome prepareStep(uint32_t subgraph, PreparedStep &step) {
    PlanStep &plan = step.plan;
    if (plan.kind != StepDescription::Kind::Device) {
      for (uint32_t input : result_->subgraph(subgraph).operations[plan.operations.front()].inputs)
        hostInputs_.emplace_back(subgraph, input);
      return success();
    }
    countTemporaries(plan);
    std::vector<SourceOperation> operations;
    for (uint32_t operation : plan.operations)
      operations.emplace_back(subgraph, operation);
    auto prepared = compile(*plan.device, plan.model, operations, options_);
    if (const std::shared_ptr<IDevice> cpu = cpuFor(plan); !prepared && mayRepeat(prepared.code()) && cpu != nullptr) {
      logFallback("preparation of a step", *plan.device, prepared.error());
      notify(options_, PartitionEvent::CpuFallback);
      plan.device = cpu;
      prepared = compile(*cpu, plan.model, operations, options_);
    }
    if (!prepared)
      return error(prepared.code(), fmt::format("step on {}: {}", plan.device->name(), prepared.error().message));
    step.prepared = std::move(prepared).value();
    if (step.prepared == nullptr)
      return generalFailure(fmt::format("step on {}: the device returned no model", plan.device->name()));
    step.sizes = std::vector<std::atomic<uint64_t>>(plan.outputs.size());
    step.cpu = makeCopy(plan);
    return success();
  }

  std::unique_ptr<CpuCopy> makeCopy(PlanStep &plan) const {
    const std::shared_ptr<IDevice> cpu = cpuFor(plan);
    if (cpu == nullptr)
      plan.model.operandValues = {}; // the step is never compiled again
    return std::make_unique<CpuCopy>(cpu != nullptr ? std::make_shared<const Model>(plan.model) : nullptr, cpu,
                                     options_);
  }

  void countTemporaries(const PlanStep &step) {
    for (uint32_t output : step.model.main.outputIndexes)
      if (auto size = getNonExtensionSize(step.model.main.operands[output]))
        result_->temporaryBytes += *checkedRoundUp(*size, kPreferredAlignment);
  }

  /// Constants in the model's bytes get a memory, since requests name memories. Those in pools stay there.
  Outcome shareConstants() {
    uint64_t bytes = 0;
    for (const auto &[subgraph, index] : hostInputs_)
      if (const Operand &operand = result_->subgraph(subgraph).operands[index]; isConstant(operand.lifetime)) {
        Value value;
        value.state = Value::State::Set;
        value.location = {0, bytes, operand.location.length, 0};
        value.dimensions = operand.dimensions;
        if (operand.lifetime == OperandLifeTime::ConstantReference) {
          value.location.offset = operand.location.offset;
          value.pool = result_->model->pools[operand.location.poolIndex];
        } else {
          bytes += *checkedRoundUp(operand.location.length, kPreferredAlignment);
        }
        result_->constants[{subgraph, index}] = std::move(value);
      }
    return bytes == 0 ? success() : copyConstants(bytes);
  }

  Outcome copyConstants(uint64_t bytes) {
    auto chunk = Chunk::make("avocet-constants", bytes);
    if (!chunk)
      return chunk.error();
    for (auto &[key, value] : result_->constants) {
      const Operand &operand = result_->subgraph(key.first).operands[key.second];
      if (operand.lifetime != OperandLifeTime::ConstantCopy)
        continue;
      const auto begin = result_->model->operandValues.begin() + static_cast<ptrdiff_t>(operand.location.offset);
      std::copy_n(begin, operand.location.length,
                  (*chunk)->bytes().begin() + static_cast<ptrdiff_t>(value.location.offset));
      value.pool = (*chunk)->memory();
    }
    return success();
  }

  const std::shared_ptr<IDevice> cpu_;
  const PartitionOptions &options_;
  std::shared_ptr<PreparedPlan> result_;
  std::vector<std::pair<uint32_t, uint32_t>> hostInputs_;
};

} // namespace

Result<std::shared_ptr<PreparedPlan>> preparePlan(std::shared_ptr<const Model> model, Plan plan,
                                                  const std::shared_ptr<IDevice> &cpu,
                                                  const PartitionOptions &options) {
  return PlanPreparation(std::move(model), cpu, options).prepare(std::move(plan));
}

} // namespace avocet::hal::partition
