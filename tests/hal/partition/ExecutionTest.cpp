//===- ExecutionTest.cpp - Executions of several steps --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestModels.h"
#include "avocet/hal/partition/Partition.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

namespace avocet::hal::test {
namespace {

using enum OperationType;

const std::vector<float> kInput = {-1, 2, -3, 4};
const std::vector<float> kResult = {0, 8, 0, 32}; // RELU(x + x) * x
constexpr uint64_t kBytes = kLength * sizeof(float);

/// chain() on two devices, in three steps.
struct Divided {
  explicit Divided(const Model &model = chain()) {
    const std::vector<std::shared_ptr<IDevice>> devices = {first, second};
    auto result = preparePartitioned(model, devices, nullptr, {});
    EXPECT_TRUE(result.isOk()) << (result ? "" : result.error().message);
    if (result)
      prepared = result->model;
  }
  std::shared_ptr<FakeDevice> first = std::make_shared<FakeDevice>("first", std::set{Add, Mul});
  std::shared_ptr<FakeDevice> second = std::make_shared<FakeDevice>("second", std::set{Relu});
  std::shared_ptr<IPreparedModel> prepared;
};

TEST(ExecutionTest, PassesValuesBetweenSteps) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  const ExecutionOutcome outcome = divided.prepared->execute(buffers.request(), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_EQ(buffers.output(), kResult);
  ASSERT_EQ(outcome.outputShapes.size(), 1U);
  EXPECT_EQ(outcome.outputShapes[0].dimensions, std::vector<uint32_t>{kLength});
}

TEST(ExecutionTest, AddsTimesOfSteps) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  ExecutionOptions options;
  EXPECT_FALSE(divided.prepared->execute(buffers.request(), options).timing.timeOnDevice);
  options.measure = MeasureTiming::Yes;
  const ExecutionOutcome outcome = divided.prepared->execute(buffers.request(), options);
  EXPECT_EQ(outcome.timing.timeOnDevice, Duration(30));
  EXPECT_EQ(outcome.timing.timeInDriver, Duration(75));
}

TEST(ExecutionTest, RefusesBadRequestsAndDeadlines) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  Request request = buffers.request();
  request.outputs.clear();
  EXPECT_EQ(divided.prepared->execute(request, {}).status, ErrorStatus::InvalidArgument);
  ExecutionOptions options;
  options.deadline = BootClock::now() - std::chrono::seconds(1);
  EXPECT_EQ(divided.prepared->execute(buffers.request(), options).status, ErrorStatus::MissedDeadlinePersistent);
  options = {};
  options.loopTimeoutDuration = kMaximumLoopTimeout + Duration(1);
  EXPECT_EQ(divided.prepared->execute(buffers.request(), options).status, ErrorStatus::InvalidArgument);
}

