//===- ExecutionTest.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "TestDevice.h"
#include "TestModels.h"

#include <gmock/gmock.h>

#include <future>
#include <thread>

namespace avocet::hal::test {
namespace {

using ::testing::HasSubstr;

const std::vector<float> kInput = {1, -2, 3, 0};
const std::vector<float> kResult = {2, 0, 18, 0};

class Executions : public CapiTest {
protected:
  void SetUp() override {
    CapiTest::SetUp();
    model_ = prepare(chain());
    ASSERT_NE(model_, nullptr);
  }
  void expectRefused(const Request &request, const std::string &why) {
    const ExecutionOutcome outcome = model_->execute(request, {});
    EXPECT_EQ(outcome.status, ErrorStatus::InvalidArgument);
    EXPECT_THAT(outcome.message, HasSubstr(why));
  }

  std::shared_ptr<IPreparedModel> model_;
  Buffers buffers_{{kInput}, {kLength * sizeof(float)}};
};

TEST_F(Executions, GiveShapesAndTimes) {
  ExecutionOptions options;
  options.measure = MeasureTiming::Yes;
  const ExecutionOutcome outcome = model_->execute(buffers_.request(), options);
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_EQ(buffers_.output(), kResult);
  ASSERT_EQ(outcome.outputShapes.size(), 1u);
  EXPECT_EQ(outcome.outputShapes[0].dimensions, std::vector<uint32_t>{kLength});
  ASSERT_TRUE(outcome.timing.timeOnDevice && outcome.timing.timeInDriver);
  EXPECT_LE(*outcome.timing.timeOnDevice, *outcome.timing.timeInDriver);
}

TEST_F(Executions, WithoutMeasuringGiveNoTimes) {
  const ExecutionOutcome outcome = model_->execute(buffers_.request(), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_FALSE(outcome.timing.timeOnDevice || outcome.timing.timeInDriver);
}

TEST_F(Executions, CallBackOnce) {
  int calls = 0;
  const auto count = [&](const ExecutionOutcome &outcome) { calls += outcome.isOk() ? 1 : 100; };
  EXPECT_EQ(model_->executeAsynchronously(buffers_.request(), {}, count), ErrorStatus::None);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(buffers_.output(), kResult);
}

TEST_F(Executions, WaitForFencesAndTellTheirTimes) {
  auto fence = FenceSignaler::create();
  ASSERT_TRUE(fence.isOk());
  FencedOptions options;
  options.execution.measure = MeasureTiming::Yes;
  auto launch = model_->executeFenced(buffers_.request(), {fence->first}, options);
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  EXPECT_EQ(launch->fence.state(), FenceState::Active);
  EXPECT_EQ(launch->info->executionInfo().code(), ErrorStatus::GeneralFailure) << "it has not ended";
  fence->second.signal();
  EXPECT_EQ(launch->fence.wait({}), FenceState::Signaled);
  auto times = launch->info->executionInfo();
  ASSERT_TRUE(times.isOk()) << times.error().message;
  EXPECT_TRUE(times->launched.timeInDriver && times->fenced.timeInDriver);
  EXPECT_EQ(buffers_.output(), kResult);
}

TEST_F(Executions, RefuseFencesThatFailed) {
  auto fence = FenceSignaler::create();
  ASSERT_TRUE(fence.isOk());
  fence->second.fail();
  EXPECT_EQ(model_->executeFenced(buffers_.request(), {fence->first}, {}).code(), ErrorStatus::InvalidArgument);
}

/// The fence of a process that never signals it, and whether the memories of the execution are still used.
class AbandonedFence : public Executions {
protected:
  void SetUp() override {
    Executions::SetUp();
    auto fence = FenceSignaler::create();
    ASSERT_TRUE(fence.isOk());
    fence_ = fence->first;
    signaler_ = std::move(fence->second);
  }
  /// Runs `work` in a thread and returns whether it ends without the fence.
  bool ends(std::function<void()> work) {
    auto ended = std::async(std::launch::async, std::move(work));
    const bool inTime = ended.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    signaler_->signal(); // so that the test ends in any case
    return inTime;
  }
  /// Whether all copies of the fence's descriptor are closed soon: its peer then hangs up.
  bool isReleased() {
    std::weak_ptr<const FileDescriptor> own = fence_.handle();
    fence_ = SyncFence();
    for (int i = 0; i < 2000 && !own.expired(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return own.expired();
  }

  SyncFence fence_;
  std::optional<FenceSignaler> signaler_;
};

TEST_F(AbandonedFence, DoesNotDelayFailedDependency) {
  auto failed = FenceSignaler::create();
  ASSERT_TRUE(failed.isOk());
  failed->second.fail();
  ErrorStatus status = ErrorStatus::None;
  EXPECT_TRUE(ends([&] { status = model_->executeFenced(buffers_.request(), {fence_, failed->first}, {}).code(); }));
  EXPECT_EQ(status, ErrorStatus::InvalidArgument);
  EXPECT_TRUE(isReleased());
}

/// The size of its output is not known, which a fenced execution needs.
TEST_F(AbandonedFence, DoesNotDelayFailedStart) {
  model_ = prepare(chain(true));
  ErrorStatus status = ErrorStatus::None;
  EXPECT_TRUE(ends([&] { status = model_->executeFenced(buffers_.request(), {fence_}, {}).code(); }));
  EXPECT_EQ(status, ErrorStatus::InvalidArgument);
  EXPECT_TRUE(isReleased());
}

TEST_F(AbandonedFence, DoesNotDelayDroppedExecution) {
  bool isLaunched = false;
  EXPECT_TRUE(ends([&] { isLaunched = model_->executeFenced(buffers_.request(), {fence_}, {}).isOk(); }));
  EXPECT_TRUE(isLaunched);
  EXPECT_TRUE(isReleased());
  EXPECT_EQ(buffers_.output(), kResult) << "the execution still runs after its fence";
}

TEST_F(Executions, RefuseRequestsThatDoNotFit) {
  Request request = buffers_.request();
  request.inputs.clear();
  expectRefused(request, "0 inputs and 1 outputs for a model with 1 and 1");
  request = buffers_.request();
  request.inputs[0].location.poolIndex = 3;
  expectRefused(request, "an argument is in pool 3 of 1");
  request = buffers_.request();
  request.inputs[0].location.length -= 1;
  expectRefused(request, "Execution_setInputFromMemory answers BAD_DATA");
  request = buffers_.request();
  request.pools[0] = SharedMemory();
  expectRefused(request, "pool 0 is null");
}

TEST_F(Executions, OfABurstCheckIdentifiers) {
  auto burst = model_->configureBurst();
  ASSERT_TRUE(burst.isOk()) << burst.error().message;
  EXPECT_EQ((*burst)->execute(buffers_.request(), {1, 2}, {}).status, ErrorStatus::InvalidArgument);
  EXPECT_EQ((*burst)->execute(buffers_.request(), {-2}, {}).status, ErrorStatus::InvalidArgument);
  EXPECT_EQ((*burst)->releaseMemoryResource(-2).code(), ErrorStatus::InvalidArgument);
  EXPECT_TRUE((*burst)->releaseMemoryResource(5).isOk());
  EXPECT_TRUE((*burst)->execute(buffers_.request(), {5}, {}).isOk());
  EXPECT_EQ(buffers_.output(), kResult);
}

TEST_F(Executions, ThatAreReusableRunAgain) {
  auto execution = model_->createReusableExecution(buffers_.request(), {});
  ASSERT_TRUE(execution.isOk()) << execution.error().message;
  EXPECT_TRUE((*execution)->compute({}).isOk());
  EXPECT_TRUE((*execution)->compute({}).isOk());
  EXPECT_EQ((*execution)->compute(BootClock::now() - std::chrono::seconds(1)).status,
            ErrorStatus::MissedDeadlinePersistent);
}

} // namespace
} // namespace avocet::hal::test
