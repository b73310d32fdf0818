//===- BurstTest.cpp - Bursts of executions ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "DeviceGate.h"
#include "execution/BurstExecution.h"

#include <filesystem>
#include <future>
#include <gmock/gmock.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// output = input0 + input1, two floats each.
class DriverBurstTest : public DeviceFixture {
protected:
  void SetUp() override {
    DeviceFixture::SetUp();
    prepared_ = prepare(addModel({2}));
    ASSERT_NE(prepared_, nullptr);
    Result<std::shared_ptr<IBurst>> burst = prepared_->configureBurst();
    ASSERT_TRUE(burst.isOk()) << burst.error().message;
    burst_ = *burst;
  }

  Request request(const TestPool &inputs, const TestPool &outputs) { return requestOf({8, 8}, {8}, inputs, outputs); }
  ExecutionOutcome run(const Request &request, const std::vector<int64_t> &identifiers) {
    return burst_->execute(request, identifiers, {});
  }
  ErrorStatus statusOf(const Request &request, const std::vector<int64_t> &identifiers) {
    return run(request, identifiers).status;
  }
  /// Memory whose file is shorter than it states.
  static SharedMemory unreadable(uint64_t bytes) {
    auto file = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("short", 1)).value());
    return std::make_shared<const Memory>(Memory{Ashmem{std::move(file), bytes}});
  }
  static void fill(TestPool &pool, float first) {
    for (int i = 0; i < 4; ++i)
      pool.as<float>()[i] = first + static_cast<float>(i);
  }

  TestPool inputs_{64}, outputs_{64};
  std::shared_ptr<IPreparedModel> prepared_;
  std::shared_ptr<IBurst> burst_;
};

TEST_F(DriverBurstTest, RepeatsSameRequest) {
  Request same = request(inputs_, outputs_);
  for (int i = 0; i < 20; ++i) {
    fill(inputs_, static_cast<float>(i));
    ExecutionOutcome outcome = run(same, {0, 1});
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
    ASSERT_EQ(outcome.outputShapes.size(), 1u);
    EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(2));
    EXPECT_THAT(outputs_.as<float>().first(2), ElementsAre(2.f * i + 2, 2.f * i + 4));
  }
}

TEST_F(DriverBurstTest, RequestsWithSameMemoriesMayDiffer) {
  fill(inputs_, 1);
  Request same = request(inputs_, outputs_);
  for (uint64_t offset : {0u, 16u, 32u, 48u, 24u, 8u, 0u}) {
    same.outputs[0].location.offset = offset;
    std::ranges::fill(outputs_.as<float>(), 0.f);
    ASSERT_TRUE(run(same, {7, 9}).isOk());
    EXPECT_THAT(outputs_.as<float>().subspan(offset / 4, 2), ElementsAre(4, 6));
  }
  same.inputs[1].location = same.inputs[0].location;
  ASSERT_TRUE(run(same, {7, 9}).isOk());
  EXPECT_THAT(outputs_.as<float>().first(2), ElementsAre(2, 4));
}

TEST_F(DriverBurstTest, ChecksIdentifiers) {
  Request good = request(inputs_, outputs_);
  for (std::vector<int64_t> bad : {std::vector<int64_t>{}, {0}, {0, 1, 2}, {0, -2}})
    EXPECT_EQ(statusOf(good, bad), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusOf(good, {3, 3}), ErrorStatus::InvalidArgument) << "two memories";
  TestPool other(64);
  ASSERT_EQ(statusOf(good, {0, 1}), ErrorStatus::None);
  EXPECT_EQ(statusOf(request(other, outputs_), {0, 1}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusOf(good, {1, 0}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusOf(request(other, outputs_), {-1, 1}), ErrorStatus::None);
  EXPECT_TRUE(burst_->releaseMemoryResource(0).isOk());
  EXPECT_TRUE(burst_->releaseMemoryResource(0).isOk()) << "unknown by now";
  EXPECT_EQ(burst_->releaseMemoryResource(-2).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusOf(request(other, outputs_), {0, 1}), ErrorStatus::None);
}

TEST_F(DriverBurstTest, IdentifiesMemoryByItsFile) {
  fill(inputs_, 1);
  ASSERT_EQ(statusOf(request(inputs_, outputs_), {0, 1}), ErrorStatus::None);
  const auto &original = std::get<Ashmem>(inputs_.memory()->handle);
  Request again = request(inputs_, outputs_);
  again.pools[0] = std::make_shared<const Memory>(
      Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(original.fd->duplicate()).value()), 64}});
  EXPECT_EQ(statusOf(again, {0, 1}), ErrorStatus::None);
}

