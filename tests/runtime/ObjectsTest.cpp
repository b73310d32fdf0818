//===- ObjectsTest.cpp - Devices, buffers, executables, jobs and queues --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <algorithm>
#include <array>

namespace avocet::runtime::test {
namespace {

constexpr uint32_t kBytes = 64;

/// A device, a context, and the copy model loaded into it.
class ObjectsTest : public testing::Test {
protected:
  void SetUp() override {
    registerSimBackend();
    device_ = openDevice();
    context_ = Context::create(device_).value();
    executable_ = load(copyModel(*testTarget(), kBytes)).value();
  }

  static std::shared_ptr<Device> openDevice() {
    BackendOptions options;
    options.target = testTarget();
    Result<std::shared_ptr<Device>> device = Device::open("sim", options);
    EXPECT_TRUE(device.isOk()) << device.status().toString();
    return device.value();
  }

  static std::shared_ptr<const cache::ModelCache> adopt(const cache::ModelDescription &description) {
    Result<std::vector<uint8_t>> bytes = cache::writeModelCache(description);
    EXPECT_TRUE(bytes.isOk()) << bytes.status().toString();
    auto model = cache::ModelCache::adopt(bytes.value(), "test");
    EXPECT_TRUE(model.isOk()) << model.status().toString();
    return model.value();
  }

  static std::shared_ptr<const cache::DataCache> data(size_t bytes) {
    return cache::DataCache::fromBytes(std::vector<uint8_t>(bytes)).value();
  }

  Result<std::shared_ptr<const Executable>> load(const cache::ModelDescription &description) {
    return Executable::load(context_, adopt(description), *data(0));
  }

