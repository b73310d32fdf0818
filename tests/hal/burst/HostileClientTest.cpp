//===- HostileClientTest.cpp - Burst clients that break rules ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"
#include "avocet/hal/burst/BurstPacket.h"
#include "avocet/hal/burst/BurstServer.h"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal::testing {
namespace {

constexpr Duration kLong = std::chrono::seconds(20);
using RequestQueue = MessageQueue<FmqRequestDatum>;
using ResultQueue = MessageQueue<FmqResultDatum>;

/// A server whose client is the test.
class HostileBurstClientTest : public ::testing::Test {
protected:
  void SetUp() override { serve(64, {}); }

  void serve(uint64_t resultElements, const BurstServerOptions &options) {
    server_.reset();
    requests_ = std::move(*RequestQueue::create(64));
    results_ = std::move(*ResultQueue::create(resultElements));
    auto server = BurstServer::create(executor_, requests_->descriptor(), results_->descriptor(), memories_, options);
    ASSERT_TRUE(server.isOk()) << server.error().message;
    server_ = std::move(*server);
  }

  std::vector<FmqRequestDatum> packet(std::vector<int32_t> slots = {0, 1}) {
    std::vector<FmqRequestDatum> packet;
    writeRequestPacket(copyRequest(input_, output_, 4), slots, MeasureTiming::Yes, packet);
    return packet;
  }

  std::vector<FmqResultDatum> answerTo(std::span<const FmqRequestDatum> packet) {
    EXPECT_TRUE(requests_->tryWrite(packet));
    std::vector<FmqResultDatum> result(1);
    EXPECT_EQ(results_->read(result, kLong), QueueState::Ready);
    result.resize(1 + results_->availableToRead());
    EXPECT_TRUE(results_->tryRead(std::span(result).subspan(1)));
    return result;
  }
  ErrorStatus statusOf(std::span<const FmqRequestDatum> packet) {
    Result<ExecutionOutcome> outcome = readResultPacket(answerTo(packet));
    EXPECT_TRUE(outcome.isOk()) << outcome.error().message;
    return outcome ? outcome->status : ErrorStatus::DeadObject;
  }

  using Memories = Result<std::vector<SharedMemory>>;
  using Source = std::function<Memories(std::span<const int32_t>)>;

  /// By default, slot 0 holds the input and any other slot the output.
  void setSource(Source source) {
    std::lock_guard lock(mutex_);
    source_ = std::move(source);
  }
  /// The slots of each request for memories by the server.
  std::vector<std::vector<int32_t>> asked() {
    std::lock_guard lock(mutex_);
    return asked_;
  }
  /// Called by the server's thread.
  Memories memoriesOf(std::span<const int32_t> slots) {
    std::unique_lock lock(mutex_);
    asked_.emplace_back(slots.begin(), slots.end());
    const Source source = source_;
    lock.unlock();
    if (source)
      return source(slots);
    std::vector<SharedMemory> memories;
    for (int32_t slot : slots)
      memories.push_back(slot == 0 ? input_.memory() : output_.memory());
    return memories;
  }