TEST_F(DriverBurstTest, ReleasedMemoryIsNotUsedAgain) {
  fill(inputs_, 1);
  ASSERT_EQ(statusOf(request(inputs_, outputs_), {0, 1}), ErrorStatus::None);
  TestPool other(64);
  fill(other, 10);
  ASSERT_TRUE(burst_->releaseMemoryResource(0).isOk());
  ASSERT_EQ(statusOf(request(other, outputs_), {0, 1}), ErrorStatus::None);
  EXPECT_THAT(outputs_.as<float>().first(2), ElementsAre(22, 24));
}

TEST_F(DriverBurstTest, RefusesSameRequestsAsExecution) {
  Request good = request(inputs_, outputs_), bad = good;
  bad.inputs.pop_back();
  EXPECT_EQ(statusOf(bad, {0, 1}), ErrorStatus::InvalidArgument);
  bad = good;
  bad.pools[0] = BufferToken{77};
  EXPECT_EQ(statusOf(bad, {0, 1}), ErrorStatus::InvalidArgument);
  bad = good;
  bad.pools[0] = SharedMemory();
  EXPECT_NE(statusOf(bad, {0, 1}), ErrorStatus::None);
  ASSERT_EQ(statusOf(good, {0, 1}), ErrorStatus::None);
  bad = good;
  bad.pools[0] = BufferToken{77};
  EXPECT_EQ(statusOf(bad, {0, 1}), ErrorStatus::InvalidArgument) << "not the kept one";
  ExecutionOptions late;
  late.deadline = BootClock::now() - std::chrono::seconds(1);
  EXPECT_EQ(burst_->execute(good, {0, 1}, late).status, ErrorStatus::MissedDeadlinePersistent);
  bad = good;
  bad.outputs[0].location.length = 4;
  EXPECT_EQ(statusOf(bad, {0, 1}), ErrorStatus::InvalidArgument);
}

TEST_F(DriverBurstTest, AcceptsDeadlineAndMeasuresTime) {
  ExecutionOptions options;
  options.measure = MeasureTiming::Yes;
  options.deadline = BootClock::now() + std::chrono::hours(1);
  options.loopTimeoutDuration = std::chrono::seconds(1);
  ExecutionOutcome outcome = burst_->execute(request(inputs_, outputs_), {0, 1}, options);
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_TRUE(outcome.timing.timeInDriver && outcome.timing.timeOnDevice);
}

/// The state of a buffer is checked at each use, whatever its identifier is.
TEST_F(DriverBurstTest, AcceptsDriverBuffers) {
  auto input = device_->allocate({}, {{prepared_, 0, 1}}, {}), output = device_->allocate({}, {}, {{prepared_, 0, 1}});
  ASSERT_TRUE(input.isOk() && output.isOk());
  TestPool values(8), result(8);
  Request same = request(inputs_, outputs_);
  same.pools = {(*input)->token(), inputs_.memory(), (*output)->token()};
  same.inputs[0].location = {.poolIndex = 0};
  same.inputs[1].location = {.poolIndex = 1, .offset = 0, .length = 8};
  same.outputs[0].location = {.poolIndex = 2};
  fill(inputs_, 1);
  for (std::vector<int64_t> identifiers : {std::vector<int64_t>{-1, 0, -1}, {5, 0, 6}}) {
    EXPECT_EQ(statusOf(same, identifiers), ErrorStatus::GeneralFailure) << "the input is not initialized";
    for (float value : {10.f, 20.f}) {
      std::ranges::fill(values.as<float>(), value);
      ASSERT_TRUE((*input)->copyFrom(values.memory(), {}).isOk());
      ASSERT_EQ(statusOf(same, identifiers), ErrorStatus::None);
      ASSERT_TRUE((*output)->copyTo(result.memory()).isOk());
      EXPECT_THAT(result.as<float>(), ElementsAre(value + 1, value + 2));
    }
    EXPECT_EQ((*input)->copyFrom(unreadable(8), {}).code(), ErrorStatus::GeneralFailure) << "which takes its value";
  }
}

