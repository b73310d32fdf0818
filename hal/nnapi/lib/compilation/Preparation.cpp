//===- Preparation.cpp - Prepares a model on its devices ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compilation/Preparation.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/ModelDumps.h"
#include "avocet/hal/types/SaturatedTime.h"
#include "avocet/hal/types/VerboseLog.h"
#include "cache/CacheFolder.h"
#include "model/FinishedModel.h"
#include "telemetry/Counters.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::nnapi {
namespace {

std::vector<bool> supportOf(const Device &device, const hal::Model &model) {
  auto answer = device.hal()->getSupportedOperations(model);
  if (answer.isOk() && answer->supported.size() == model.main.operations.size())
    return std::move(answer->supported);
  logMessage(LogLevel::Warning, "nnapi", "device {} does not tell what it supports: {}", device.name(),
             answer.isOk() ? "its answer has another length" : answer.error().message);
  return std::vector<bool>(model.main.operations.size());
}

void note(hal::PartitionEvent event) {
  Counters &counters = Counters::instance();
  ++(event == hal::PartitionEvent::StepFromCache ? counters.modelsFromCache : counters.cpuFallbacks);
}

/// `options` must outlive the result.
hal::StepCacheFiles cacheFilesFor(const CompilationOptions &options) {
  if (!options.cache.has_value())
    return {};
  return
      [&options](const hal::IDevice &device, std::span<const hal::SourceOperation> step, hal::StepCacheAccess access) {
        return openCacheFiles(*options.cache, tokenFor(options, device, step), device.numberOfCacheFilesNeeded(),
                              access == hal::StepCacheAccess::Created ? CacheAccess::Created : CacheAccess::Existing)
            .value_or(hal::CacheFiles());
      };
}

hal::PartitionOptions partitionOptions(const CompilationOptions &options) {
  hal::PartitionOptions made;
  made.preference = options.preference;
  made.priority = options.priority;
  made.hints = options.hints;
  made.extensionNameToPrefix = options.extensions;
  if (options.timeout.has_value())
    made.deadline = hal::later(hal::BootClock::now(), *options.timeout);
  made.fallback = options.mayFallBack ? hal::CpuFallback::Allowed : hal::CpuFallback::Forbidden;
  made.cacheFiles = cacheFilesFor(options);
  made.onEvent = note;
  return made;
}

/// Operations of the main model in steps of devices other than the CPU.
uint64_t operationsOnDevices(const hal::PlanDescription &plan, const hal::IDevice *cpu) {
  uint64_t count = 0;
  for (const hal::StepDescription &step : plan.steps)
    if (step.subgraph == 0 && step.kind == hal::StepDescription::Kind::Device &&
        (cpu == nullptr || step.device != cpu->name()))
      count += step.operations.size();
  return count;
}

/// As a table, and in Graphviz's notation with the tag model.
void logPlan(const hal::PlanDescription &plan, const hal::Model &model) {
  if (hal::isVerbose(hal::VerboseTag::Compilation))
    hal::writeVerbose(hal::VerboseTag::Compilation, "plan:\n" + hal::planTable(plan, model));
  if (hal::isVerbose(hal::VerboseTag::Model))
    hal::writeVerbose(hal::VerboseTag::Model, "plan:\n" + hal::planGraph(plan, model));
}

/// To the folder of the knob, if it is set.
void dump(const FinishedModel &model, const CompilationOptions &options) {
  // Never destroyed, since threads may compile when the process ends.
  static auto *const kDumps =
      knobText(knobs::kNnapiDumps).empty() ? nullptr : new hal::ModelDumps(knobText(knobs::kNnapiDumps));
  if (kDumps == nullptr)
    return;
  std::string names;
  for (const std::shared_ptr<Device> &device : options.devices)
    names += (names.empty() ? "" : ", ") + device->name();
  kDumps->write(names, model.model);
}

/// A single device gets the model without being asked whether it supports it, and its failure does not tell.
ApiError whyNot(const FinishedModel &model, const CompilationOptions &options, const hal::Error &error) {
  if (error.code != hal::ErrorStatus::GeneralFailure)
    return fromHal(error);
  const std::vector<bool> supported = supportedOperations(model, options.devices);
  const auto unsupported = std::ranges::find(supported, false);
  if (unsupported == supported.end())
    return fromHal(error);
  return badData(fmt::format("no device supports operation {}: {}", unsupported - supported.begin(), error.message));
}

} // namespace

ApiResult<Preparation> prepare(const FinishedModel &model, const CompilationOptions &options) {
  if (!model.undefined.empty())
    return badData(fmt::format("operation {} is not defined for its types", model.callOrder[model.undefined.front()]));
  dump(model, options);
  std::vector<std::shared_ptr<hal::IDevice>> devices;
  std::shared_ptr<hal::IDevice> cpu;
  for (const std::shared_ptr<Device> &device : options.devices)
    if (device->isCpu())
      cpu = device->hal();
    else
      devices.push_back(device->hal());
  auto prepared = hal::preparePartitioned(model.model, devices, cpu, partitionOptions(options));
  if (!prepared)
    return whyNot(model, options, prepared.error());
  Counters::instance().partitions += prepared->plan.steps.size();
  logPlan(prepared->plan, model.model);
  const uint64_t onDevices = operationsOnDevices(prepared->plan, cpu.get());
  return Preparation{std::move(prepared->model), std::move(prepared->onlyDevice), onDevices, prepared->memory};
}

std::vector<bool> supportedOperations(const FinishedModel &model, const std::vector<std::shared_ptr<Device>> &devices) {
  std::vector<bool> supported(model.callOrder.size());
  if (model.undefined.size() == supported.size())
    return supported;
  // Positions in the model without its undefined operations.
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < supported.size(); ++i)
    if (!std::ranges::binary_search(model.undefined, i))
      positions.push_back(i);
  const hal::Model asked = model.undefined.empty() ? model.model : withoutOperations(model.model, model.undefined);
  for (const std::shared_ptr<Device> &device : devices) {
    const std::vector<bool> byPosition = supportOf(*device, asked);
    for (size_t i = 0; i < byPosition.size(); ++i)
      if (byPosition[i])
        supported[model.callOrder[positions[i]]] = true;
  }
  return supported;
}

} // namespace avocet::nnapi
