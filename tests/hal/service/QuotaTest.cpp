//===- QuotaTest.cpp - Limits of what the service keeps for a client ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that grows with a client's messages has a limit, and is freed when the client releases it.
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include "avocet/hal/burst/Burst.h"

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class ServiceQuotaTest : public ServiceFixture {
protected:
  static ConnectOptions withBurst(BurstKind kind) {
    ConnectOptions options;
    options.burst = kind;
    return options;
  }
  static std::shared_ptr<IBurst> burstOf(IPreparedModel &prepared) {
    auto burst = prepared.configureBurst();
    EXPECT_TRUE(burst.isOk()) << burst.error().message;
    return burst ? *burst : nullptr;
  }
};

TEST_F(ServiceQuotaTest, CountsMessageBytesThatObjectsKeep) {
  Quotas quotas;
  quotas.callBytes = 200'000; // a hint of 60,000 bytes takes three times as much until it is answered
  start(quotas);
  auto prepared = prepare("fake");
  ExecutionOptions options;
  options.hints = {{1, std::vector<uint8_t>(60'000)}};
  auto first = prepared->createReusableExecution(Sum().request, options);
  ASSERT_TRUE(first.isOk()) << first.error().message;
  auto second = prepared->createReusableExecution(Sum().request, options);
  EXPECT_EQ(second.code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_THAT(second.error().message, HasSubstr("limit, 200000"));
  EXPECT_TRUE(prepare("fake")->createReusableExecution(Sum().request, options).isOk()) << "another client has its own";
  EXPECT_TRUE(prepared->execute(Sum().request, {}).isOk());
  *first = nullptr;
  EXPECT_TRUE(eventually([&] { return prepared->createReusableExecution(Sum().request, options).isOk(); }));
}

TEST_F(ServiceQuotaTest, ReleasesMessageBytesThatNoObjectKeeps) {
  Quotas quotas;
  quotas.callBytes = 200'000;
  start(quotas);
  auto prepared = prepare("fake");
  auto withHint = [](size_t bytes) {
    ExecutionOptions options;
    options.hints = {{1, std::vector<uint8_t>(bytes)}};
    return options;
  };
  auto kept = prepared->createReusableExecution(Sum().request, withHint(60'000)); // 180,000 until it is answered
  ASSERT_TRUE(kept.isOk()) << kept.error().message;
  EXPECT_TRUE(eventually([&] { return prepared->execute(Sum().request, withHint(40'000)).isOk(); }));
}

TEST_F(ServiceQuotaTest, CountsCallsUntilTheyAreAnswered) {
  Quotas quotas;
  quotas.callBytes = 200'000; // a hint of 60,000 bytes takes three times as much until it is answered
  start(quotas);
  auto prepared = prepare("fake");
  ExecutionOptions options;
  options.hints = {{1, std::vector<uint8_t>(60'000)}};
  setBlocking(true);
  auto run = std::async(std::launch::async, [&] { return prepared->execute(Sum().request, options); });
  ASSERT_TRUE(blocks(1));
  EXPECT_EQ(prepared->execute(Sum().request, options).status, ErrorStatus::ResourceExhaustedTransient);
  setBlocking(false);
  EXPECT_TRUE(run.get().isOk());
  EXPECT_TRUE(eventually([&] { return prepared->execute(Sum().request, options).isOk(); }));
}

TEST_F(ServiceQuotaTest, RejectsBurstMemoriesAboveLimit) {
  auto prepared = prepare("fake", withBurst(BurstKind::Calls));
  auto burst = burstOf(*prepared);
  ASSERT_NE(burst, nullptr);
  const Sum sum; // sends its two pools again and again under new identifiers
  auto executeAs = [&](int64_t identifier) { return burst->execute(sum.request, {identifier, identifier + 1}, {}); };
  for (size_t i = 0; i < kMaxBurstSlots; i += 2)
    ASSERT_TRUE(executeAs(static_cast<int64_t>(i)).isOk()) << i;
  EXPECT_EQ(executeAs(1'000'000).status, ErrorStatus::ResourceExhaustedTransient);
  EXPECT_TRUE(executeAs(0).isOk()) << "known names may be used";
  EXPECT_TRUE(burst->releaseMemoryResource(2).isOk());
  EXPECT_TRUE(burst->releaseMemoryResource(3).isOk());
  EXPECT_TRUE(executeAs(1'000'000).isOk());
}

/// Each burst of message queues uses threads of the service. Bursts beyond the quota use calls instead.
TEST_F(ServiceQuotaTest, QueueBurstsAboveLimitUseCalls) {
  Quotas quotas;
  quotas.queueBursts = 1;
  start(quotas);
  auto prepared = prepare("fake", withBurst(BurstKind::Queues));
  auto isOfCalls = [&](IBurst &burst) {
    EXPECT_TRUE(burst.execute(Sum().request, {777, 778}, {}).isOk());
    std::lock_guard lock(fake_->mutex);
    return fake_->identifiers == std::vector<int64_t>{777, 778}; // queues use other identifiers
  };
  auto first = burstOf(*prepared), second = burstOf(*prepared);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(isOfCalls(*first));
  EXPECT_TRUE(isOfCalls(*second));
  first.reset();
  EXPECT_TRUE(reaches(&ServiceCounters::burstsNow, 1));
  auto third = burstOf(*prepared);
  ASSERT_NE(third, nullptr);
  EXPECT_FALSE(isOfCalls(*third));
}

} // namespace
} // namespace avocet::hal