  Pool input_{16}, output_{16};
  std::shared_ptr<FakeBurst> executor_ = std::make_shared<FakeBurst>();
  const Source memories_ = [this](std::span<const int32_t> slots) { return memoriesOf(slots); };
  std::mutex mutex_; ///< guards source_ and asked_, for the reason in Fakes.h
  Source source_;
  std::vector<std::vector<int32_t>> asked_;
  std::unique_ptr<RequestQueue> requests_;
  std::unique_ptr<ResultQueue> results_;
  std::unique_ptr<BurstServer> server_;
};

TEST_F(HostileBurstClientTest, MalformedPacketsAreGeneralFailures) {
  std::vector<FmqRequestDatum> bad = packet();
  ++bad[0].packet.packetSize;
  std::vector<FmqResultDatum> result = answerTo(bad);
  ASSERT_EQ(result.size(), 2u) << "no shapes";
  EXPECT_EQ(result[0].packet.errorStatus, static_cast<int32_t>(ErrorStatus::GeneralFailure));
  EXPECT_EQ(result[1].timing.timeOnDevice, ~uint64_t(0)) << "no timing";
  EXPECT_EQ(executor_->numExecutions, 0u);
  EXPECT_EQ(statusOf(packet()), ErrorStatus::None) << "the next one is served";
  bad = packet();
  bad[0].packet.numberOfInputOperands = ~0u;
  EXPECT_EQ(statusOf(bad), ErrorStatus::GeneralFailure);
  EXPECT_EQ(statusOf(std::span(bad).first(1)), ErrorStatus::GeneralFailure);
  EXPECT_EQ(statusOf(packet()), ErrorStatus::None);
}

TEST_F(HostileBurstClientTest, RequestsUnknownSlotsOnceAndTogether) {
  EXPECT_EQ(statusOf(packet({1, 0})), ErrorStatus::None);
  EXPECT_EQ(asked(), (std::vector<std::vector<int32_t>>{{0, 1}}));
  EXPECT_EQ(statusOf(packet({0, 1})), ErrorStatus::None);
  EXPECT_EQ(asked().size(), 1u);
  EXPECT_EQ(statusOf(packet({9, 9})), ErrorStatus::None);
  EXPECT_EQ(asked().back(), std::vector<int32_t>{9}) << "each once";
  server_->freeMemory(9);
  server_->freeMemory(1234);
  EXPECT_EQ(executor_->numKept(), 2u);
  EXPECT_EQ(statusOf(packet({0, 9})), ErrorStatus::None);
  EXPECT_EQ(asked().size(), 3u);
}

TEST_F(HostileBurstClientTest, WrongMemoriesFailTheRequest) {
  setSource([](auto) -> Memories { return invalidArgument("none"); });
  EXPECT_EQ(statusOf(packet()), ErrorStatus::InvalidArgument);
  setSource([&](auto) -> Memories { return std::vector<SharedMemory>{input_.memory()}; });
  EXPECT_EQ(statusOf(packet()), ErrorStatus::GeneralFailure);
  setSource([&](auto slots) -> Memories { return std::vector<SharedMemory>(slots.size()); });
  EXPECT_EQ(statusOf(packet()), ErrorStatus::GeneralFailure);
  EXPECT_EQ(executor_->numExecutions, 0u);
  setSource(nullptr);
  EXPECT_EQ(statusOf(packet()), ErrorStatus::None);
}

TEST_F(HostileBurstClientTest, RejectsSlotsAboveLimit) {
  serve(64, {.maxSlots = 3});
  EXPECT_EQ(statusOf(packet({0, 1})), ErrorStatus::None);
  EXPECT_EQ(statusOf(packet({2, 3})), ErrorStatus::GeneralFailure);
  server_->freeMemory(0);
  EXPECT_EQ(statusOf(packet({2, 3})), ErrorStatus::None);
}

TEST_F(HostileBurstClientTest, ClientThatDoesNotReadEndsServer) {
  serve(2, {.clientTimeout = std::chrono::milliseconds(20)});
  executor_->setHook([](ExecutionOutcome &outcome) { outcome = {ErrorStatus::GeneralFailure, "", {}, {}}; });
  ASSERT_TRUE(requests_->tryWrite(packet()));
  ASSERT_TRUE(eventually([&] { return results_->availableToRead() == 2; }));
  ASSERT_TRUE(requests_->tryWrite(packet()));
  EXPECT_TRUE(eventually([&] { return server_->hasEnded(); }));
}

TEST_F(HostileBurstClientTest, ImpossibleCountersEndServer) {
  const QueueDescriptor &descriptor = requests_->descriptor();
  uint64_t impossible = ~uint64_t(0);
  ASSERT_EQ(::pwrite(descriptor.fds[0]->get(), &impossible, sizeof(impossible),
                     descriptor.grantors[QueueDescriptor::kWriteCounter].offset),
            static_cast<ssize_t>(sizeof(impossible)));
  EXPECT_TRUE(eventually([&] { return server_->hasEnded(); }));
}

TEST_F(HostileBurstClientTest, CloseEndsWaitingServer) {
  EXPECT_FALSE(server_->hasEnded());
  server_->close();
  EXPECT_TRUE(eventually([&] { return server_->hasEnded(); }));
}

TEST_F(HostileBurstClientTest, RefusesInvalidQueues) {
  auto memories = [](auto) -> Result<std::vector<SharedMemory>> { return invalidArgument("none"); };
  auto statusWith = [&](const QueueDescriptor &requests, const QueueDescriptor &results) {
    return BurstServer::create(executor_, requests, results, memories).code();
  };
  const QueueDescriptor &requests = requests_->descriptor(), &results = results_->descriptor();
  EXPECT_EQ(statusWith({}, results), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith(requests, {}), ErrorStatus::InvalidArgument);
  QueueDescriptor noEventWord = requests;
  noEventWord.grantors.pop_back();
  EXPECT_EQ(statusWith(noEventWord, results), ErrorStatus::InvalidArgument);
  QueueDescriptor otherElements = results;
  otherElements.elementBytes = 16;
  EXPECT_EQ(statusWith(requests, otherElements), ErrorStatus::InvalidArgument);
  auto tiny = std::move(*ResultQueue::create(1));
  EXPECT_EQ(statusWith(requests, tiny->descriptor()), ErrorStatus::InvalidArgument) << "no room for an error";
  auto huge = std::move(*RequestQueue::create(1 << 17));
  EXPECT_EQ(statusWith(huge->descriptor(), results), ErrorStatus::InvalidArgument);
  EXPECT_EQ(BurstServer::create(nullptr, requests, results, memories).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(BurstServer::create(executor_, requests, results, nullptr).code(), ErrorStatus::InvalidArgument);
}

TEST_F(HostileBurstClientTest, TruncatedQueueDoesNotCrashServer) {
  // The same layout in memory without seals.
  QueueDescriptor requests = requests_->descriptor();
  avocet::Result<FileDescriptor> file = createMemoryFile("unsealed", 1 << 16);
  ASSERT_TRUE(file.isOk());
  requests.fds = {std::make_shared<const FileDescriptor>(std::move(*file))};
  auto client = RequestQueue::attach(requests);
  ASSERT_TRUE(client.isOk());
  auto server = BurstServer::create(executor_, requests, results_->descriptor(), memories_);
  ASSERT_TRUE(server.isOk());
  ASSERT_TRUE((*client)->tryWrite(packet()));
  std::vector<FmqResultDatum> result(1);
  ASSERT_EQ(results_->read(result, kLong), QueueState::Ready);
  ASSERT_EQ(::ftruncate(requests.fds[0]->get(), 0), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // lets the server read the queue
  (*server)->close();
  EXPECT_TRUE(eventually([&] { return (*server)->hasEnded(); }));
}

} // namespace
} // namespace avocet::hal::testing
