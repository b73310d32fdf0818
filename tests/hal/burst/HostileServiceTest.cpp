//===- HostileServiceTest.cpp - Burst services that break rules -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"
#include "avocet/hal/burst/BurstController.h"
#include "avocet/hal/burst/BurstPacket.h"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal::testing {
namespace {

constexpr Duration kLong = std::chrono::seconds(20);
using RequestQueue = MessageQueue<FmqRequestDatum>;
using ResultQueue = MessageQueue<FmqResultDatum>;

/// A controller whose service is the test.
class HostileBurstServiceTest : public ::testing::Test {
protected:
  void SetUp() override { open(kLong); }

  void open(Duration answerTimeout) {
    BurstClientOptions options;
    options.queueElements = 64;
    options.answerTimeout = answerTimeout;
    auto burst = BurstController::create(std::make_shared<FakeModel>(), [](int32_t) { return success(); }, options);
    ASSERT_TRUE(burst.isOk());
    burst_ = *burst;
    requests_ = std::move(*RequestQueue::attach(burst_->requests()));
    results_ = std::move(*ResultQueue::attach(burst_->results()));
  }

  /// Status of an execution that the service answers with this packet.
  ErrorStatus statusFor(std::vector<FmqResultDatum> answer) {
    std::thread service([&, answer = std::move(answer)] {
      std::vector<FmqRequestDatum> request(1);
      ASSERT_EQ(requests_->read(request, kLong), QueueState::Ready);
      request.resize(1 + requests_->availableToRead());
      ASSERT_TRUE(requests_->tryRead(std::span(request).subspan(1)));
      ReceivedRequest received;
      EXPECT_TRUE(readRequestPacket(request, received).isOk());
      ASSERT_TRUE(results_->tryWrite(answer));
    });
    ErrorStatus status = burst_->execute(request_, {0, 1}, {}).status;
    service.join();
    return status;
  }
  static std::vector<FmqResultDatum> packet(const ExecutionOutcome &outcome) {
    std::vector<FmqResultDatum> packet;
    writeResultPacket(outcome, packet);
    return packet;
  }
  static ExecutionOutcome good() { return {ErrorStatus::None, "", {{{4}, true}}, {}}; }
  void expectEnded() { EXPECT_EQ(burst_->execute(request_, {0, 1}, {}).status, ErrorStatus::DeadObject); }

  Pool input_{16}, output_{16};
  Request request_ = copyRequest(input_, output_, 4);
  std::shared_ptr<BurstController> burst_;
  std::unique_ptr<RequestQueue> requests_;
  std::unique_ptr<ResultQueue> results_;
};

TEST_F(HostileBurstServiceTest, AcceptsValidAnswers) {
  EXPECT_EQ(statusFor(packet(good())), ErrorStatus::None);
  EXPECT_EQ(statusFor(packet({ErrorStatus::InvalidArgument, "", {}, {}})), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusFor(packet(good())), ErrorStatus::None);
  EXPECT_EQ(burst_->numExecutions(), 3u);
}

TEST_F(HostileBurstServiceTest, MalformedAnswerEndsBurst) {
  std::vector<FmqResultDatum> bad = packet(good());
  bad[0].packet.numberOfOperands = ~0u;
  EXPECT_EQ(statusFor(bad), ErrorStatus::GeneralFailure);
  expectEnded();
}

TEST_F(HostileBurstServiceTest, SuccessWithoutShapesEndsBurst) {
  EXPECT_EQ(statusFor(packet({ErrorStatus::None, "", {}, {}})), ErrorStatus::GeneralFailure);
  expectEnded();
}

TEST_F(HostileBurstServiceTest, ContradictingShapesEndBurst) {
  request_.outputs[0].dimensions = {3};
  EXPECT_EQ(statusFor(packet(good())), ErrorStatus::GeneralFailure);
  expectEnded();
}

TEST_F(HostileBurstServiceTest, UnrequestedAnswerEndsBurst) {
  ASSERT_TRUE(results_->tryWrite(packet(good())));
  EXPECT_EQ(burst_->execute(request_, {0, 1}, {}).status, ErrorStatus::GeneralFailure);
  expectEnded();
}

TEST_F(HostileBurstServiceTest, MissingAnswerTimesOut) {
  open(std::chrono::milliseconds(50));
  EXPECT_EQ(burst_->execute(request_, {0, 1}, {}).status, ErrorStatus::DeadObject);
  expectEnded();
}

TEST_F(HostileBurstServiceTest, CloseEndsWaitingExecution) {
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    burst_->close();
  });
  EXPECT_EQ(burst_->execute(request_, {0, 1}, {}).status, ErrorStatus::DeadObject);
  closer.join();
}

TEST_F(HostileBurstServiceTest, ImpossibleCountersEndBurst) {
  const QueueDescriptor &descriptor = burst_->results();
  uint64_t impossible = 24 * 1000;
  ASSERT_EQ(::pwrite(descriptor.fds[0]->get(), &impossible, sizeof(impossible),
                     descriptor.grantors[QueueDescriptor::kWriteCounter].offset),
            static_cast<ssize_t>(sizeof(impossible)));
  EXPECT_EQ(burst_->execute(request_, {0, 1}, {}).status, ErrorStatus::DeadObject);
  expectEnded();
}

TEST_F(HostileBurstServiceTest, OnlySlotsInUseHaveMemories) {
  ASSERT_EQ(statusFor(packet(good())), ErrorStatus::None);
  const int32_t used[] = {0, 1}, unused[] = {2}, negative[] = {-1};
  EXPECT_TRUE(burst_->memories(used).isOk());
  EXPECT_EQ(burst_->memories(unused).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(burst_->memories(negative).code(), ErrorStatus::InvalidArgument);
  ASSERT_TRUE(burst_->releaseMemoryResource(0).isOk());
  EXPECT_EQ(burst_->memories(used).code(), ErrorStatus::InvalidArgument);
}

} // namespace
} // namespace avocet::hal::testing
