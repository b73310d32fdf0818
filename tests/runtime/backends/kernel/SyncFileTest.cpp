//===- SyncFileTest.cpp - sync_files as conditions and ends of jobs -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncFile.h"
#include "CopyRig.h"

#include "avocet/runtime/KernelBackend.h"

namespace avocet::runtime::test {
namespace {

using firmware::FaultCode;

constexpr int kPatienceMs = 60'000;

class SyncFileTest : public testing::Test {
protected:
  void SetUp() override {
    registerKernelBackend();
    device_ = openTestDevice("kernel");
    ASSERT_TRUE(device_->properties().hasSyncFiles);
    low_ = std::make_unique<CopyClient>(device_, 1, 0);
    high_ = std::make_unique<CopyClient>(device_, 2, Queue::kMaxPriority);
  }

  /// Submits a job after the files; the descriptor of its end.
  static FileDescriptor submit(CopyClient &client, CopyJob &job, const std::vector<int> &after = {}) {
    FileDescriptor end;
    SubmitOptions options;
    options.syncFiles = after;
    options.endFile = &end;
    const Status status = client.queue->submit(*job.job, options);
    EXPECT_TRUE(status.isOk()) << status.toString();
    return end;
  }

  std::shared_ptr<Device> device_;
  std::unique_ptr<CopyClient> low_, high_; ///< two contexts; jobs of the second run first
};

} // namespace

TEST_F(SyncFileTest, EndOfJobIsSyncFile) {
  CopyJob job = low_->makeJob();
  job.fill(3);
  const FileDescriptor end = submit(*low_, job);
  ASSERT_TRUE(polls(end, kPatienceMs));
  EXPECT_EQ(statusOf(end), 1);
  EXPECT_TRUE(job.hasCopied(3));
}

TEST_F(SyncFileTest, FailsWithJobAndIsActiveBefore) {
  CopyJob endless = low_->makeEndlessJob();
  const FileDescriptor end = submit(*low_, endless);
  EXPECT_EQ(statusOf(end), 0);
  EXPECT_FALSE(polls(end, 0));
  ASSERT_TRUE(endless.job->cancel().isOk());
  ASSERT_TRUE(polls(end, kPatienceMs));
  EXPECT_EQ(statusOf(end), -ECANCELED);
}

/// The second job has the higher priority, and would read the old bytes if it did not wait for the first one's end.
TEST_F(SyncFileTest, JobWaitsForSyncFileOfAnotherContext) {
  CopyJob blocker = low_->makeEndlessJob(), first = low_->makeJob(), second = high_->makeJob();
  first.fill(4);
  auto shared = high_->context->map(first.output->buffer(), Access::Read);
  ASSERT_TRUE(shared.isOk());
  ASSERT_TRUE(second.job->bindInput(0, *shared).isOk());
  const FileDescriptor blocked = submit(*low_, blocker);
  const FileDescriptor firstEnd = submit(*low_, first);
  const FileDescriptor secondEnd = submit(*high_, second, {firstEnd.get()});
  EXPECT_EQ(statusOf(secondEnd), 0);
  ASSERT_TRUE(blocker.job->cancel().isOk());
  ASSERT_TRUE(polls(secondEnd, kPatienceMs));
  EXPECT_EQ(statusOf(secondEnd), 1);
  EXPECT_EQ(statusOf(firstEnd), 1);
  EXPECT_TRUE(second.hasCopied(4));
}

/// A merged fence is of no driver: the kernel waits for it as for those of other devices.
TEST_F(SyncFileTest, JobWaitsForMergedSyncFiles) {
  CopyJob first = low_->makeJob(), second = high_->makeJob(), third = high_->makeJob();
  first.fill(5);
  second.fill(6);
  auto shared = high_->context->map(first.output->buffer(), Access::Read);
  ASSERT_TRUE(shared.isOk());
  ASSERT_TRUE(third.job->bindInput(0, *shared).isOk());
  const FileDescriptor both = merge(submit(*low_, first), submit(*high_, second));
  ASSERT_TRUE(both.isValid());
  const FileDescriptor end = submit(*high_, third, {both.get()});
  ASSERT_TRUE(polls(end, kPatienceMs));
  EXPECT_EQ(statusOf(end), 1);
  EXPECT_TRUE(third.hasCopied(5));
}

TEST_F(SyncFileTest, FailedSyncFileEndsJob) {
  CopyJob endless = low_->makeEndlessJob(), waiting = high_->makeJob();
  const FileDescriptor failing = submit(*low_, endless);
  const FileDescriptor end = submit(*high_, waiting, {failing.get()});
  ASSERT_TRUE(endless.job->cancel().isOk());
  ASSERT_TRUE(polls(end, kPatienceMs));
  EXPECT_LT(statusOf(end), 0);
  ASSERT_TRUE(waiting.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(waiting.fault(), FaultCode::DependencyFailed);
}

/// As a compositor does it: the fence travels in the buffer.
TEST_F(SyncFileTest, BufferOfAnotherDriverCarriesEndOfJob) {
  const FileDescriptor memory = makeMemoryFile(kPageBytes), buffer = makeUdmabuf(memory, kPageBytes);
  ASSERT_TRUE(buffer.isValid());
  CopyJob endless = low_->makeEndlessJob();
  const FileDescriptor end = submit(*low_, endless);
  DmaBufSyncFile import{DMA_BUF_SYNC_WRITE, end.get()};
  ASSERT_EQ(::ioctl(buffer.get(), kImportSyncFile, &import), 0);
  EXPECT_FALSE(polls(buffer, 0));
  DmaBufSyncFile exported{DMA_BUF_SYNC_READ, -1};
  ASSERT_EQ(::ioctl(buffer.get(), kExportSyncFile, &exported), 0);
  const FileDescriptor fromBuffer(exported.fd);
  CopyJob waiting = high_->makeJob();
  const FileDescriptor waitingEnd = submit(*high_, waiting, {fromBuffer.get()});
  EXPECT_EQ(statusOf(fromBuffer), 0);
  EXPECT_EQ(statusOf(waitingEnd), 0);
  ASSERT_TRUE(endless.job->cancel().isOk());
  EXPECT_TRUE(polls(buffer, kPatienceMs));
  EXPECT_TRUE(polls(waitingEnd, kPatienceMs));
  EXPECT_LT(statusOf(waitingEnd), 0);
}

TEST_F(SyncFileTest, RefusesMoreThanDeviceCanAwait) {
  CopyJob done = low_->makeJob(), job = low_->makeJob();
  const FileDescriptor end = submit(*low_, done);
  const std::vector<int> many(firmware::kMaxDependencies + 1, end.get());
  SubmitOptions options;
  options.syncFiles = many;
  EXPECT_EQ(low_->queue->submit(*job.job, options).code(), StatusCode::InvalidArgument);
}

TEST_F(SyncFileTest, DescriptorOfAnotherKindFailsJob) {
  const FileDescriptor memory = makeMemoryFile(kPageBytes);
  CopyJob job = low_->makeJob();
  EXPECT_FALSE(submit(*low_, job, {memory.get()}).isValid());
  ASSERT_TRUE(job.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(job.fault(), FaultCode::HardwareError);
}

TEST(SyncFileOnSimulator, IsInvalidArgument) {
  auto device = openTestDevice();
  CopyClient client(device);
  CopyJob job = client.makeJob();
  const int any[] = {0};
  SubmitOptions options;
  options.syncFiles = any;
  EXPECT_EQ(client.queue->submit(*job.job, options).code(), StatusCode::InvalidArgument);
}

} // namespace avocet::runtime::test
