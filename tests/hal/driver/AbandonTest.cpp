//===- AbandonTest.cpp - Clients abandoned while they have work -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FencedFixture.h"

#include <atomic>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

constexpr uint64_t kPage = 4096;

/// `client_` is abandoned in the tests; `device_` and `model_` belong to a client that stays.
class AbandonTest : public FencedFixture {
protected:
  void SetUp() override {
    FencedFixture::SetUp();
    client_ = connect({});
    auto prepared = client_->prepareModel(addConstantModel(std::vector<float>(kCount, 1)), {});
    ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
    theirs_ = *prepared;
  }
  void TearDown() override {
    gate_.open();
    theirs_.reset();
    client_.reset();
    FencedFixture::TearDown();
  }

  std::shared_ptr<ClientDevice> client_;
  std::shared_ptr<IPreparedModel> theirs_;
  TestPool first_{kPage}, second_{kPage}, third_{kPage};
};

TEST_F(AbandonTest, RefusesNewWorkAndOtherClientsGoOn) {
  auto execution = theirs_->createReusableExecution(step(first_, second_), {});
  ASSERT_TRUE(execution.isOk());
  client_->abandon();
  client_->abandon();
  EXPECT_EQ(client_->prepareModel(addModel({2}), {}).code(), ErrorStatus::DeviceUnavailable);
  int calls = 0;
  ErrorStatus launched = client_->prepareModelAsynchronously(
      addModel({2}), {}, [&](ErrorStatus status, const std::shared_ptr<IPreparedModel> &prepared) {
        EXPECT_EQ(status, ErrorStatus::DeviceUnavailable);
        EXPECT_EQ(prepared, nullptr);
        ++calls;
      });
  EXPECT_EQ(launched, ErrorStatus::DeviceUnavailable);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(theirs_->execute(step(first_, second_), {}).status, ErrorStatus::DeviceUnavailable);
  EXPECT_EQ((*execution)->compute({}).status, ErrorStatus::DeviceUnavailable);
  EXPECT_EQ(theirs_->executeFenced(step(first_, second_), {}, {}).code(), ErrorStatus::DeviceUnavailable);
  EXPECT_TRUE(model_->execute(step(first_, second_), {}).isOk());
  EXPECT_NE(prepare(addModel({2})), nullptr);
}

TEST_F(AbandonTest, FencedExecutionsStopWaiting) {
  ForeignFence never;
  auto one = theirs_->executeFenced(step(first_, second_), {never.fence()}, {});
  ASSERT_TRUE(one.isOk());
  auto two = theirs_->executeFenced(step(second_, third_), {one->fence}, {});
  ASSERT_TRUE(two.isOk());
  FencedLaunch ours = launch(step(first_, third_), {never.fence()});
  client_->abandon();
  EXPECT_EQ(end(*one), FenceState::Error);
  EXPECT_EQ(end(*two), FenceState::Error);
  EXPECT_EQ(codeOf(*one), ErrorStatus::GeneralFailure);
  EXPECT_EQ(ours.fence.state(), FenceState::Active);
  never.signal();
  EXPECT_EQ(end(ours), FenceState::Signaled);
  EXPECT_EQ(gate_.numJobs(), 1u);
}

/// A job of the staying client holds the device, and jobs of the abandoned client queue after it.
class AbandonQueuedTest : public AbandonTest {
protected:
  void SetUp() override {
    AbandonTest::SetUp();
    EXPECT_TRUE(theirs_->execute(step(first_, second_), {}).isOk()); // creates the bindings of the next run
    ours_ = launch(step(first_, third_), {start_.fence()});
    gate_.close();
    start_.signal();
    observer_.awaitSubmissions(2);
  }

  ForeignFence start_;
  FencedLaunch ours_;
};

TEST_F(AbandonQueuedTest, QueuedJobsNeverRun) {
  ASSERT_EQ(second_.as<float>()[0], 1);
  first_.as<float>()[0] = 5;
  ExecutionOutcome outcome;
  std::thread caller([&] { outcome = theirs_->execute(step(first_, second_), {}); });
  observer_.awaitSubmissions(3);
  client_->abandon();
  observer_.awaitCancellations(1);
  gate_.open();
  caller.join();
  EXPECT_EQ(outcome.status, ErrorStatus::GeneralFailure) << outcome.message;
  EXPECT_EQ(end(ours_), FenceState::Signaled);
  EXPECT_EQ(second_.as<float>()[0], 1) << "it ran";
}

TEST_F(AbandonQueuedTest, FencedJobsFailWhileDeviceIsBusy) {
  auto run = theirs_->executeFenced(step(first_, second_), {}, {});
  ASSERT_TRUE(run.isOk()) << run.error().message;
  client_->abandon();
  EXPECT_EQ(end(*run), FenceState::Error); // while the gate holds the device
  EXPECT_EQ(codeOf(*run), ErrorStatus::GeneralFailure);
  theirs_.reset();
  client_.reset();
  gate_.open();
  EXPECT_EQ(end(ours_), FenceState::Signaled);
}

/// The driver's clock abandons the client at a chosen call.
TEST(AbandonWhileCompilingTest, CompilationFails) {
  auto client = std::make_shared<std::shared_ptr<ClientDevice>>();
  auto isArmed = std::make_shared<std::atomic<int>>(0);
  DriverOptions options;
  options.clock = [client, isArmed] {
    // The driver reads the clock once before the compilation; after that the compiler reads it.
    if (*isArmed > 0 && --*isArmed == 0)
      (*client)->abandon();
    return BootClock::now();
  };
  auto driver = Driver::open(options);
  ASSERT_TRUE(driver.isOk());
  auto connected = (*driver)->connect({});
  ASSERT_TRUE(connected.isOk());
  *client = *connected;
  PrepareOptions prepareOptions;
  prepareOptions.deadline = BootClock::now() + std::chrono::hours(1);
  *isArmed = 4;
  auto prepared = (*client)->prepareModel(addModel({2}), prepareOptions);
  *isArmed = 0;
  EXPECT_EQ(prepared.code(), ErrorStatus::GeneralFailure);
  EXPECT_NE(prepared.error().message.find("the client has disconnected"), std::string::npos)
      << prepared.error().message;
  client->reset();
}

} // namespace
} // namespace avocet::hal