TEST(ExecutionTest, FindsSizesBetweenSteps) {
  // More than the first guess for an unknown size.
  constexpr uint32_t kLong = 2000;
  Model model = chain(true);
  model.main.operands[model.main.inputIndexes[0]].dimensions = {kLong};
  const Divided divided(model);
  auto memory = ashmem(2 * kLong * sizeof(float));
  Request request;
  request.pools.emplace_back(memory);
  request.inputs.push_back({false, {0, 0, kLong * sizeof(float), 0}, {}});
  request.outputs.push_back({false, {0, kLong * sizeof(float), kLong * sizeof(float), 0}, {}});
  const ExecutionOutcome outcome = divided.prepared->execute(request, {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_EQ(outcome.outputShapes[0].dimensions, std::vector<uint32_t>{kLong});
  const int afterFirst = divided.first->executions;
  ASSERT_TRUE(divided.prepared->execute(request, {}).isOk());
  EXPECT_EQ(divided.first->executions - afterFirst, 2) << "the second execution starts with the sizes of the first";
}

TEST(ExecutionTest, ReportsShortOutputWithItsShape) {
  const Divided divided(chain(true));
  const Buffers buffers({kInput}, {4});
  const ExecutionOutcome outcome = divided.prepared->execute(buffers.request(), {});
  EXPECT_EQ(outcome.status, ErrorStatus::OutputInsufficientSize);
  ASSERT_EQ(outcome.outputShapes.size(), 1U);
  EXPECT_FALSE(outcome.outputShapes[0].isSufficient);
  EXPECT_EQ(outcome.outputShapes[0].dimensions, std::vector<uint32_t>{kLength});
}

TEST(ExecutionTest, ShortOutputStillReachesLaterSteps) {
  Model model;
  GraphBuilder graph(model, model.main);
  const uint32_t x = graph.input(vectorOf());
  const uint32_t none = graph.scalar(0);
  const uint32_t sum = graph.output(vectorOf(0));
  const uint32_t last = graph.output(vectorOf(0));
  graph.operation(Add, {x, x, none}, {sum});
  graph.operation(Relu, {sum}, {last});
  const Divided divided(model);
  const Buffers buffers({kInput}, {4, kBytes});
  const ExecutionOutcome outcome = divided.prepared->execute(buffers.request(), {});
  EXPECT_EQ(outcome.status, ErrorStatus::OutputInsufficientSize);
  ASSERT_EQ(outcome.outputShapes.size(), 2U);
  EXPECT_FALSE(outcome.outputShapes[0].isSufficient);
  EXPECT_TRUE(outcome.outputShapes[1].isSufficient);
  const Buffers enough({kInput}, {kBytes, kBytes});
  ASSERT_TRUE(divided.prepared->execute(enough.request(), {}).isOk());
  EXPECT_EQ(enough.output(0), (std::vector<float>{-2, 4, -6, 8}));
  EXPECT_EQ(enough.output(1), (std::vector<float>{0, 4, 0, 8}));
}

TEST(ExecutionTest, CallsBackOnce) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  std::promise<ExecutionOutcome> promise;
  ASSERT_EQ(divided.prepared->executeAsynchronously(
                buffers.request(), {}, [&](const ExecutionOutcome &outcome) { promise.set_value(outcome); }),
            ErrorStatus::None);
  EXPECT_TRUE(promise.get_future().get().isOk());
  EXPECT_EQ(buffers.output(), kResult);
}

TEST(ExecutionTest, CallbackMayDropTheModel) {
  Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  std::promise<void> promise;
  std::shared_ptr<IPreparedModel> &last = divided.prepared;
  std::latch launched(1);
  last->executeAsynchronously(buffers.request(), {}, [&](const ExecutionOutcome &) {
    launched.wait();
    last.reset();
    promise.set_value();
  });
  launched.count_down();
  promise.get_future().get();
}

/// The steps still run when the last reference goes.
TEST(ExecutionTest, DropWaitsForTheExecution) {
  const Buffers buffers({kInput}, {kBytes});
  std::atomic<bool> isRight = false;
  {
    Divided divided;
    divided.first->delay = std::chrono::milliseconds(20);
    divided.prepared->executeAsynchronously(buffers.request(), {},
                                            [&](const ExecutionOutcome &outcome) { isRight = outcome.isOk(); });
    divided.prepared.reset();
    EXPECT_TRUE(isRight);
  }
  EXPECT_EQ(buffers.output(), kResult);
}

TEST(ExecutionTest, FencedRunsAfterItsFence) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  auto fence = FenceSignaler::create();
  ASSERT_TRUE(fence.isOk());
  FencedOptions options;
  options.execution.measure = MeasureTiming::Yes;
  auto launch = divided.prepared->executeFenced(buffers.request(), {fence->first}, options);
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  EXPECT_EQ(launch->info->executionInfo().code(), ErrorStatus::GeneralFailure);
  EXPECT_EQ(divided.first->executions, 0);
  fence->second.signal();
  EXPECT_EQ(launch->fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(buffers.output(), kResult);
  auto times = launch->info->executionInfo();
  ASSERT_TRUE(times.isOk());
  EXPECT_EQ(times->fenced.timeOnDevice, Duration(30));
  EXPECT_GE(*times->launched.timeInDriver, *times->fenced.timeInDriver);
}

/// Times of a simulator are longer than those of the host.
TEST(ExecutionTest, FencedStatesNoLessThanTheDevice) {
  const Divided divided;
  divided.first->timing = {std::chrono::hours(1), std::chrono::hours(1)};
  const Buffers buffers({kInput}, {kBytes});
  FencedOptions options;
  options.execution.measure = MeasureTiming::Yes;
  auto launch = divided.prepared->executeFenced(buffers.request(), {}, options);
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  EXPECT_EQ(launch->fence.wait(std::nullopt), FenceState::Signaled);
  auto times = launch->info->executionInfo();
  ASSERT_TRUE(times.isOk());
  EXPECT_GE(*times->fenced.timeInDriver, *times->fenced.timeOnDevice);
  EXPECT_GE(*times->launched.timeInDriver, *times->launched.timeOnDevice);
}

TEST(ExecutionTest, FailedFencePutsFenceInErrorState) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  auto fence = FenceSignaler::create();
  auto launch = divided.prepared->executeFenced(buffers.request(), {fence->first}, {});
  ASSERT_TRUE(launch.isOk());
  fence->second.fail();
  EXPECT_EQ(launch->fence.wait(std::nullopt), FenceState::Error);
  EXPECT_EQ(divided.prepared->executeFenced(buffers.request(), {launch->fence}, {}).code(),
            ErrorStatus::InvalidArgument);
}

