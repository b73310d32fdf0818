//===- FenceTest.cpp - Fences between jobs of contexts, files and processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "Client.h"
#include "SyncFile.h"

#include "avocet/firmware_iface/Fault.h"

#include <gtest/gtest.h>

namespace avocet::uapi {
namespace {

using namespace std::chrono_literals;
using firmware::FaultCode;

constexpr auto kComplete = uint32_t(AVOCET_JOB_COMPLETE);

/// A job whose region is too short for it.
Submitted submitFailing(Client &client) {
  const std::vector<avocet_region> good = client.regions;
  client.regions[1].size = Client::kBytes - 1;
  Submitted job = client.submit(Program::Copy);
  client.regions = good;
  return job;
}

class FenceTest : public testing::Test {
protected:
  Device device_;
  Client first_{device_}, second_{device_};
};

TEST_F(FenceTest, SignalsWhenJobHasEnded) {
  Submitted gate = first_.submit(Program::Gate);
  ASSERT_EQ(gate.error, 0);
  EXPECT_FALSE(signals(gate.fence, 20ms));
  EXPECT_EQ(statusOf(gate.fence), 0);
  first_.openGate();
  EXPECT_TRUE(signals(gate.fence, kPatience));
  EXPECT_EQ(statusOf(gate.fence), 1);
  EXPECT_EQ(first_.wait(gate.job, 0).state, kComplete) << "the outcome is known when the fence signals";
}

TEST_F(FenceTest, NoFenceWithoutFlag) {
  avocet_submit call = first_.describe(Program::Copy);
  ASSERT_EQ(device_.call(AVOCET_IOCTL_SUBMIT, call), 0);
  EXPECT_EQ(call.out_fence, -1);
  EXPECT_EQ(first_.wait(call.job).state, kComplete);
}

TEST_F(FenceTest, FailedJobSignalsError) {
  const Submitted job = submitFailing(first_);
  EXPECT_TRUE(signals(job.fence, kPatience));
  EXPECT_EQ(statusOf(job.fence), -EIO);
}

TEST_F(FenceTest, JobWaitsForJobOfAnotherContext) {
  second_.fill(5);
  const Submitted gate = first_.submit(Program::Gate);
  const Submitted job = second_.submit(Program::Copy, {gate.fence.get()});
  EXPECT_FALSE(signals(job.fence, 50ms));
  EXPECT_FALSE(second_.hasCopied(5));
  first_.openGate();
  EXPECT_EQ(second_.wait(job.job).state, kComplete);
  EXPECT_TRUE(second_.hasCopied(5));
}

TEST_F(FenceTest, ChainRunsThroughFilesInOrder) {
  const Device otherDevice;
  Client other(otherDevice);
  Client *const clients[] = {&first_, &other, &second_};
  Submitted last = first_.submit(Program::Gate);
  for (int i = 0; i < 30; ++i) {
    Client &client = *clients[i % 3];
    client.fill(uint8_t(i));
    last = client.submit(Program::Copy, {last.fence.get()});
    ASSERT_EQ(last.error, 0);
  }
  EXPECT_FALSE(signals(last.fence, 20ms));
  first_.openGate();
  EXPECT_TRUE(signals(last.fence, kPatience));
  EXPECT_EQ(statusOf(last.fence), 1);
  EXPECT_TRUE(second_.hasCopied(29));
}

TEST_F(FenceTest, MergedFenceWaitsForBoth) {
  const Device thirdDevice;
  Client third(thirdDevice);
  third.fill(8);
  const Submitted one = first_.submit(Program::Gate), two = second_.submit(Program::Copy, {one.fence.get()});
  const FileDescriptor both = merge(one.fence, two.fence);
  ASSERT_TRUE(both.isValid());
  const Submitted job = third.submit(Program::Copy, {both.get()});
  EXPECT_FALSE(signals(job.fence, 20ms));
  first_.openGate();
  EXPECT_EQ(third.wait(job.job).state, kComplete);
  EXPECT_TRUE(third.hasCopied(8));
  EXPECT_EQ(statusOf(both), 1);
}

TEST_F(FenceTest, FailedDependencyFailsJob) {
  const Submitted failed = submitFailing(first_);
  ASSERT_TRUE(signals(failed.fence, kPatience));
  const Submitted late = second_.submit(Program::Copy, {failed.fence.get()});
  EXPECT_EQ(second_.wait(late.job).fault, uint32_t(FaultCode::DependencyFailed));
  EXPECT_TRUE(signals(late.fence, kPatience));
  EXPECT_LT(statusOf(late.fence), 0);
}

TEST_F(FenceTest, FailureRunsThroughChainAndMerge) {
  const Submitted gate = first_.submit(Program::Gate), failed = submitFailing(first_);
  const Submitted good = second_.submit(Program::Copy);
  const FileDescriptor both = merge(good.fence, failed.fence);
  const Submitted dependent = second_.submit(Program::Copy, {both.get()});
  const Submitted last = second_.submit(Program::Copy, {dependent.fence.get()});
  first_.openGate();
  EXPECT_EQ(second_.wait(good.job).state, kComplete);
  EXPECT_EQ(second_.wait(dependent.job).fault, uint32_t(FaultCode::DependencyFailed));
  EXPECT_EQ(second_.wait(last.job).fault, uint32_t(FaultCode::DependencyFailed));
  const Submitted unrelated = second_.submit(Program::Copy);
  EXPECT_EQ(second_.wait(unrelated.job).state, kComplete);
}

TEST_F(FenceTest, SixteenFencesAreAwaited) {
  std::vector<Submitted> jobs;
  std::vector<int> fences;
  jobs.push_back(first_.submit(Program::Gate));
  for (int i = 1; i < 16; ++i)
    jobs.push_back(first_.submit(Program::Copy));
  for (const Submitted &job : jobs)
    fences.push_back(job.fence.get());
  const Submitted job = second_.submit(Program::Copy, fences);
  EXPECT_FALSE(signals(job.fence, 20ms));
  first_.openGate();
  EXPECT_EQ(second_.wait(job.job).state, kComplete);
}

TEST_F(FenceTest, FenceOfAnotherProcessIsAwaited) {
  Child child([](int socket) {
    const Device device;
    Client client(device);
    const Submitted gate = client.submit(Program::Gate);
    sendDescriptor(socket, gate.fence.get());
    awaitByte(socket);
    client.openGate();
    return client.wait(gate.job).state == kComplete ? 0 : 1;
  });
  const FileDescriptor fence = receiveDescriptor(child.socket());
  ASSERT_TRUE(fence.isValid());
  first_.fill(77);
  const Submitted job = first_.submit(Program::Copy, {fence.get()});
  EXPECT_FALSE(signals(job.fence, 50ms));
  sendByte(child.socket());
  EXPECT_EQ(first_.wait(job.job).state, kComplete);
  EXPECT_TRUE(first_.hasCopied(77));
  EXPECT_EQ(child.join(), 0);
}

TEST_F(FenceTest, FenceOutlivesContextAndFile) {
  FileDescriptor fence;
  {
    const Device other;
    Client client(other);
    Submitted gate = client.submit(Program::Gate);
    fence = std::move(gate.fence);
    EXPECT_EQ(statusOf(fence), 0);
  }
  EXPECT_TRUE(signals(fence, kPatience));
  EXPECT_EQ(statusOf(fence), -ECANCELED);
}

} // namespace
} // namespace avocet::uapi
