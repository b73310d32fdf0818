//===- BufferRunTest.cpp - Buffers as inputs and outputs of executions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferFixture.h"
#include "model/PreparedModel.h"

#include <gmock/gmock.h>
#include <mutex>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;

using PreparedRun = hal::Run; ///< testing::Test has a member Run

class BufferRunTest : public BufferFixture {};

TEST_F(BufferRunTest, BuffersServeAsInputsAndOutputs) {
  std::shared_ptr<IBuffer> input = allocate({role(0)}, {}), output = allocate({}, {role(0)});
  EXPECT_EQ(statusOf(requestOf(input, output)), ErrorStatus::GeneralFailure) << "the input is not initialized";
  EXPECT_FALSE(isInitialized(*output));
  ASSERT_TRUE(input->copyFrom(pool_.memory(), {}).isOk());
  ExecutionOutcome outcome = model_->execute(requestOf(input, output), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  ASSERT_EQ(outcome.outputShapes.size(), 1u);
  EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(kExtent));
  EXPECT_THAT(read(*output), Each(2.f));
}

TEST_F(BufferRunTest, FailedRunLeavesOutputUninitialized) {
  std::shared_ptr<IBuffer> output = allocate({}, {role(0)});
  Request request = requestOf(nullptr, output);
  ASSERT_EQ(statusOf(request), ErrorStatus::None);
  ASSERT_TRUE(isInitialized(*output));
  auto &model = dynamic_cast<PreparedModel &>(*model_);
  Result<RequestView> view = model.view(request);
  ASSERT_TRUE(view.isOk());
  {
    PreparedRun run(model, *view, {});
    ASSERT_TRUE(run.prepare().isOk());
    EXPECT_TRUE(isInitialized(*output)) << "not yet";
  }
  EXPECT_FALSE(isInitialized(*output));
  EXPECT_EQ(statusOf(request), ErrorStatus::None);
  EXPECT_TRUE(isInitialized(*output));
}

/// Pending inputs are for runs that the device puts in order.
TEST_F(BufferRunTest, PendingInputNeedsRunThatAllowsIt) {
  std::shared_ptr<IBuffer> state = allocateState();
  auto &model = dynamic_cast<PreparedModel &>(*model_);
  Request writes = requestOf(nullptr, state), reads = requestOf(state, nullptr);
  Result<RequestView> writer = model.view(writes), reader = model.view(reads);
  ASSERT_TRUE(writer && reader);
  auto prepareReader = [&] {
    return PreparedRun(model, *reader, {}).prepare({.mayWait = true, .inputsMayBePending = true});
  };
  EXPECT_EQ(prepareReader().code(), ErrorStatus::GeneralFailure);
  PreparedRun producer(model, *writer, {});
  ASSERT_TRUE(producer.prepare().isOk());
  EXPECT_TRUE(prepareReader().isOk());
  EXPECT_EQ(PreparedRun(model, *reader, {}).prepare().code(), ErrorStatus::GeneralFailure);
}

/// state = state + 1, from one buffer to the other and back.
TEST_F(BufferRunTest, StatePassesBetweenRunsWithoutCopy) {
  std::shared_ptr<IBuffer> states[] = {allocateState(), allocateState()};
  ASSERT_TRUE(states[0]->copyFrom(pool_.memory(), {}).isOk());
  ASSERT_EQ(statusOf(requestOf(states[0], states[1])), ErrorStatus::None);
  ASSERT_EQ(statusOf(requestOf(states[1], states[0])), ErrorStatus::None);
  DriverCounters before = driver_->counters();
  for (int step = 0; step < 10; ++step)
    ASSERT_EQ(statusOf(requestOf(states[step % 2], states[1 - step % 2])), ErrorStatus::None);
  DriverCounters after = driver_->counters();
  EXPECT_EQ(after.hostBytesCopied, before.hostBytesCopied);
  EXPECT_EQ(after.poolsMapped, before.poolsMapped);
  EXPECT_THAT(read(*states[0]), Each(13.f));
}

TEST_F(BufferRunTest, ReusableExecutionBindsBuffersOnce) {
  std::shared_ptr<IBuffer> input = allocate({role(0)}, {}), output = allocate({}, {role(0)});
  ASSERT_TRUE(input->copyFrom(pool_.memory(), {}).isOk());
  auto execution = model_->createReusableExecution(requestOf(input, output), {});
  ASSERT_TRUE(execution.isOk()) << execution.error().message;
  ASSERT_TRUE((*execution)->compute({}).isOk());
  DriverCounters before = driver_->counters();
  ASSERT_TRUE((*execution)->compute({}).isOk());
  DriverCounters after = driver_->counters();
  EXPECT_EQ(after.operandsBound, before.operandsBound);
  EXPECT_EQ(after.bindingsReused, before.bindingsReused + 3);
  EXPECT_EQ(after.hostBytesCopied, before.hostBytesCopied);
}

/// Concurrent copies to the same bytes are a client's error without harm to the driver, but TSan would report them.
struct CopyGuard {
#if defined(__SANITIZE_THREAD__)
  explicit CopyGuard(std::mutex &mutex) : lock(mutex) {}
  std::lock_guard<std::mutex> lock;
#else
  explicit CopyGuard(std::mutex &) {}
#endif
};

/// Only the numbers depend on the order of the threads.
TEST_F(BufferRunTest, ConcurrentUsersAllSucceed) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  constexpr int kRuns = 100;
  auto repeat = [](auto &&work) {
    return std::thread([work] {
      for (int i = 0; i < kRuns; ++i)
        work();
    });
  };
  TestPool out(kBytes), target(kBytes);
  std::mutex copies;
  Request reads = requestOf(state, nullptr), writes = requestOf(nullptr, state);
  Request alsoReads = reads;
  alsoReads.pools[2] = out.memory();
  std::thread threads[] = {repeat([&] { EXPECT_TRUE(model_->execute(reads, {}).isOk()); }),
                           repeat([&] { EXPECT_TRUE(model_->execute(alsoReads, {}).isOk()); }),
                           repeat([&] { EXPECT_TRUE(model_->execute(writes, {}).isOk()); }), repeat([&] {
                             CopyGuard guard(copies);
                             EXPECT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
                           }),
                           repeat([&] {
                             CopyGuard guard(copies);
                             EXPECT_TRUE(state->copyTo(target.memory()).isOk());
                           })};
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace avocet::hal
