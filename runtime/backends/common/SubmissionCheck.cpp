//===- SubmissionCheck.cpp - Rules of a submission --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/SubmissionCheck.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::runtime {

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
