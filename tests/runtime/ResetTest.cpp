//===- ResetTest.cpp - Tests of device resets -----------------------*- C++ -*-===//
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

class ResetTest : public testing::Test {
protected:
  /// Resets until a reset ends the running job. A reset before the device has started the job keeps it.
  void resetUntilEnded(CopyJob &job) {
    do
      ASSERT_TRUE(device_->reset().isOk());
    while (!job.job->fence()->waitFor(5ms).isOk());
    EXPECT_EQ(job.fault(), FaultCode::DeviceReset);
  }

  std::shared_ptr<Device> device_ = openTestDevice();
};

TEST_F(ResetTest, QueuedJobsOfAllContextsRunAfterReset) {
  CopyClient hung(device_, 1, firmware::kMaxPriority), second(device_, 2), third(device_, 3);
  CopyJob endless = hung.makeEndlessJob(), successor = hung.makeJob();
  std::vector<CopyJob> queued;
  for (int i = 0; i < 10; ++i) {
    queued.push_back((i % 2 == 0 ? second : third).makeJob());
    queued.back().fill(uint8_t(i));
  }
  successor.fill(77);
  ASSERT_TRUE(hung.queue->submit(*endless.job).isOk());
  ASSERT_TRUE(hung.queue->submit(*successor.job).isOk());
  for (size_t i = 0; i < queued.size(); ++i)
    ASSERT_TRUE((i % 2 == 0 ? second : third).queue->submit(*queued[i].job).isOk());
  resetUntilEnded(endless);
  for (size_t i = 0; i < queued.size(); ++i) {
    ASSERT_TRUE(queued[i].job->fence()->waitFor(kPatience).isOk());
    EXPECT_EQ(queued[i].fault(), FaultCode::None) << describe(queued[i].fault());
    EXPECT_TRUE(queued[i].hasCopied(uint8_t(i)));
  }
  ASSERT_TRUE(successor.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(successor.fault(), FaultCode::None);
  EXPECT_TRUE(successor.hasCopied(77));
}

TEST_F(ResetTest, ResetKeepsDependencies) {
  CopyClient hung(device_, 1, firmware::kMaxPriority), first(device_, 2), second(device_, 3);
  CopyJob endless = hung.makeEndlessJob(), producer = first.makeJob(), consumer = second.makeJob(),
          hopeless = second.makeJob();
  auto shared = second.context->map(producer.output->buffer(), Access::Read).value();
  ASSERT_TRUE(consumer.job->bindInput(0, shared).isOk());
  producer.fill(55);
  SubmitOptions onProducer, onEndless;
  Fence *const producerFence[] = {producer.job->fence().get()}, *const endlessFence[] = {endless.job->fence().get()};
  onProducer.after = producerFence;
  onEndless.after = endlessFence;
  ASSERT_TRUE(hung.queue->submit(*endless.job).isOk());
  ASSERT_TRUE(first.queue->submit(*producer.job).isOk());
  ASSERT_TRUE(second.queue->submit(*consumer.job, onProducer).isOk());
  ASSERT_TRUE(second.queue->submit(*hopeless.job, onEndless).isOk());
  resetUntilEnded(endless);
  ASSERT_TRUE(consumer.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(consumer.fault(), FaultCode::None) << describe(consumer.fault());
  EXPECT_TRUE(consumer.hasCopied(55));
  ASSERT_TRUE(hopeless.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(hopeless.fault(), FaultCode::DependencyFailed);
}

TEST_F(ResetTest, ResetKeepsCancellations) {
  CopyClient client(device_, 1);
  CopyJob endless = client.makeEndlessJob(), successor = client.makeEndlessJob();
  ASSERT_TRUE(client.queue->submit(*endless.job).isOk());
  ASSERT_TRUE(client.queue->submit(*successor.job).isOk());
  EXPECT_TRUE(successor.job->cancel().isOk());
  ASSERT_TRUE(device_->reset().isOk());
  ASSERT_TRUE(successor.job->fence()->waitFor(kPatience).isOk());
  EXPECT_EQ(successor.fault(), FaultCode::Cancelled);
  EXPECT_TRUE(endless.job->cancel().isOk());
  ASSERT_TRUE(endless.job->fence()->waitFor(kPatience).isOk());
}

TEST_F(ResetTest, ResetOfIdleDeviceKeepsContexts) {
  CopyClient client(device_);
  CopyJob job = client.makeJob();
  for (uint8_t round = 1; round < 50; ++round) {
    ASSERT_TRUE(device_->reset().isOk());
    job.fill(round);
    ASSERT_TRUE(client.queue->run(*job.job).isOk());
    EXPECT_TRUE(job.hasCopied(round));
  }
}

} // namespace
} // namespace avocet::runtime::test
