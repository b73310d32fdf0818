//===- ObjectsTest.cpp - Buffers, fences and bursts through a connection -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include <sys/mman.h>
#include <tuple>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ServiceObjectsTest : public ServiceFixture {};

TEST_F(ServiceObjectsTest, BufferRolesReachTheDriver) {
  auto device = connect("fake");
  auto first = device->prepareModel(addModel({4}), {}), second = device->prepareModel(addModel({4}), {});
  ASSERT_TRUE(first && second);
  auto foreign = prepare("fake");
  auto buffer = device->allocate({2, 0}, {{*second, 1, 0.5f}, {*second, 0, 1}}, {{*first, 3, 0.25f}, {foreign, 0, 1}});
  ASSERT_TRUE(buffer.isOk()) << buffer.error().message;
  EXPECT_EQ((*buffer)->token(), BufferToken(77));
  EXPECT_THAT(fake_->dimensions, ElementsAre(2, 0));
  ASSERT_EQ(fake_->inputRoles.size(), 2u);
  ASSERT_EQ(fake_->outputRoles.size(), 2u);
  EXPECT_EQ(fake_->inputRoles[0].model, fake_->inputRoles[1].model);
  EXPECT_NE(fake_->inputRoles[0].model, fake_->outputRoles[0].model);
  EXPECT_EQ(fake_->outputRoles[1].model, nullptr) << "a model of another connection";
  EXPECT_EQ(fake_->inputRoles[0].ioIndex, 1u);
  EXPECT_EQ(fake_->outputRoles[0].probability, 0.25f);
}

TEST_F(ServiceObjectsTest, BuffersCopyAndAreReleased) {
  auto device = connect("fake");
  auto buffer = device->allocate({}, {}, {});
  ASSERT_TRUE(buffer.isOk());
  EXPECT_EQ(service_->counters().buffersNow, 1u);
  TestPool pool(16);
  Outcome early = (*buffer)->copyTo(pool.memory());
  EXPECT_EQ(early.code(), ErrorStatus::GeneralFailure);
  EXPECT_EQ(early.error().message, "the buffer is not initialized");
  EXPECT_TRUE((*buffer)->copyFrom(pool.memory(), {2, 2}).isOk());
  EXPECT_EQ(fileOf(fake_->memory), fileOf(pool.memory()));
  EXPECT_THAT(fake_->dimensions, ElementsAre(2, 2));
  EXPECT_TRUE((*buffer)->copyTo(pool.memory()).isOk());
  EXPECT_FALSE(std::holds_alternative<Ashmem>(Memory{UnknownHandle{}}.handle));
  EXPECT_TRUE((*buffer)->copyTo(nullptr).isOk());
  EXPECT_TRUE(std::holds_alternative<UnknownHandle>(fake_->memory->handle)) << "a null pointer is of no known kind";
  *buffer = nullptr;
  EXPECT_TRUE(reaches(&ServiceCounters::buffersNow, 0));
}

TEST_F(ServiceObjectsTest, MemoriesOfAllKindsReachTheDriver) {
  auto prepared = prepare("fake");
  TestPool pool(64);
  const SharedHandle file = std::get<Ashmem>(pool.memory()->handle).fd;
  const MemoryHandle sent[] = {Ashmem{file, 64}, MappableFile{file, uint64_t{5} << 32, 16, PROT_READ},
                               HardwareBuffer{file, true, 48}, HardwareBuffer{file, false, 0},
                               UnknownHandle{"strange", {file}, {7, -8}, 32}};
  Request request;
  for (const MemoryHandle &handle : sent)
    request.pools.emplace_back(std::make_shared<const Memory>(Memory{handle}));
  ASSERT_TRUE(prepared->execute(request, {}).isOk());
  ASSERT_EQ(fake_->request.pools.size(), std::size(sent));
  auto received = [this](size_t i) -> const MemoryHandle & {
    return std::get<SharedMemory>(fake_->request.pools[i])->handle;
  };
  EXPECT_EQ(std::get<Ashmem>(received(0)).size, 64u);
  EXPECT_EQ(fileOf(std::get<SharedMemory>(fake_->request.pools[0])), fileOf(pool.memory()));
  const auto &mapped = std::get<MappableFile>(received(1));
  EXPECT_EQ(std::tie(mapped.offset, mapped.size, mapped.protection),
            std::make_tuple(uint64_t{5} << 32, 16u, PROT_READ));
  EXPECT_TRUE(std::get<HardwareBuffer>(received(2)).isBlob);
  EXPECT_EQ(std::get<HardwareBuffer>(received(2)).size, 48u);
  EXPECT_FALSE(std::get<HardwareBuffer>(received(3)).isBlob);
  const auto &strange = std::get<UnknownHandle>(received(4));
  EXPECT_EQ(std::tie(strange.name, strange.size), std::make_tuple("strange", 32u));
}

