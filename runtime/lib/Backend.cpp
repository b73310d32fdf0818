//===- Backend.cpp - Back ends by name --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Backend.h"

#include "NullBackend.h"
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

Result<std::unique_ptr<Backend>> openBackend(std::string_view specification, const BackendOptions &options) {
  if (options.target == nullptr)
    return invalidArgument("open: no target was given");
  size_t colon = specification.find(':');
  std::string_view name = specification.substr(0, colon);
  std::string_view argument = colon == std::string_view::npos ? "" : specification.substr(colon + 1);
  BackendFactory factory;
  {
    std::lock_guard lock(registry().mutex);
    if (auto entry = registry().factories.find(name); entry != registry().factories.end())
      factory = entry->second;
  }
  if (!factory)
    return notFound(fmt::format("there is no back end '{}'; known: {}", name, fmt::join(backendNames(), ", ")));
  return factory(options, argument);
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
