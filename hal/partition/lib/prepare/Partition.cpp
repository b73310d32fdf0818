//===- Partition.cpp - One model on several devices -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/partition/Partition.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "model/FallbackModel.h"
#include "model/PlannedModel.h"
#include "plan/Planner.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::hal {

using namespace partition;

namespace {

Outcome checkOptions(const PartitionOptions &options) {
  AVOCET_RETURN_IF_ERROR(validate(options.preference));
  AVOCET_RETURN_IF_ERROR(validate(options.priority));
  AVOCET_RETURN_IF_ERROR(validate(options.deadline));
  AVOCET_RETURN_IF_ERROR(validate(options.hints, options.extensionNameToPrefix));
  if (options.deadline && *options.deadline <= BootClock::now())
    return error(ErrorStatus::MissedDeadlinePersistent, "the deadline has passed before the preparation");
  return success();
}

StepDescription wholeModel(const Model &model, const IDevice &device) {
  StepDescription step;
  step.device = device.name();
  for (uint32_t i = 0; i < model.main.operations.size(); ++i)
    step.operations.push_back(i);
  step.inputs = model.main.inputIndexes;
  step.outputs = model.main.outputIndexes;
  return step;
}

/// One device for everything. `cpu`: for the fallback, or null.
Result<PartitionedModel> prepareWhole(const Model &model, const std::shared_ptr<IDevice> &device,
                                      const std::shared_ptr<IDevice> &cpu, const PartitionOptions &options) {
  const bool mayFallBack = cpu != nullptr && device != cpu && !hasVendorOperation(model);
  auto prepared = compile(*device, model, {}, options);
  if (!prepared && mayFallBack && mayRepeat(prepared.code())) {
    logFallback("preparation of the model", *device, prepared.error());
    notify(options, PartitionEvent::CpuFallback);
    return prepareWhole(model, cpu, nullptr, options);
  }
  if (!prepared)
    return error(prepared.code(), fmt::format("{}: {}", device->name(), prepared.error().message));
  PartitionedModel result{
      std::move(prepared).value(), device, {{wholeModel(model, *device)}}, device->memoryPreference()};
  if (!mayFallBack)
    return result;
  auto copy = std::make_shared<const Model>(model);
  result.model =
      std::make_shared<FallbackModel>(copy, device, result.model, std::make_unique<CpuCopy>(copy, cpu, options));
  return result;
}

void logPlan(const Plan &plan) {
  if (plan.onlyDevice != nullptr)
    return writeVerbose(VerboseTag::Compilation,
                        fmt::format("partition: the whole model goes to {}", plan.onlyDevice->name()));
  size_t steps = 0;
  for (const auto &[subgraph, list] : plan.subgraphs)
    steps += list.size();
  writeVerbose(VerboseTag::Compilation,
               fmt::format("partition: {} steps in {} subgraphs", steps, plan.subgraphs.size()));
}

PlanDescription describePrepared(const PreparedPlan &prepared) {
  PlanDescription description;
  for (const auto &[subgraph, steps] : prepared.subgraphs)
    for (const PreparedStep &step : steps)
      description.steps.push_back({step.plan.kind, subgraph,
                                   step.plan.device != nullptr ? step.plan.device->name() : "host",
                                   step.plan.operations, step.plan.inputs, step.plan.outputs});
  return description;
}

/// The greatest figures of all steps, since all are powers of two.
MemoryPreference preferenceOf(const PreparedPlan &plan) {
  MemoryPreference preference{1, 1};
  for (const auto &[subgraph, steps] : plan.subgraphs)
    for (const PreparedStep &step : steps) {
      const MemoryPreference own = step.plan.device != nullptr ? step.plan.device->memoryPreference() : preference;
      preference = {std::max(preference.alignment, own.alignment), std::max(preference.padding, own.padding)};
    }
  return preference;
}

} // namespace

Result<PartitionedModel> preparePartitioned(const Model &model, std::span<const std::shared_ptr<IDevice>> devices,
                                            const std::shared_ptr<IDevice> &cpu, const PartitionOptions &options) {
  AVOCET_RETURN_IF_ERROR(validate(model));
  AVOCET_RETURN_IF_ERROR(checkOptions(options));
  Candidates candidates{{devices.begin(), devices.end()}, cpu != nullptr, options.preference};
  if (cpu != nullptr)
    candidates.devices.push_back(cpu);
  if (std::ranges::find(candidates.devices, nullptr) != candidates.devices.end())
    return invalidArgument("a device is null");
  AVOCET_ASSIGN_OR_RETURN(Plan plan, makePlan(model, candidates, options.mayPartition));
  if (isVerbose(VerboseTag::Compilation))
    logPlan(plan);
  const std::shared_ptr<IDevice> fallback = options.fallback == CpuFallback::Allowed ? cpu : nullptr;
  if (plan.onlyDevice != nullptr)
    return prepareWhole(model, plan.onlyDevice, fallback, options);
  auto prepared = preparePlan(std::make_shared<const Model>(model), std::move(plan), fallback, options);
  if (!prepared && fallback != nullptr && mayRepeat(prepared.code()) && !hasVendorOperation(model)) {
    verbose(VerboseTag::CpuExe, "preparation of all steps goes to the CPU: {}", prepared.error().message);
    notify(options, PartitionEvent::CpuFallback);
    return prepareWhole(model, fallback, nullptr, options);
  }
  if (!prepared)
    return prepared.error();
  PlanDescription description = describePrepared(**prepared);
  const MemoryPreference memory = preferenceOf(**prepared);
  return PartitionedModel{std::make_shared<PlannedModel>(std::move(prepared).value()), nullptr, std::move(description),
                          memory};
}

} // namespace avocet::hal