TEST_F(ServiceObjectsTest, FencesPassBothWays) {
  auto prepared = prepare("fake");
  auto awaited = FenceSignaler::create();
  ASSERT_TRUE(awaited.isOk());
  FencedOptions options;
  options.timeoutAfterFence = std::chrono::seconds(3);
  auto launch = prepared->executeFenced(Sum().request, {awaited->first, SyncFence()}, options);
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  ASSERT_EQ(fake_->waitFor.size(), 1u) << "an empty fence has signaled";
  EXPECT_EQ(fake_->waitFor[0].identity(), awaited->first.identity());
  EXPECT_EQ(fake_->timeoutAfterFence, options.timeoutAfterFence);
  awaited->second.signal();
  EXPECT_EQ(fake_->waitFor[0].wait(kPatience), FenceState::Signaled);

  EXPECT_EQ(launch->fence.state(), FenceState::Active);
  EXPECT_EQ(launch->info->executionInfo().code(), ErrorStatus::GeneralFailure);
  fake_->signaler->signal();
  EXPECT_EQ(launch->fence.wait(kPatience), FenceState::Signaled);
  auto times = launch->info->executionInfo();
  ASSERT_TRUE(times.isOk());
  EXPECT_EQ(times->launched.timeInDriver, Duration(2));
  EXPECT_EQ(times->fenced.timeOnDevice, Duration(3));
}

TEST_F(ServiceObjectsTest, ReusableExecutionsReturnFences) {
  auto execution = prepare("fake")->createReusableExecution(Sum().request, {});
  ASSERT_TRUE(execution.isOk());
  auto launch = (*execution)->computeFenced({}, {}, Duration(5));
  ASSERT_TRUE(launch.isOk());
  EXPECT_EQ(fake_->timeoutAfterFence, Duration(5));
  fake_->signaler->fail();
  EXPECT_EQ(launch->fence.wait(kPatience), FenceState::Error);
  EXPECT_FALSE(launch->info->executionInfo().isOk());
}

TEST_F(ServiceObjectsTest, FencesFailWhenServiceEnds) {
  auto launch = prepare("fake")->executeFenced(Sum().request, {}, {});
  ASSERT_TRUE(launch.isOk());
  service_.reset();
  EXPECT_EQ(launch->fence.wait(kPatience), FenceState::Error);
  EXPECT_EQ(launch->info->executionInfo().code(), ErrorStatus::DeadObject);
}

class CallBurstTest : public ServiceFixture {
protected:
  void SetUp() override {
    ServiceFixture::SetUp();
    ConnectOptions options;
    options.burst = BurstKind::Calls;
    auto burst = prepare("fake", options)->configureBurst();
    ASSERT_TRUE(burst.isOk()) << burst.error().message;
    burst_ = *burst;
  }
  SharedMemory pool(size_t index) const { return std::get<SharedMemory>(fake_->request.pools.at(index)); }

  std::shared_ptr<IBurst> burst_;
  Sum sum_;
};

