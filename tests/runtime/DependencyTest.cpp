//===- DependencyTest.cpp - Dependencies between jobs -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"

namespace avocet::runtime::test {
namespace {

using namespace std::chrono_literals;
using firmware::FaultCode;

class DependencyTest : public testing::Test {
protected:
  static SubmitOptions after(std::span<Fence *const> fences) {
    SubmitOptions options;
    options.after = fences;
    return options;
  }

  std::shared_ptr<Device> device_ = openTestDevice();
};

TEST_F(DependencyTest, DependenciesOrderJobsAcrossContexts) {
  CopyClient first(device_, 1, 0), second(device_, 2, firmware::kMaxPriority);
  CopyJob producer = first.makeJob(), consumer = second.makeJob();
  // The consumer reads the producer's output, and has the higher priority.
  auto shared = second.context->map(producer.output->buffer(), Access::Read).value();
  ASSERT_TRUE(consumer.job->bindInput(0, shared).isOk());
  for (int round = 0; round < 200; ++round) {
    const auto value = static_cast<uint8_t>(round + 1);
    producer.fill(value);
    Fence *const fences[] = {producer.job->fence().get()};
    ASSERT_TRUE(first.queue->submit(*producer.job).isOk());
    ASSERT_TRUE(second.queue->run(*consumer.job, after(fences)).isOk());
    EXPECT_TRUE(consumer.hasCopied(value)) << "round " << round;
    producer.job->fence()->wait();
  }
}

TEST_F(DependencyTest, LaterFailureFailsWaitingJobs) {
  CopyClient first(device_, 1), second(device_, 2), third(device_, 3);
  CopyJob endless = first.makeEndlessJob(), waiting = second.makeJob(), last = third.makeJob();
  ASSERT_TRUE(first.queue->submit(*endless.job).isOk());
  Fence *const onEndless[] = {endless.job->fence().get()};
  Fence *const onWaiting[] = {waiting.job->fence().get()};
  ASSERT_TRUE(second.queue->submit(*waiting.job, after(onEndless)).isOk());
  ASSERT_TRUE(third.queue->submit(*last.job, after(onWaiting)).isOk());
  EXPECT_EQ(waiting.job->fence()->waitFor(5ms).code(), StatusCode::DeadlineExceeded);
  EXPECT_TRUE(endless.job->cancel().isOk());
  for (CopyJob *job : {&waiting, &last}) {
    ASSERT_TRUE(job->job->fence()->waitFor(kPatience).isOk());
    EXPECT_EQ(job->fault(), FaultCode::DependencyFailed);
  }
}

} // namespace
} // namespace avocet::runtime::test
