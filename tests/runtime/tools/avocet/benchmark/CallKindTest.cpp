//===- CallKindTest.cpp - Which calls an execution makes ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "benchmark/PreparedNetwork.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace avocet::tool {
namespace {

using testing::ElementsAre;
using Calls = std::vector<std::string>;

constexpr hal::Duration kDeviceTime{7};

hal::ExecutionOutcome measured(const hal::ExecutionOptions &options) {
  hal::ExecutionOutcome outcome;
  if (options.measure == hal::MeasureTiming::Yes)
    outcome.timing.timeOnDevice = kDeviceTime;
  return outcome;
}

class RecordingExecution final : public hal::IExecution {
public:
  RecordingExecution(Calls &calls, hal::ExecutionOptions options) : calls_(calls), options_(std::move(options)) {}
  hal::ExecutionOutcome compute(const hal::OptionalTimePoint &) override {
    calls_.emplace_back("compute");
    return measured(options_);
  }

private:
  Calls &calls_;
  hal::ExecutionOptions options_;
};

class RecordingBurst final : public hal::IBurst {
public:
  explicit RecordingBurst(Calls &calls) : calls_(calls) {}
  hal::ExecutionOutcome execute(const hal::Request &, const std::vector<int64_t> &memoryIdentifiers,
                                const hal::ExecutionOptions &options) override {
    calls_.push_back("burst execute, memory " + std::to_string(memoryIdentifiers.at(0)));
    return measured(options);
  }
  hal::Outcome releaseMemoryResource(int64_t) override { return hal::success(); }

private:
  Calls &calls_;
};

class FailedExecution final : public hal::IFencedExecution {
public:
  hal::Result<hal::FencedTimes> executionInfo() override { return hal::generalFailure("the job failed"); }
};

class RecordingModel final : public hal::IPreparedModel {
public:
  explicit RecordingModel(Calls &calls) : calls_(calls) {}
  hal::ExecutionOutcome execute(const hal::Request &, const hal::ExecutionOptions &options) override {
    calls_.emplace_back("execute");
    return measured(options);
  }
  hal::ErrorStatus executeAsynchronously(const hal::Request &, const hal::ExecutionOptions &,
                                         hal::ExecutionCallback) override {
    return hal::ErrorStatus::GeneralFailure;
  }
  hal::Result<std::shared_ptr<hal::IExecution>> createReusableExecution(const hal::Request &,
                                                                        const hal::ExecutionOptions &options) override {
    calls_.emplace_back("create");
    return std::shared_ptr<hal::IExecution>(std::make_shared<RecordingExecution>(calls_, options));
  }
  hal::Result<std::shared_ptr<hal::IBurst>> configureBurst() override {
    calls_.emplace_back("configure");
    return std::shared_ptr<hal::IBurst>(std::make_shared<RecordingBurst>(calls_));
  }
  hal::Result<hal::FencedLaunch> executeFenced(const hal::Request &, const std::vector<hal::SyncFence> &,
                                               const hal::FencedOptions &) override {
    calls_.emplace_back("fenced");
    return hal::FencedLaunch{{}, std::make_shared<FailedExecution>()};
  }

private:
  Calls &calls_;
};

/// The calls of two executions.
Calls callsOf(CallKind kind) {
  Calls calls;
  auto execute = makeCalls(kind, std::make_shared<RecordingModel>(calls), {});
  EXPECT_TRUE(execute.isOk());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ((*execute)().timing.timeOnDevice, kDeviceTime) << toString(kind);
  return calls;
}

TEST(CallKindTest, ExecutionsMakeTheCallsOfTheirKind) {
  EXPECT_THAT(callsOf(CallKind::Single), ElementsAre("execute", "execute"));
  EXPECT_THAT(callsOf(CallKind::Reusable), ElementsAre("create", "compute", "compute"));
  EXPECT_THAT(callsOf(CallKind::Burst), ElementsAre("configure", "burst execute, memory 1", "burst execute, memory 1"));
}

TEST(CallKindTest, ErrorsBehindFencesAreThoseOfTheExecution) {
  Calls calls;
  const hal::ExecutionOutcome outcome = (*makeCalls(CallKind::Fenced, std::make_shared<RecordingModel>(calls), {}))();
  EXPECT_THAT(calls, ElementsAre("fenced"));
  EXPECT_EQ(outcome.status, hal::ErrorStatus::GeneralFailure);
  EXPECT_EQ(outcome.message, "the job failed");
}

} // namespace
} // namespace avocet::tool