TEST_F(CallBurstTest, SendsNamedMemoryOnce) {
  ExecutionOptions options;
  options.deadline = BootClock::now() + std::chrono::hours(1);
  ASSERT_TRUE(burst_->execute(sum_.request, {5, -1}, options).isOk());
  EXPECT_THAT(fake_->identifiers, ElementsAre(5, -1));
  EXPECT_EQ(fake_->deadline, options.deadline);
  SharedMemory named = pool(0), unnamed = pool(1);
  EXPECT_EQ(fileOf(named), fileOf(sum_.inputs.memory()));
  EXPECT_EQ(fileOf(unnamed), fileOf(sum_.outputs.memory()));
  ASSERT_TRUE(burst_->execute(sum_.request, {5, -1}, {}).isOk());
  EXPECT_EQ(pool(0), named) << "kept by the service";
  EXPECT_NE(pool(1), unnamed) << "sent again";
}

TEST_F(CallBurstTest, SendsNewMemoryUnderReusedIdentifier) {
  ASSERT_TRUE(burst_->execute(sum_.request, {5, 6}, {}).isOk());
  TestPool other(16);
  sum_.request.pools[1] = other.memory();
  ASSERT_TRUE(burst_->execute(sum_.request, {5, 6}, {}).isOk());
  EXPECT_EQ(fileOf(pool(1)), fileOf(other.memory()));
}

TEST_F(CallBurstTest, ReleasedMemoryIsSentAgain) {
  ASSERT_TRUE(burst_->execute(sum_.request, {0, 1}, {}).isOk());
  EXPECT_EQ(service_->counters().descriptorsNow, 2u);
  {
    std::lock_guard lock(fake_->mutex);
    fake_->request = {};
  }
  ASSERT_TRUE(burst_->releaseMemoryResource(0).isOk());
  ASSERT_TRUE(burst_->releaseMemoryResource(12345).isOk());
  EXPECT_EQ(fake_->releases, 2);
  EXPECT_TRUE(reaches(&ServiceCounters::descriptorsNow, 1));
  ASSERT_TRUE(burst_->execute(sum_.request, {0, 1}, {}).isOk());
  EXPECT_EQ(fileOf(pool(0)), fileOf(sum_.inputs.memory()));
  EXPECT_EQ(service_->counters().burstsNow, 1u);
  burst_.reset();
  EXPECT_TRUE(reaches(&ServiceCounters::burstsNow, 0));
}

TEST_F(CallBurstTest, PassesUnusualIdentifiersOn) {
  ASSERT_TRUE(burst_->execute(sum_.request, {-1, 3, 4}, {}).isOk()) << "the fake refuses nothing";
  EXPECT_THAT(fake_->identifiers, ElementsAre(-1, 3, 4));
  EXPECT_EQ(burst_->execute(sum_.request, {-2, 3, 4}, {}).status, ErrorStatus::InvalidArgument);
  EXPECT_EQ(burst_->releaseMemoryResource(-2).code(), ErrorStatus::InvalidArgument);
  sum_.request.pools = {SharedMemory(), BufferToken(9)};
  ASSERT_TRUE(burst_->execute(sum_.request, {1, 2}, {}).isOk());
  EXPECT_TRUE(std::holds_alternative<UnknownHandle>(pool(0)->handle));
  EXPECT_EQ(std::get<BufferToken>(fake_->request.pools[1]), BufferToken(9));
}

TEST_F(ServiceObjectsTest, QueueBurstRunsUntilServiceEnds) {
  auto burst = prepare("fake")->configureBurst();
  ASSERT_TRUE(burst.isOk()) << burst.error().message;
  EXPECT_EQ(service_->counters().burstsNow, 1u);
  Sum sum;
  uint64_t calls = service_->counters().callsEver;
  for (int run = 0; run < 3; ++run) {
    ExecutionOutcome outcome = (*burst)->execute(sum.request, {1, 2}, {});
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
  }
  EXPECT_EQ(executions(), 3);
  EXPECT_EQ(service_->counters().callsEver, calls) << "past the connection";
  auto second = prepare("fake")->configureBurst();
  ASSERT_TRUE(second.isOk());
  *second = nullptr;
  EXPECT_TRUE(reaches(&ServiceCounters::burstsNow, 1));
  service_.reset();
  EXPECT_EQ((*burst)->execute(sum.request, {1, 2}, {}).status, ErrorStatus::DeadObject);
}

} // namespace
} // namespace avocet::hal
