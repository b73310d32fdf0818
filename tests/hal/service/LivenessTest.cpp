//===- LivenessTest.cpp - Long calls and signs of life --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegistryFixture.h"

namespace avocet::hal {
namespace {

using namespace testing;
using namespace std::chrono_literals;

/// A service whose executions take long, and clients that give up after half a second of silence.
class LivenessTest : public RegistryFixture {
protected:
  static ConnectOptions impatient(uint32_t missesOfOldServices = kMisses) {
    ConnectOptions options;
    options.liveness = {.interval = 20ms, .misses = kMisses, .missesOfOldServices = missesOfOldServices};
    return options;
  }
  std::shared_ptr<IPreparedModel> prepare(const std::string &service, const ConnectOptions &options) const {
    auto device = connectDevice(socketOf(service), "npu", options);
    EXPECT_TRUE(device.isOk()) << device.error().message;
    return *(*device)->prepareModel(addModel({4}), {});
  }
  void setBlocking(bool blocks) {
    std::lock_guard lock(fake_->mutex);
    fake_->blocks = blocks;
    fake_->changed.notify_all();
  }
  /// Starts as many executions, some launched and some by waiting callers; each takes several times the longest
  /// silence.
  void expectLongExecutions(IPreparedModel &model, uint32_t launches, uint32_t waiting) {
    setBlocking(true);
    Sum sum;
    std::vector<std::future<ErrorStatus>> results;
    for (uint32_t i = 0; i < launches; ++i) {
      auto result = std::make_shared<std::promise<ErrorStatus>>();
      results.push_back(result->get_future());
      auto callback = [result](const ExecutionOutcome &outcome) { result->set_value(outcome.status); };
      EXPECT_EQ(model.executeAsynchronously(sum.request, {}, callback), ErrorStatus::None);
    }
    for (uint32_t i = 0; i < waiting; ++i)
      results.push_back(std::async(std::launch::async, [&] { return model.execute(sum.request, {}).status; }));
    std::this_thread::sleep_for(2s);
    setBlocking(false);
    for (std::future<ErrorStatus> &result : results)
      EXPECT_EQ(result.get(), ErrorStatus::None);
  }

  static constexpr uint32_t kMisses = 25;
};

TEST_F(LivenessTest, LongCallsGoOnWithAllThreadsBusy) {
  start("new", {"npu"});
  auto model = prepare("new", impatient());
  expectLongExecutions(*model, 1, Quotas().threads + 3);
  expectLongExecutions(*model, 2, 0); // the watcher of the connection receives
}

TEST_F(LivenessTest, LongCallsOfOldServicesGoOn) {
  for (uint32_t version = kProtocols.oldest; version < kPingProtocol; ++version) {
    const std::string name = std::to_string(version);
    start(name, {"npu"}, {kProtocols.oldest, version});
    expectLongExecutions(*prepare(name, impatient()), 1, Quotas().threads - 1);
    expectLongExecutions(*prepare(name, impatient(10000)), 0, Quotas().threads + 3);
  }
}

/// A service that answers that the execution has begun, and then nothing.
TEST_F(LivenessTest, LaunchedCallEndsOnce) {
  startStrange("hostile", [](Channel &channel) {
    welcome(channel, {});
    for (int calls = 0; Result<Message> message = channel.receive();) {
      Result<fb::EnvelopeT> call = ipc::openEnvelope(message->bytes);
      fb::EnvelopeT reply;
      reply.number = call->number;
      reply.launched = call->asynchronous;
      reply.answer.Set(fb::ObjectT());
      if (++calls <= 2) // preparation and launch
        (void)ipc::sendEnvelope(channel, reply, {});
    }
  });
  auto model = prepare("hostile", impatient());
  Sum sum;
  std::atomic<int> calls{0};
  std::promise<ErrorStatus> status;
  EXPECT_EQ(model->executeAsynchronously(sum.request, {},
                                         [&](const ExecutionOutcome &outcome) {
                                           if (++calls == 1)
                                             status.set_value(outcome.status);
                                         }),
            ErrorStatus::None);
  auto result = status.get_future();
  ASSERT_EQ(result.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(result.get(), ErrorStatus::DeadObject);
  model.reset();
  EXPECT_EQ(calls, 1);
}

} // namespace
} // namespace avocet::hal
