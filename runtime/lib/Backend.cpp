//===- Backend.cpp - Back ends by name --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Backend.h"

#include "NullBackend.h"
#include "PluginBackend.h"
#include "PluginSearch.h"
#include "RecorderBackend.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace avocet::runtime {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, BackendFactory, std::less<>> factories = {{"null", openNullBackend},
                                                                  {"recorder", openRecorderBackend}};
};

Registry &registry() {
  static Registry instance;
  return instance;
}

} // namespace

void registerBackend(std::string_view name, BackendFactory factory) {
  std::lock_guard lock(registry().mutex);
  registry().factories.insert_or_assign(std::string(name), std::move(factory));
}

std::vector<std::string> backendNames() {
  std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto &[name, factory] : registry().factories)
    names.push_back(name);
  return names;
}

namespace {

BackendFactory builtInFactory(std::string_view name) {
  std::lock_guard lock(registry().mutex);
  const auto entry = registry().factories.find(name);
  return entry == registry().factories.end() ? BackendFactory() : entry->second;
}

/// Of a built-in back end or a plug-in.
Result<BackendFactory> factoryOf(std::string_view name) {
  if (BackendFactory factory = builtInFactory(name))
    return factory;
  AVOCET_ASSIGN_OR_RETURN(const plugin::FoundPlugin found, plugin::findPlugin(name));
  return BackendFactory([table = found.table](const BackendOptions &options, std::string_view argument) {
    return plugin::openPluginBackend(*table, options, argument);
  });
}

} // namespace

Status checkBackend(std::string_view specification) {
  return factoryOf(specification.substr(0, specification.find(':'))).status();
}

Result<std::unique_ptr<Backend>> openBackend(std::string_view specification, const BackendOptions &options) {
  if (options.target == nullptr)
    return invalidArgument("open: no target was given");
  const size_t colon = specification.find(':');
  AVOCET_ASSIGN_OR_RETURN(const BackendFactory factory, factoryOf(specification.substr(0, colon)));
  return factory(options, colon == std::string_view::npos ? "" : specification.substr(colon + 1));
}

JobOutcome outcomeOf(const firmware::CompletionRecord &record) {
  JobOutcome outcome;
  outcome.state = static_cast<firmware::JobState>(record.state);
  outcome.fault = static_cast<firmware::FaultCode>(record.faultCode);
  outcome.faultEngineKind = record.faultEngineKind;
  outcome.faultEngineIndex = record.faultEngineIndex;
  outcome.faultCommand = record.faultCommand;
  outcome.faultSection = record.faultSection;
  outcome.faultLayer = record.faultLayer;
  outcome.faultRegion = record.faultRegion;
  outcome.faultAddress = record.faultAddress;
  outcome.arrivalCycle = record.arrivalCycle;
  outcome.badIndex = {record.indexExtent, record.indexLayer, record.index};
  outcome.startCycle = record.startCycle;
  outcome.endCycle = record.endCycle;
  outcome.counters = record.counters;
  return outcome;
}

namespace {

Status checkClockLevel(const std::optional<uint32_t> &level, const DeviceProperties &device) {
  if (!level)
    return Status::ok();
  if (!device.hasClockLevels)
    return invalidArgument("submit: a clock level is given, but the device has none");
  const size_t levels = device.target->power().levels.size();
  if (*level >= levels)
    return invalidArgument(fmt::format("submit: clock level is {}, must be below {}", *level, levels));
  return Status::ok();
}

} // namespace

Status checkSubmission(const Submission &submission, const DeviceProperties &device) {
  AVOCET_RETURN_IF_ERROR(checkClockLevel(submission.clockLevel, device));
  if (submission.streams.empty())
    return invalidArgument("submit: the job has no command stream");
  if (submission.streams.size() > firmware::kMaxJobStreams || submission.regions.size() > firmware::kMaxRegions)
    return invalidArgument(fmt::format("submit: {} streams and {} regions, at most {} and {} are allowed",
                                       submission.streams.size(), submission.regions.size(), firmware::kMaxJobStreams,
                                       firmware::kMaxRegions));
  if (submission.priority > firmware::kMaxPriority)
    return invalidArgument(
        fmt::format("submit: priority is {}, must be at most {}", submission.priority, firmware::kMaxPriority));
  if (submission.dependencies.size() > firmware::kMaxDependencies ||
      submission.syncFiles.size() > firmware::kMaxDependencies - submission.dependencies.size())
    return invalidArgument(fmt::format("submit: {} dependencies and {} sync_files, at most {} together are allowed",
                                       submission.dependencies.size(), submission.syncFiles.size(),
                                       firmware::kMaxDependencies));
  if (submission.control.address % firmware::kTableAlignment != 0)
    return invalidArgument("submit: the control program is not aligned");
  for (size_t i = 0; i < submission.streams.size(); ++i) {
    if (submission.streams[i].words == 0 || submission.streams[i].address % 4 != 0)
      return invalidArgument(fmt::format("submit: stream {} is empty or not word aligned", i));
    // The streams of a section are adjacent, at most kMaxStreams of them; the device checks that, too.
    for (size_t j = i - std::min<size_t>(i, firmware::kMaxStreams); j < i; ++j) {
      if (submission.streams[i].engine == submission.streams[j].engine &&
          submission.streams[i].section == submission.streams[j].section)
        return invalidArgument(fmt::format("submit: streams {} and {} are for the same engine", j, i));
    }
  }
  return Status::ok();
}

} // namespace avocet::runtime
