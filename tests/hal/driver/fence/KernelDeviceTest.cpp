//===- KernelDeviceTest.cpp - Fences and pools on the kernel driver -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "CopyRig.h"
#include "kernel/SyncFile.h"

#include "avocet/runtime/KernelBackend.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::Each;
namespace kernel = runtime::test;

constexpr uint32_t kCount = 1024; ///< floats: one page
constexpr uint64_t kPage = 4096;
constexpr int kPatienceMs = 60'000;

/// output = input + 1 over pools of one page each.
class KernelDeviceTest : public DeviceFixture {
protected:
  void SetUp() override {
    DriverOptions options;
    options.backend = "kernel";
    open(options);
    model_ = prepare(addConstantModel(std::vector<float>(kCount, 1)));
    ASSERT_NE(model_, nullptr);
  }

  static Request step(const TestPool &input, const TestPool &output) {
    return requestOf({kPage}, {kPage}, input, output);
  }

  FencedLaunch launch(const Request &request, const std::vector<SyncFence> &waitFor) {
    auto launched = model_->executeFenced(request, waitFor, {});
    EXPECT_TRUE(launched.isOk()) << launched.error().message;
    return launched ? *launched : FencedLaunch{};
  }

  static SyncFence fenceOf(FileDescriptor file) {
    return *SyncFence::adopt(std::make_shared<const FileDescriptor>(std::move(file)));
  }

  TestPool first_{kPage}, second_{kPage}, third_{kPage};
  std::shared_ptr<IPreparedModel> model_;
};

/// A job of another open device, that ends when the test wants it to.
struct ForeignJob {
  ForeignJob() : device(openDevice()), client(device), job(client.makeEndlessJob()) {
    runtime::SubmitOptions options;
    options.endFile = &end;
    EXPECT_TRUE(client.queue->submit(*job.job, options).isOk());
  }
  static std::shared_ptr<runtime::Device> openDevice() {
    runtime::registerKernelBackend();
    return kernel::openTestDevice("kernel");
  }
  ~ForeignJob() { (void)job.job->cancel(); }

  std::shared_ptr<runtime::Device> device;
  kernel::CopyClient client;
  kernel::CopyJob job;
  FileDescriptor end;
};

} // namespace

TEST_F(KernelDeviceTest, FenceIsSyncFile) {
  first_.as<float>()[7] = 41;
  const FencedLaunch run = launch(step(first_, second_), {});
  ASSERT_TRUE(run.fence.isSyncFile());
  ASSERT_TRUE(kernel::polls(*run.fence.handle(), kPatienceMs));
  EXPECT_EQ(kernel::statusOf(*run.fence.handle()), 1);
  EXPECT_EQ(run.fence.state(), FenceState::Signaled);
  EXPECT_EQ(second_.as<float>()[7], 42);
}

