//===- ExecutionKinds.cpp - Each way to execute a request -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionKinds.h"

#include <future>
#include <gtest/gtest.h>
#include <numeric>

namespace avocet::hal::testing {

static ErrorStatus runSynchronously(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  return model.execute(request, options).status;
}

static ErrorStatus runAsynchronously(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  std::promise<ErrorStatus> ended;
  (void)model.executeAsynchronously(request, options,
                                    [&](const ExecutionOutcome &outcome) { ended.set_value(outcome.status); });
  return ended.get_future().get();
}

/// The launch's error, or the status that executionInfo() returns. The fence must agree with it.
static ErrorStatus statusOf(const Result<FencedLaunch> &launch) {
  if (!launch)
    return launch.code();
  const FenceState end = launch->fence.wait(std::nullopt);
  const ErrorStatus status = launch->info->executionInfo().code();
  EXPECT_EQ(end == FenceState::Signaled, status == ErrorStatus::None);
  return status;
}

static ErrorStatus runFenced(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  return statusOf(model.executeFenced(request, {}, {options, {}}));
}

static std::vector<int64_t> identifiersFor(const Request &request) {
  std::vector<int64_t> identifiers(request.pools.size());
  std::iota(identifiers.begin(), identifiers.end(), 0);
  return identifiers;
}

static ErrorStatus runBurst(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  return (*model.configureBurst())->execute(request, identifiersFor(request), options).status;
}

/// The second execution uses the kept binding of the request, with options that were not checked when it was bound.
static ErrorStatus runKeptBurst(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  std::shared_ptr<IBurst> burst = *model.configureBurst();
  ExecutionOptions brief;
  brief.loopTimeoutDuration = Duration(1);
  (void)burst->execute(request, identifiersFor(request), brief);
  return burst->execute(request, identifiersFor(request), options).status;
}

static ErrorStatus runReusable(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  auto execution = model.createReusableExecution(request, options);
  if (!execution)
    return execution.code();
  const ErrorStatus first = (*execution)->compute({}).status;
  EXPECT_EQ((*execution)->compute({}).status, first) << "the second run";
  return first;
}

static ErrorStatus runReusableFenced(IPreparedModel &model, const Request &request, const ExecutionOptions &options) {
  auto execution = model.createReusableExecution(request, options);
  return execution ? statusOf((*execution)->computeFenced({}, {}, {})) : execution.code();
}

std::span<const ExecutionKind> executionKinds() {
  static constexpr ExecutionKind kKinds[] = {
      {"synchronous", runSynchronously},
      {"asynchronous", runAsynchronously},
      {"fenced", runFenced},
      {"burst", runBurst},
      {"keptBurst", runKeptBurst},
      {"reusable", runReusable},
      {"reusableFenced", runReusableFenced},
  };
  return kKinds;
}

} // namespace avocet::hal::testing