/// A burst on a device that the test can stop.
class BusyBurstTest : public DriverBurstTest {
protected:
  void SetUp() override {
    DriverOptions options;
    options.profileSink = gate_.profileSink();
    open(options);
    prepared_ = prepare(addModel({2}));
    ASSERT_NE(prepared_, nullptr);
    Result<std::shared_ptr<IBurst>> burst = prepared_->configureBurst();
    ASSERT_TRUE(burst.isOk()) << burst.error().message;
    burst_ = *burst;
  }
  void TearDown() override { gate_.open(); }
  DeviceGate gate_;
};

TEST_F(BusyBurstTest, RefusesConcurrentExecution) {
  fill(inputs_, 1);
  const Request same = request(inputs_, outputs_);
  gate_.close();
  auto first = std::async(std::launch::async, [&] { return statusOf(same, {0, 1}); });
  gate_.awaitJob();
  EXPECT_EQ(statusOf(same, {0, 1}), ErrorStatus::GeneralFailure);
  gate_.open();
  EXPECT_EQ(first.get(), ErrorStatus::None);
  EXPECT_EQ(statusOf(same, {0, 1}), ErrorStatus::None);
}

TEST_F(DriverBurstTest, TruncatedMemoryFailsUntilRestored) {
  constexpr uint64_t kBytes = 3 * 4096;
  auto file = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("shrinks", kBytes)).value());
  Request same = request(inputs_, outputs_);
  same.pools[0] = std::make_shared<const Memory>(Memory{Ashmem{file, kBytes}});
  for (RequestArgument &input : same.inputs)
    input.location.offset += 2 * 4096;
  ASSERT_EQ(statusOf(same, {0, 1}), ErrorStatus::None);
  ASSERT_EQ(statusOf(same, {0, 1}), ErrorStatus::None);
  ASSERT_EQ(::ftruncate(file->get(), 0), 0);
  EXPECT_EQ(statusOf(same, {0, 1}), ErrorStatus::GeneralFailure);
  EXPECT_EQ(statusOf(same, {0, 1}), ErrorStatus::GeneralFailure);
  ASSERT_EQ(::ftruncate(file->get(), kBytes), 0);
  EXPECT_EQ(statusOf(same, {0, 1}), ErrorStatus::None) << "mapped anew";
}

size_t numDescriptors() {
  std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

TEST_F(DriverBurstTest, ReleasedMemoriesLeaveNoDescriptors) {
  auto runOnce = [&](int64_t identifier) {
    TestPool input(64);
    fill(input, static_cast<float>(identifier));
    ASSERT_EQ(statusOf(request(input, outputs_), {identifier, 0}), ErrorStatus::None);
    ASSERT_EQ(outputs_.as<float>()[0], 2.f * static_cast<float>(identifier) + 2);
    ASSERT_TRUE(burst_->releaseMemoryResource(identifier).isOk());
  };
  for (int64_t i = 1; i <= 20; ++i)
    runOnce(i);
  size_t before = numDescriptors();
  for (int64_t i = 21; i <= 1000; ++i)
    runOnce(i);
  EXPECT_LE(numDescriptors(), before);
}

TEST_F(DriverBurstTest, UnreleasedMemoriesKeepBoundedDescriptors) {
  ASSERT_EQ(statusOf(request(inputs_, outputs_), {0, 1}), ErrorStatus::None);
  size_t before = numDescriptors();
  for (int64_t i = 2; i < 1000; ++i) {
    TestPool input(64);
    ASSERT_EQ(statusOf(request(input, outputs_), {i, 1}), ErrorStatus::None);
  }
  EXPECT_LE(numDescriptors(), before + BurstExecution::kMaxMemories + ModelMemory::kMaxPools);
}

} // namespace
} // namespace avocet::hal