  std::shared_ptr<BufferMapping> mapBuffer(uint64_t bytes, Access access) {
    return context_->map(Buffer::create(device_, bytes).value(), access).value();
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<const Executable> executable_;
};

TEST_F(ObjectsTest, NullArgumentsAreRefused) {
  EXPECT_EQ(Device::adopt(nullptr).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Context::create(nullptr).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Buffer::create(nullptr, 1).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Buffer::import(nullptr, FileDescriptor(), 0, 1, true).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(context_->map(nullptr, Access::Read).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Executable::load(nullptr, nullptr, *data(0)).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Job::create(nullptr).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Queue::create(nullptr).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Queue::create(context_, Queue::kMaxPriority + 1).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Job::create(executable_).value()->bindInput(0, nullptr).code(), StatusCode::InvalidArgument);
}

TEST_F(ObjectsTest, UnknownBackendsAreListed) {
  BackendOptions options;
  options.target = testTarget();
  Status status = Device::open("warp", options).status();
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_NE(status.message().find("null"), std::string::npos) << status.message();
  EXPECT_EQ(Device::open("null:argument", options).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Device::open("recorder", options).status().code(), StatusCode::InvalidArgument);
  options.target = nullptr;
  EXPECT_EQ(Device::open("null", options).status().code(), StatusCode::InvalidArgument);
}

TEST_F(ObjectsTest, RunsSameJobRepeatedly) {
  auto job = Job::create(executable_).value();
  auto input = mapBuffer(kBytes, Access::Read), output = mapBuffer(kBytes, Access::Write);
  ASSERT_TRUE(job->bindInput(0, input).isOk());
  ASSERT_TRUE(job->bindOutput(0, output).isOk());
  auto queue = Queue::create(context_, 3).value();
  for (uint8_t round = 1; round < 5; ++round) {
    std::ranges::fill(input->buffer()->bytes(), round);
    Status status = queue->run(*job);
    ASSERT_TRUE(status.isOk()) << status.toString();
    EXPECT_TRUE(std::ranges::all_of(output->buffer()->bytes(), [&](uint8_t byte) { return byte == round; }));
    EXPECT_GT(job->fence()->outcome().counters.cycles, 0u);
  }
}

/// The copy program in an infinite loop.
cache::ModelDescription endlessModel() {
  using namespace firmware;
  cache::ModelDescription model = copyModel(*testTarget(), kBytes);
  const std::vector<ControlInstruction> endless = {LoopEnterInstruction{0}, LoopCheckInstruction{0}, RunInstruction{0},
                                                   JumpInstruction{1}, EndInstruction{}};
  model.control = encodeControl(endless);
  return model;
}

TEST_F(ObjectsTest, NextJobRunsAfterLoopTimeout) {
  auto endless = Job::create(load(endlessModel()).value()).value();
  auto input = mapBuffer(kBytes, Access::Read), output = mapBuffer(kBytes, Access::Write);
  ASSERT_TRUE(endless->bindInput(0, input).isOk());
  ASSERT_TRUE(endless->bindOutput(0, output).isOk());
  std::ranges::fill(input->buffer()->bytes(), 7);
  auto queue = Queue::create(context_).value();
  for (uint64_t nanoseconds : {1'000'000u, 2'000'000u}) {
    endless->setLoopTimeout(nanoseconds);
    EXPECT_EQ(queue->run(*endless).code(), StatusCode::DeadlineExceeded);
    const JobOutcome outcome = endless->fence()->outcome();
    EXPECT_EQ(outcome.fault, firmware::FaultCode::LoopTimeout);
    EXPECT_EQ(outcome.faultCommand, 1u);
    const double cycles = static_cast<double>(nanoseconds) * 1e-9 * static_cast<double>(testTarget()->clockHz());
    EXPECT_GT(static_cast<double>(outcome.counters.cycles), cycles);
    EXPECT_LT(static_cast<double>(outcome.counters.cycles), 1.1 * cycles);
  }
  auto job = Job::create(executable_).value();
  ASSERT_TRUE(job->bindInput(0, input).isOk());
  ASSERT_TRUE(job->bindOutput(0, output).isOk());
  ASSERT_TRUE(queue->run(*job).isOk());
  EXPECT_TRUE(std::ranges::all_of(output->buffer()->bytes(), [](uint8_t byte) { return byte == 7; }));
}

TEST_F(ObjectsTest, BindsPartsOfBuffers) {
  auto job = Job::create(executable_).value();
  auto both = mapBuffer(4 * kBytes, Access::ReadWrite);
  std::ranges::fill(both->buffer()->bytes().subspan(kBytes, kBytes), 9);
  ASSERT_TRUE(job->bindInput(0, both, kBytes).isOk());
  ASSERT_TRUE(job->bindOutput(0, both, 3 * kBytes).isOk());
  ASSERT_TRUE(Queue::create(context_).value()->run(*job).isOk());
  EXPECT_EQ(both->buffer()->bytes()[2 * kBytes], 0);
  EXPECT_EQ(both->buffer()->bytes()[3 * kBytes], 9);
  EXPECT_EQ(both->buffer()->bytes()[4 * kBytes - 1], 9);
}

TEST_F(ObjectsTest, BindingChecksRangeAccessAndContext) {
  auto job = Job::create(executable_).value();
  auto small = mapBuffer(kBytes - 1, Access::ReadWrite), readOnly = mapBuffer(kBytes, Access::Read);
  EXPECT_EQ(job->bindInput(0, small).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(job->bindInput(0, readOnly, 1).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(job->bindInput(0, readOnly, UINT64_MAX).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(job->bindOutput(0, readOnly).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(job->bindInput(1, readOnly).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(job->bindOutput(1, readOnly).code(), StatusCode::InvalidArgument);
  auto other = Context::create(device_).value();
  auto foreign = other->map(Buffer::create(device_, kBytes).value(), Access::Read).value();
  EXPECT_EQ(job->bindInput(0, foreign).code(), StatusCode::InvalidArgument);
}

TEST_F(ObjectsTest, UnboundJobsAreRefused) {
  auto job = Job::create(executable_).value();
  auto queue = Queue::create(context_).value();
  ASSERT_TRUE(job->bindInput(0, mapBuffer(kBytes, Access::Read)).isOk());
  Status status = queue->submit(*job);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find("output 0"), std::string::npos) << status.message();
  EXPECT_TRUE(job->fence()->isSignaled());
}

TEST_F(ObjectsTest, EmptyRegionsNeedNoBuffer) {
  cache::ModelDescription description = copyModel(*testTarget(), kBytes);
  description.regions.push_back({cache::RegionKind::Constants, 0, 0});
  auto job = Job::create(load(description).value()).value();
  auto input = mapBuffer(kBytes, Access::Read), output = mapBuffer(kBytes, Access::Write);
  auto queue = Queue::create(context_).value();
  ASSERT_TRUE(job->bindInput(0, input).isOk());
  EXPECT_EQ(queue->submit(*job).code(), StatusCode::FailedPrecondition);
  ASSERT_TRUE(job->bindOutput(0, output).isOk());
  std::ranges::fill(input->buffer()->bytes(), uint8_t(42));
  Status status = queue->run(*job);
  ASSERT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(output->buffer()->bytes().front(), 42);
}

TEST_F(ObjectsTest, JobsOfOtherContextsAreRefused) {
  auto job = Job::create(executable_).value();
  auto other = Queue::create(Context::create(device_).value()).value();
  EXPECT_EQ(other->submit(*job).code(), StatusCode::InvalidArgument);
}

TEST_F(ObjectsTest, ObjectsMayBeReleasedInAnyOrder) {
  auto job = Job::create(executable_).value();
  ASSERT_TRUE(job->bindInput(0, mapBuffer(kBytes, Access::Read)).isOk());
  ASSERT_TRUE(job->bindOutput(0, mapBuffer(kBytes, Access::Write)).isOk());
  auto queue = Queue::create(context_).value();
  executable_.reset();
  context_.reset();
  device_.reset();
  EXPECT_TRUE(queue->run(*job).isOk());
  queue.reset();
  job.reset();
}

TEST_F(ObjectsTest, ModelsOfOtherTargetsAreRefused) {
  cache::ModelDescription description = copyModel(*testTarget(), kBytes);
  description.targetFingerprint ^= 1;
  EXPECT_EQ(load(description).status().code(), StatusCode::FailedPrecondition);
}

TEST_F(ObjectsTest, DataOfAnotherSizeIsRefused) {
  auto model = adopt(copyModel(*testTarget(), kBytes));
  EXPECT_EQ(Executable::load(context_, model, *data(1)).status().code(), StatusCode::FailedPrecondition);
}

TEST_F(ObjectsTest, BuffersBelongToOneDevice) {
  auto foreign = Buffer::create(openDevice(), kBytes).value();
  EXPECT_EQ(context_->map(foreign, Access::Read).status().code(), StatusCode::InvalidArgument);
}

TEST_F(ObjectsTest, MemoryOfTheCallerIsUsedInPlace) {
  alignas(kPageBytes) static std::array<uint8_t, 2 * kPageBytes> memory = {};
  const std::span<uint8_t> from(memory.data(), kPageBytes), to(memory.data() + kPageBytes, kBytes);
  const auto input = Buffer::importMemory(device_, from, /*writable=*/false).value();
  const auto output = Buffer::importMemory(device_, to, /*writable=*/true).value();
  EXPECT_EQ(input->bytes().data(), from.data());
  auto job = Job::create(executable_).value();
  EXPECT_TRUE(job->bindInput(0, context_->map(input, Access::Read).value(), 16).isOk());
  EXPECT_TRUE(job->bindOutput(0, context_->map(output, Access::Write).value()).isOk());
  std::ranges::fill(from.subspan(16, kBytes), uint8_t{7});
  ASSERT_TRUE(Queue::create(context_).value()->run(*job).isOk());
  EXPECT_TRUE(std::ranges::all_of(to, [](uint8_t byte) { return byte == 7; }));
  EXPECT_EQ(context_->map(input, Access::Write).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(input->exportDescriptor().status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(Buffer::importMemory(device_, from.subspan(1), true).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Buffer::importMemory(nullptr, from, true).status().code(), StatusCode::InvalidArgument);
}

TEST_F(ObjectsTest, BuffersAreSharedThroughDescriptors) {
  auto buffer = Buffer::create(device_, kBytes).value();
  FileDescriptor file = buffer->exportDescriptor().value();
  auto again = Buffer::import(device_, file, 0, kBytes, false).value();
  buffer->bytes()[5] = 77;
  EXPECT_EQ(std::as_const(*again).bytes()[5], 77);
  EXPECT_FALSE(again->isWritable());
}

} // namespace
} // namespace avocet::runtime::test