TEST(ExecutionTest, ReusableRunsOneAtATime) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  auto execution = divided.prepared->createReusableExecution(buffers.request(), {});
  ASSERT_TRUE(execution.isOk());
  EXPECT_TRUE((*execution)->compute({}).isOk());
  auto fence = FenceSignaler::create();
  auto launch = (*execution)->computeFenced({fence->first}, {}, {});
  ASSERT_TRUE(launch.isOk());
  EXPECT_EQ((*execution)->compute({}).status, ErrorStatus::InvalidArgument);
  fence->second.signal();
  EXPECT_EQ(launch->fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_TRUE((*execution)->compute({}).isOk());
  EXPECT_EQ(buffers.output(), kResult);
}

TEST(ExecutionTest, BurstUsesBurstsOfSteps) {
  const Divided divided;
  const Buffers buffers({kInput}, {kBytes});
  auto burst = divided.prepared->configureBurst();
  ASSERT_TRUE(burst.isOk());
  for (const int64_t identifier : {int64_t{7}, int64_t{7}, int64_t{-1}})
    ASSERT_TRUE((*burst)->execute(buffers.request(), {identifier}, {}).isOk());
  EXPECT_EQ(buffers.output(), kResult);
  EXPECT_EQ(divided.first->burstExecutions, 6);
  EXPECT_EQ((*burst)->execute(buffers.request(), {}, {}).status, ErrorStatus::InvalidArgument);
  EXPECT_TRUE((*burst)->releaseMemoryResource(7).isOk());
  EXPECT_EQ(divided.first->released, (std::vector<int64_t>{0, 0})) << "once by the burst of each of its steps";
  EXPECT_EQ(divided.second->released, std::vector<int64_t>{0});
  EXPECT_TRUE((*burst)->releaseMemoryResource(7).isOk());
  EXPECT_TRUE((*burst)->releaseMemoryResource(8).isOk());
  EXPECT_EQ(divided.first->released.size(), 2U) << "no step knows these";
  EXPECT_EQ((*burst)->releaseMemoryResource(-2).code(), ErrorStatus::InvalidArgument);
}

TEST(ExecutionTest, ManyThreadsShareOneModel) {
  const Divided divided(chain(true));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) {
        const Buffers buffers({kInput}, {kBytes});
        if (!divided.prepared->execute(buffers.request(), {}).isOk() || buffers.output() != kResult)
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ExecutionTest, BufferNeedsRoleOfOneStep) {
  const Divided divided;
  // The input is read by ADD and MUL, the output only written.
  const BufferRole input{divided.prepared, 0, 1};
  auto refused = allocateForRoles({}, {input}, {}, nullptr);
  EXPECT_EQ(refused.code(), ErrorStatus::GeneralFailure);
  EXPECT_NE(refused.error().message.find("several steps"), std::string::npos) << refused.error().message;
  EXPECT_EQ(allocateForRoles({}, {}, {input}, nullptr).error().message, "the fake has no memory");
  EXPECT_EQ(divided.first->buffers, 1);
  EXPECT_EQ(allocateForRoles({}, {}, {BufferRole{divided.prepared, 1, 1}}, nullptr).code(),
            ErrorStatus::InvalidArgument);
  Buffers buffers({kInput}, {kBytes});
  buffers.request().pools.emplace_back(BufferToken(1));
  buffers.request().inputs[0].location = {1, 0, 0, 0};
  EXPECT_EQ(divided.prepared->execute(buffers.request(), {}).status, ErrorStatus::InvalidArgument);
}

TEST(ExecutionTest, BuffersOfTwoDevicesMayShareToken) {
  Model model;
  GraphBuilder graph(model, model.main);
  const uint32_t none = graph.scalar(0);
  const uint32_t x = graph.input(vectorOf());
  const uint32_t sum = graph.temporary(vectorOf());
  const uint32_t last = graph.output(vectorOf());
  graph.operation(Add, {x, graph.constant(vectorOf()), none}, {sum});
  graph.operation(Relu, {sum}, {last});
  const Divided divided(model);
  Request request;
  request.pools = {BufferToken(5)};
  request.inputs.resize(1);
  request.outputs.resize(1);
  const ExecutionOutcome outcome = divided.prepared->execute(request, {});
  EXPECT_EQ(outcome.status, ErrorStatus::GeneralFailure);
  EXPECT_NE(outcome.message.find("the fake has no memory"), std::string::npos) << outcome.message;
  request.pools = {BufferToken(0)};
  EXPECT_EQ(divided.prepared->execute(request, {}).status, ErrorStatus::InvalidArgument);
}

} // namespace
} // namespace avocet::hal::test
