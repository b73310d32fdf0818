//===- BurstTest.cpp - Executions over both queues -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"

#include <gtest/gtest.h>
#include <thread>

namespace avocet::hal::testing {
namespace {

ExecutionOptions plain() { return {}; }

TEST(BurstTest, QueuesAreAsLongAsAndroids) { EXPECT_EQ(BurstClientOptions().queueElements, 1024u); }

TEST(BurstTest, ExecutesThroughTheQueues) {
  Connected connected;
  Pool input(16), output(16);
  Request request = copyRequest(input, output, 3);
  for (std::string text : {"abc", "HAL", "xyz"}) {
    input.set(text);
    ExecutionOutcome outcome = connected.burst->execute(request, {4, 7}, plain());
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
    ASSERT_EQ(outcome.outputShapes.size(), 1u);
    EXPECT_EQ(outcome.outputShapes[0].dimensions, std::vector<uint32_t>{3});
    for (char &c : text)
      ++c;
    EXPECT_EQ(output.text(3), text);
  }
  EXPECT_EQ(connected.executor->numExecutions, 3u);
  EXPECT_EQ(connected.executor->maxKept(), 2u) << "each memory travels once";
  EXPECT_EQ(connected.model->numExecutions, 0u);
}

TEST(BurstTest, ExecutesWithPollingOnBothSides) {
  Connected connected({.pollingWindow = std::chrono::milliseconds(1)}, {.pollingWindow = std::chrono::milliseconds(1)});
  Pool input(16), output(16);
  Request request = copyRequest(input, output, 1);
  for (char c = 'a'; c < 'z'; ++c) {
    input.set(std::string(1, c));
    ASSERT_TRUE(connected.burst->execute(request, {0, 1}, plain()).isOk());
    ASSERT_EQ(output.text(1), std::string(1, static_cast<char>(c + 1)));
  }
}

TEST(BurstTest, MeasuresTimeOnRequest) {
  Connected connected;
  Pool input(4), output(4);
  Request request = copyRequest(input, output, 4);
  EXPECT_FALSE(connected.burst->execute(request, {0, 1}, plain()).timing.timeInDriver);
  ExecutionOptions options;
  options.measure = MeasureTiming::Yes;
  Timing timing = connected.burst->execute(request, {0, 1}, options).timing;
  EXPECT_EQ(timing.timeOnDevice, Duration(std::chrono::microseconds(7)));
  EXPECT_EQ(timing.timeInDriver, Duration(std::chrono::microseconds(9)));
}

TEST(BurstTest, ErrorsReachTheClient) {
  Connected connected;
  Pool input(4), output(4);
  Request request = copyRequest(input, output, 4);
  connected.executor->setHook([](ExecutionOutcome &outcome) {
    outcome.status = ErrorStatus::OutputInsufficientSize;
    outcome.outputShapes[0] = {{0, 9}, false};
  });
  ExecutionOutcome outcome = connected.burst->execute(request, {0, 1}, plain());
  EXPECT_EQ(outcome.status, ErrorStatus::OutputInsufficientSize);
  ASSERT_EQ(outcome.outputShapes.size(), 1u);
  EXPECT_EQ(outcome.outputShapes[0].dimensions, (std::vector<uint32_t>{0, 9}));
  connected.executor->setHook([](ExecutionOutcome &) { throw std::bad_alloc(); });
  outcome = connected.burst->execute(request, {0, 1}, plain());
  EXPECT_EQ(outcome.status, ErrorStatus::GeneralFailure);
  EXPECT_TRUE(outcome.outputShapes.empty());
  connected.executor->setHook(nullptr);
  EXPECT_TRUE(connected.burst->execute(request, {0, 1}, plain()).isOk()) << "the burst is still usable";
}

TEST(BurstTest, ChecksIdentifiers) {
  Connected connected;
  Pool input(4), output(4), other(4);
  Request request = copyRequest(input, output, 4);
  for (std::vector<int64_t> bad : {std::vector<int64_t>{}, {1}, {1, 2, 3}, {1, -2}})
    EXPECT_EQ(connected.burst->execute(request, bad, plain()).status, ErrorStatus::InvalidArgument);
  ASSERT_TRUE(connected.burst->execute(request, {1, 2}, plain()).isOk());
  EXPECT_EQ(connected.burst->execute(copyRequest(other, output, 4), {1, 2}, plain()).status,
            ErrorStatus::InvalidArgument);
  ASSERT_TRUE(connected.burst->releaseMemoryResource(1).isOk());
  EXPECT_TRUE(connected.burst->execute(copyRequest(other, output, 4), {1, 2}, plain()).isOk());
  EXPECT_TRUE(connected.burst->releaseMemoryResource(99).isOk()) << "unknown is accepted";
  EXPECT_TRUE(connected.burst->releaseMemoryResource(-1).isOk());
  EXPECT_EQ(connected.burst->releaseMemoryResource(-2).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(connected.model->numExecutions, 0u);
}

TEST(BurstTest, UnsupportedRequestsUseTheModel) {
  Connected connected({.queueElements = 8});
  Pool input(16), output(16);
  Request request = copyRequest(input, output, 4);
  uint64_t expected = 0;
  auto runsPlain = [&](const Request &request, const std::vector<int64_t> &identifiers,
                       const ExecutionOptions &options) {
    EXPECT_TRUE(connected.burst->execute(request, identifiers, options).isOk());
    EXPECT_EQ(connected.model->numExecutions, ++expected);
  };
  ExecutionOptions options;
  options.deadline = BootClock::now() + std::chrono::hours(1);
  runsPlain(request, {0, 1}, options);
  options = {};
  options.loopTimeoutDuration = std::chrono::seconds(1);
  runsPlain(request, {0, 1}, options);
  options = {};
  options.hints = {{1, {}}};
  runsPlain(request, {0, 1}, options);

  Request large = request;
  large.inputs[0].location.offset = uint64_t(1) << 33;
  runsPlain(large, {0, 1}, plain());
  Request token = request;
  token.pools[0] = BufferToken(3);
  runsPlain(token, {0, 1}, plain());
  Request long_ = request;
  long_.inputs[0].dimensions.assign(8, 1);
  runsPlain(long_, {0, 1}, plain());
  Request padded = request;
  padded.inputs[0].location.padding = 13; // beyond the pool: the receiver of such a request has to refuse it
  runsPlain(padded, {0, 1}, plain());
  EXPECT_EQ(connected.executor->numExecutions, 0u);
  padded.inputs[0].location.padding = 12;
  EXPECT_TRUE(connected.burst->execute(padded, {0, 1}, plain()).isOk());
  EXPECT_EQ(connected.executor->numExecutions, 1u);
}

TEST(BurstTest, TooLongResultIsGeneralFailure) {
  Connected connected({.queueElements = 8});
  Pool input(4), output(4);
  connected.executor->setHook([](ExecutionOutcome &outcome) { outcome.outputShapes[0].dimensions.assign(6, 1); });
  ExecutionOutcome outcome = connected.burst->execute(copyRequest(input, output, 4), {0, 1}, plain());
  EXPECT_EQ(outcome.status, ErrorStatus::GeneralFailure);
  EXPECT_TRUE(outcome.outputShapes.empty());
  EXPECT_FALSE(outcome.timing.timeOnDevice);
  EXPECT_EQ(connected.executor->numExecutions, 1u);
}

TEST(BurstTest, RefusesConcurrentExecution) {
  Connected connected;
  Pool input(4), output(4);
  Request request = copyRequest(input, output, 4);
  std::atomic<bool> isRunning{false}, mayEnd{false};
  connected.executor->setHook([&](ExecutionOutcome &) {
    isRunning = true;
    EXPECT_TRUE(eventually([&] { return mayEnd.load(); }));
  });
  std::thread first([&] { EXPECT_TRUE(connected.burst->execute(request, {0, 1}, plain()).isOk()); });
  ASSERT_TRUE(eventually([&] { return isRunning.load(); }));
  EXPECT_EQ(connected.burst->execute(request, {0, 1}, plain()).status, ErrorStatus::GeneralFailure);
  EXPECT_TRUE(connected.burst->releaseMemoryResource(0).isOk()) << "takes effect after the execution";
  EXPECT_EQ(connected.executor->numKept(), 2u);
  mayEnd = true;
  first.join();
  EXPECT_EQ(connected.executor->numKept(), 1u);
  EXPECT_TRUE(connected.burst->execute(request, {0, 1}, plain()).isOk());
}

TEST(BurstTest, MemoriesWithoutIdentifierAreNotKept) {
  Connected connected;
  Pool input(4), output(4);
  Request request = copyRequest(input, output, 4);
  ASSERT_TRUE(connected.burst->execute(request, {-1, 3}, plain()).isOk());
  EXPECT_EQ(connected.executor->numKept(), 1u);
  ASSERT_TRUE(connected.burst->execute(request, {-1, -1}, plain()).isOk());
  EXPECT_EQ(connected.executor->numKept(), 1u);
  EXPECT_EQ(connected.executor->maxKept(), 3u);
}

TEST(BurstTest, ChangingPoolsLeaveNoDescriptors) {
  Connected connected;
  Pool output(4);
  ASSERT_TRUE(connected.burst->execute(copyRequest(output, output, 4), {0, 0}, plain()).isOk());
  size_t before = numOpenDescriptors();
  for (int64_t i = 1; i <= 10000; ++i) {
    Pool input(4);
    input.set("abc");
    ASSERT_TRUE(connected.burst->execute(copyRequest(input, output, 3), {i % 2 == 0 ? -1 : i, 0}, plain()).isOk());
    ASSERT_EQ(output.text(3), "bcd");
  }
  EXPECT_LE(connected.executor->maxKept(), 3u);
  EXPECT_LE(numOpenDescriptors(), before + 2) << "the last input, on both sides";
  EXPECT_EQ(connected.model->numExecutions, 0u);
}

TEST(BurstTest, RequestsAboveSlotLimitUseTheModel) {
  Connected connected;
  Pool output(4);
  std::vector<Pool> inputs;
  for (size_t i = 0; i < kMaxBurstSlots; ++i)
    inputs.emplace_back(4);
  for (size_t i = 0; i < inputs.size(); ++i)
    ASSERT_TRUE(
        connected.burst->execute(copyRequest(inputs[i], output, 4), {static_cast<int64_t>(i + 1), 0}, plain()).isOk());
  EXPECT_EQ(connected.executor->numExecutions, kMaxBurstSlots - 1);
  EXPECT_EQ(connected.model->numExecutions, 1u);
  ASSERT_TRUE(connected.burst->releaseMemoryResource(5).isOk());
  ASSERT_TRUE(connected.burst->execute(copyRequest(inputs.back(), output, 4), {5, 0}, plain()).isOk());
  EXPECT_EQ(connected.executor->numExecutions, kMaxBurstSlots);
}

TEST(BurstTest, RunsConcurrentBursts) {
  auto drive = [](char offset) {
    Connected connected;
    Pool input(4), output(4);
    Request request = copyRequest(input, output, 1);
    for (int i = 0; i < 300; ++i) {
      char value = static_cast<char>(offset + i % 40);
      input.set(std::string(1, value));
      ASSERT_TRUE(connected.burst->execute(request, {0, 1}, plain()).isOk());
      ASSERT_EQ(output.text(1)[0], value + 1);
    }
  };
  std::vector<std::thread> threads;
  for (char i = 0; i < 8; ++i)
    threads.emplace_back(drive, i);
  for (std::thread &thread : threads)
    thread.join();
}

TEST(BurstTest, ClientEndEndsServer) {
  Connected connected;
  connected.burst.reset();
  EXPECT_TRUE(eventually([&] { return connected.served->hasEnded() && connected.numEnds == 1; }));
}

TEST(BurstTest, ServerEndFailsClient) {
  Connected connected;
  Pool input(4), output(4);
  Request request = copyRequest(input, output, 4);
  ASSERT_TRUE(connected.burst->execute(request, {0, 1}, plain()).isOk());
  connected.served.reset();
  EXPECT_EQ(connected.numEnds, 1);
  EXPECT_TRUE(
      eventually([&] { return connected.burst->execute(request, {0, 1}, plain()).status == ErrorStatus::DeadObject; }));
  EXPECT_EQ(connected.burst->releaseMemoryResource(0).code(), ErrorStatus::DeadObject);
}

TEST(BurstTest, OpenReturnsErrorOfTheService) {
  auto refuse = [](const BurstOffer &) -> Outcome { return invalidArgument("no"); };
  EXPECT_EQ(openBurst(std::make_shared<FakeModel>(), refuse).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(openBurst(nullptr, refuse).code(), ErrorStatus::InvalidArgument);
  BurstClientOptions none;
  none.queueElements = 0;
  EXPECT_FALSE(openBurst(std::make_shared<FakeModel>(), refuse, none).isOk());
}

} // namespace
} // namespace avocet::hal::testing