TEST_F(KernelDeviceTest, ChainsOfSyncFilesNeedNoHost) {
  first_.as<float>()[0] = 1;
  const FencedLaunch one = launch(step(first_, second_), {});
  const FencedLaunch two = launch(step(second_, third_), {one.fence});
  const FileDescriptor both = kernel::merge(*one.fence.handle(), *two.fence.handle());
  const FencedLaunch three = launch(step(third_, first_), {fenceOf(both.duplicate().value())});
  EXPECT_TRUE(two.fence.isSyncFile() && three.fence.isSyncFile());
  EXPECT_EQ(three.fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(first_.as<float>()[0], 4);
}

/// The fence may signal before the driver's thread has handled the end of the job.
TEST_F(KernelDeviceTest, SignaledFenceMeansSettledExecution) {
  auto execution = model_->createReusableExecution(step(first_, second_), {});
  ASSERT_TRUE(execution.isOk());
  for (int round = 0; round < 100; ++round) {
    first_.as<float>()[0] = static_cast<float>(round);
    auto run = (*execution)->computeFenced({}, {}, {});
    ASSERT_TRUE(run.isOk()) << "round " << round << ": " << run.error().message;
    ASSERT_TRUE(kernel::polls(*run->fence.handle(), kPatienceMs));
    if (round % 2 == 0) {
      EXPECT_EQ(run->info->executionInfo().code(), ErrorStatus::None) << "round " << round;
    }
    EXPECT_EQ(second_.as<float>()[0], static_cast<float>(round + 1));
  }
}

TEST_F(KernelDeviceTest, FailureOfForeignSyncFileFailsExecution) {
  ForeignJob foreign;
  const FencedLaunch run = launch(step(first_, second_), {fenceOf(foreign.end.duplicate().value())});
  ASSERT_TRUE(run.fence.isSyncFile());
  EXPECT_EQ(run.fence.state(), FenceState::Active);
  ASSERT_TRUE(foreign.job.job->cancel().isOk());
  EXPECT_EQ(run.fence.wait(std::nullopt), FenceState::Error);
  EXPECT_EQ(run.info->executionInfo().code(), ErrorStatus::GeneralFailure);
}

TEST_F(KernelDeviceTest, FailedSyncFileIsInvalidArgument) {
  ForeignJob foreign;
  ASSERT_TRUE(foreign.job.job->cancel().isOk());
  ASSERT_TRUE(kernel::polls(foreign.end, kPatienceMs));
  EXPECT_EQ(model_->executeFenced(step(first_, second_), {fenceOf(std::move(foreign.end))}, {}).code(),
            ErrorStatus::InvalidArgument);
}

/// The host waits for fences of other kinds, so there is no job yet whose sync_file could be returned.
TEST_F(KernelDeviceTest, WaitsForOtherFencesOnHost) {
  const FileDescriptor event(::eventfd(0, EFD_CLOEXEC));
  const FencedLaunch one = launch(step(first_, second_), {fenceOf(event.duplicate().value())});
  EXPECT_FALSE(one.fence.isSyncFile());
  const FencedLaunch two = launch(step(second_, third_), {one.fence});
  first_.as<float>()[0] = 5;
  const uint64_t count = 1;
  ASSERT_EQ(::write(event.get(), &count, sizeof(count)), ssize_t(sizeof(count)));
  EXPECT_EQ(two.fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(third_.as<float>()[0], 7);
}

TEST_F(KernelDeviceTest, MemoryFilesAreNotCopied) {
  std::ranges::fill(first_.as<float>(), 2.f);
  for (int round = 0; round < 10; ++round)
    ASSERT_TRUE(model_->execute(step(first_, second_), {}).isOk());
  EXPECT_THAT(second_.as<float>(), Each(3.f));
  EXPECT_EQ(driver_->counters().hostBytesCopied, 0u);
  EXPECT_EQ(driver_->counters().poolsMapped, 2u);
}

/// Input on a udmabuf, output in the system's heap.
TEST_F(KernelDeviceTest, DmaBufsAreNotCopied) {
  const FileDescriptor memory = kernel::makeMemoryFile(kPage);
  FileDescriptor input = kernel::makeUdmabuf(memory, kPage), output = kernel::makeHeapBuffer(kPage);
  ASSERT_TRUE(input.isValid() && output.isValid());
  Mapping written = Mapping::map(memory.get(), kPage, Mapping::Access::ReadWrite).value();
  const Mapping read = Mapping::map(output.get(), kPage, Mapping::Access::Read).value();
  auto poolOf = [](FileDescriptor file) {
    return std::make_shared<const Memory>(Memory{
        MappableFile{std::make_shared<const FileDescriptor>(std::move(file)), 0, kPage, PROT_READ | PROT_WRITE}});
  };
  Request request = step(first_, second_);
  request.pools = {poolOf(std::move(input)), poolOf(std::move(output))};
  for (float value : {3.f, 8.f}) {
    std::ranges::fill(std::span(reinterpret_cast<float *>(written.bytes().data()), kCount), value);
    const ExecutionOutcome outcome = model_->execute(request, {});
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
    EXPECT_THAT(std::span(reinterpret_cast<const float *>(read.bytes().data()), kCount), Each(value + 1));
  }
  EXPECT_EQ(driver_->counters().hostBytesCopied, 0u);
  EXPECT_EQ(driver_->counters().poolsMapped, 2u);
}

} // namespace avocet::hal
