//===- DeathTest.cpp - Processes killed during a burst ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"
#include "avocet/hal/burst/BurstPacket.h"
#include "avocet/hal/wire/Channel.h"

#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal::testing {
namespace {

/// The fixed part of an offer, as a transport would send it.
struct WireOffer {
  GrantorDescriptor requests[QueueDescriptor::kNumGrantors], results[QueueDescriptor::kNumGrantors];
};

Outcome sendOffer(Channel &channel, const BurstOffer &offer) {
  WireOffer wire = {};
  std::ranges::copy(offer.requests.grantors, wire.requests);
  std::ranges::copy(offer.results.grantors, wire.results);
  const SharedHandle fds[] = {offer.requests.fds[0], offer.results.fds[0], offer.link};
  return channel.send({reinterpret_cast<const uint8_t *>(&wire), sizeof(wire)}, fds);
}

Result<BurstOffer> receiveOffer(Channel &channel) {
  AVOCET_ASSIGN_OR_RETURN(Message message, channel.receive());
  WireOffer wire = {};
  if (message.bytes.size() != sizeof(wire) || message.fds.size() != 3)
    return generalFailure("not an offer");
  std::memcpy(&wire, message.bytes.data(), sizeof(wire));
  BurstOffer offer;
  offer.requests = {{std::begin(wire.requests), std::end(wire.requests)}, {message.fds[0]}, 24};
  offer.results = {{std::begin(wire.results), std::end(wire.results)}, {message.fds[1]}, 24};
  offer.link = message.fds[2];
  return offer;
}

/// A process that serves the first offer. An execution of 13 bytes kills it.
[[noreturn]] void service(Channel &channel) {
  Result<BurstOffer> offer = receiveOffer(channel);
  auto burst = std::make_shared<FakeBurst>();
  burst->setHook([](ExecutionOutcome &outcome) {
    if (outcome.outputShapes[0].dimensions[0] == 13)
      ::kill(::getpid(), SIGKILL);
  });
  std::unique_ptr<ServedBurst> served;
  if (offer) {
    auto result = serveBurst(burst, *offer);
    if (result)
      served = std::move(*result);
    offer = generalFailure("handed over"); // after this only the burst holds the link
  }
  while (served && !served->hasEnded())
    ::usleep(1000);
  ::_exit(served ? 0 : 1);
}

/// A process that runs executions until it is killed.
[[noreturn]] void client(Channel &channel, const Pool &input, const Pool &output) {
  auto send = [&](const BurstOffer &offer) { return sendOffer(channel, offer); };
  Result<std::shared_ptr<IBurst>> burst = openBurst(std::make_shared<FakeModel>(), send);
  Request request = copyRequest(input, output, 4);
  while (burst && (*burst)->execute(request, {0, 1}, {}).isOk())
    ;
  ::_exit(1);
}

/// A loaded machine may leave a process without a processor for as long.
constexpr Duration kStop = std::chrono::milliseconds(2200);

class BurstKillTest : public ::testing::Test {
protected:
  template <typename Body> void startChild(Body &&body) {
    auto ends = Channel::createPair();
    ASSERT_TRUE(ends.isOk());
    channel_ = std::move(ends->first);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      channel_.reset();
      body(*ends->second);
    }
  }
  void TearDown() override {
    if (child_ <= 0)
      return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  std::unique_ptr<Channel> channel_;
  pid_t child_ = -1;
  Pool input_{16}, output_{16};
};

/// Waits until the client has sent a request, and then stops its process.
void stopAfterRequest(const BurstOffer &offer, pid_t client) {
  auto requests = MessageQueue<FmqRequestDatum>::attach(offer.requests);
  ASSERT_TRUE(requests.isOk());
  ASSERT_TRUE(eventually([&] { return (*requests)->availableToRead() > 0; }));
  ASSERT_EQ(::kill(client, SIGSTOP), 0);
  ASSERT_EQ(::waitpid(client, nullptr, WUNTRACED), client);
}

TEST_F(BurstKillTest, StoppedClientKeepsItsBurst) {
  startChild([&](Channel &channel) { client(channel, input_, output_); });
  Result<BurstOffer> offer = receiveOffer(*channel_);
  ASSERT_TRUE(offer.isOk());
  stopAfterRequest(*offer, child_);
  auto executor = std::make_shared<FakeBurst>();
  auto served = serveBurst(executor, *offer); // and asks for the memories of the request
  ASSERT_TRUE(served.isOk());
  std::this_thread::sleep_for(kStop);
  EXPECT_FALSE((*served)->hasEnded());
  ::kill(child_, SIGCONT);
  EXPECT_TRUE(eventually([&] { return executor->numExecutions > 0; }));
}

TEST_F(BurstKillTest, ServiceKilledInExecutionIsDeadObject) {
  startChild([](Channel &channel) { service(channel); });
  Result<std::shared_ptr<IBurst>> burst =
      openBurst(std::make_shared<FakeModel>(), [&](const BurstOffer &offer) { return sendOffer(*channel_, offer); });
  ASSERT_TRUE(burst.isOk());
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE((*burst)->execute(copyRequest(input_, output_, 4), {0, 1}, {}).isOk());
  EXPECT_EQ((*burst)->execute(copyRequest(input_, output_, 13), {0, 1}, {}).status, ErrorStatus::DeadObject);
  EXPECT_EQ((*burst)->execute(copyRequest(input_, output_, 4), {0, 1}, {}).status, ErrorStatus::DeadObject);
}

TEST_F(BurstKillTest, ServiceKilledAtAnyTimeIsDeadObject) {
  for (int round = 0; round < 5; ++round) {
    startChild([](Channel &channel) { service(channel); });
    Result<std::shared_ptr<IBurst>> burst =
        openBurst(std::make_shared<FakeModel>(), [&](const BurstOffer &offer) { return sendOffer(*channel_, offer); });
    ASSERT_TRUE(burst.isOk());
    std::thread killer([&] {
      ::usleep(static_cast<useconds_t>(500 + 700 * round));
      ::kill(child_, SIGKILL);
    });
    ErrorStatus status = ErrorStatus::None;
    while (status == ErrorStatus::None)
      status = (*burst)->execute(copyRequest(input_, output_, 4), {0, round % 2 == 0 ? 1 : -1}, {}).status;
    killer.join();
    EXPECT_EQ(status, ErrorStatus::DeadObject);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
}

TEST_F(BurstKillTest, ClientKilledAtAnyTimeEndsServer) {
  size_t before = numOpenDescriptors();
  for (int round = 0; round < 5; ++round) {
    startChild([&](Channel &channel) { client(channel, input_, output_); });
    Result<BurstOffer> offer = receiveOffer(*channel_);
    ASSERT_TRUE(offer.isOk());
    auto executor = std::make_shared<FakeBurst>();
    std::atomic<bool> hasEnded{false};
    auto served = serveBurst(executor, *offer, {}, [&] { hasEnded = true; });
    ASSERT_TRUE(served.isOk());
    ASSERT_TRUE(eventually([&] { return executor->numExecutions > static_cast<uint64_t>(10 * round); }));
    ::kill(child_, SIGKILL);
    EXPECT_TRUE(eventually([&] { return hasEnded.load() && (*served)->hasEnded(); }));
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
    channel_.reset();
  }
  EXPECT_EQ(numOpenDescriptors(), before);
}

} // namespace
} // namespace avocet::hal::testing
