//===- SilentServiceTest.cpp - A service that stops answering -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModels.h"
#include "TemporaryFolder.h"

#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ResilientDevice.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <atomic>
#include <csignal>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace avocet::hal {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// An avocetd that is stopped by a signal: its socket stays open, and nothing is answered.
class SilentServiceTest : public ::testing::Test {
protected:
  void SetUp() override { start({}); }
  void start(const std::vector<std::string> &arguments) {
    service_.reset();
    auto service = ServiceProcess::start(AVOCETD, (folder_.path() / "socket").string(), arguments);
    ASSERT_TRUE(service.isOk()) << service.status().toString();
    service_.emplace(std::move(*service));
  }
  /// Returns when all threads have stopped: until then one may still answer, which polls for requests of a burst.
  void stop() {
    ASSERT_EQ(::kill(service_->pid(), SIGSTOP), 0);
    siginfo_t info = {};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(service_->pid()), &info, WSTOPPED | WNOWAIT), 0);
    ASSERT_EQ(info.si_code, CLD_STOPPED);
  }
  void proceed() { ASSERT_EQ(::kill(service_->pid(), SIGCONT), 0); }

  /// Detected after about two seconds; a loaded machine is not silent for so long.
  static ConnectOptions quick() {
    ConnectOptions options;
    options.liveness = {.interval = 100ms, .misses = 20, .missesOfOldServices = 20};
    options.queues.questionInterval = 100ms;
    return options;
  }
  std::shared_ptr<IDevice> connect() {
    auto device = connectDevice(service_->socket(), kDevice, quick());
    EXPECT_TRUE(device.isOk()) << device.error().message;
    return device ? *device : nullptr;
  }
  static std::shared_ptr<IPreparedModel> prepare(IDevice &device) {
    auto prepared = device.prepareModel(addModel({4}), {});
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }
  /// The result of work that must end although the service is stopped. If it does not, the service is killed.
  template <typename Work> auto inTime(Work work) {
    auto result = std::async(std::launch::async, std::move(work));
    if (result.wait_for(kPatience) != std::future_status::ready) {
      ADD_FAILURE() << "a call waits for a stopped service";
      service_->kill();
    }
    return result.get();
  }
  void expectDead(const ExecutionOutcome &outcome) {
    EXPECT_EQ(outcome.status, ErrorStatus::DeadObject);
    EXPECT_THAT(outcome.message, HasSubstr("does not answer any more"));
  }

  static constexpr const char *kDevice = "avocet-e256";
  static constexpr auto kPatience = 25s;
  const test::TemporaryFolder folder_{"avocetSilent"};
  std::optional<ServiceProcess> service_;
  TestPool inputs_{32}, outputs_{16};
  const Request request_ = requestOf({16, 16}, {16}, inputs_, outputs_);
};

TEST_F(SilentServiceTest, EndsWaitingAndLaterCalls) {
  auto device = connect();
  auto model = prepare(*device);
  stop();
  expectDead(inTime([&] { return model->execute(request_, {}); }));
  expectDead(model->execute(request_, {}));
  EXPECT_EQ(device->allocate({4}, {{model, 0, 1}}, {}).code(), ErrorStatus::DeadObject);
}

TEST_F(SilentServiceTest, EndsCallsOfOldServices) {
  start({"--newest-protocol", "2"});
  auto model = prepare(*connect());
  stop();
  expectDead(inTime([&] { return model->execute(request_, {}); }));
}

TEST_F(SilentServiceTest, EndsQueries) {
  auto device = connect();
  stop();
  EXPECT_EQ(inTime([&] { return device->getSupportedOperations(addModel({4})).code(); }), ErrorStatus::DeadObject);
}

TEST_F(SilentServiceTest, CallsBackOnce) {
  auto model = prepare(*connect());
  stop();
  std::atomic<int> calls{0};
  std::promise<ErrorStatus> status;
  const ErrorStatus launched = inTime([&] {
    return model->executeAsynchronously(request_, {}, [&](const ExecutionOutcome &outcome) {
      if (++calls == 1)
        status.set_value(outcome.status);
    });
  });
  EXPECT_EQ(launched, ErrorStatus::DeadObject);
  EXPECT_EQ(status.get_future().get(), ErrorStatus::DeadObject);
  model.reset(); // the connection ends with it
  EXPECT_EQ(calls, 1);
}

TEST_F(SilentServiceTest, FailsFences) {
  auto model = prepare(*connect());
  auto awaited = FenceSignaler::create();
  ASSERT_TRUE(awaited.isOk());
  auto launch = model->executeFenced(request_, {awaited->first}, {});
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  EXPECT_EQ(launch->fence.state(), FenceState::Active);
  stop();
  EXPECT_EQ(launch->fence.wait(kPatience), FenceState::Error);
  EXPECT_EQ(launch->info->executionInfo().code(), ErrorStatus::DeadObject);
}

TEST_F(SilentServiceTest, WaitingForFencesOfLiveServiceGoesOn) {
  auto model = prepare(*connect());
  auto awaited = FenceSignaler::create();
  ASSERT_TRUE(awaited.isOk());
  auto launch = model->executeFenced(request_, {awaited->first}, {});
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  EXPECT_EQ(launch->fence.wait(3s), FenceState::Active);
  awaited->second.signal();
  EXPECT_EQ(launch->fence.wait(kPatience), FenceState::Signaled);
}

TEST_F(SilentServiceTest, EndsBursts) {
  auto model = prepare(*connect());
  auto burst = model->configureBurst();
  ASSERT_TRUE(burst.isOk()) << burst.error().message;
  ASSERT_TRUE((*burst)->execute(request_, {1, 2}, {}).isOk());
  stop();
  EXPECT_EQ(inTime([&] { return (*burst)->execute(request_, {1, 2}, {}).status; }), ErrorStatus::DeadObject);
}

TEST_F(SilentServiceTest, ResilientDeviceUsesServiceThatProceeds) {
  ResilientOptions options;
  options.connect = quick();
  auto device = connectResilientDevice(service_->socket(), kDevice, options);
  ASSERT_TRUE(device.isOk()) << device.error().message;
  auto model = prepare(**device);
  stop();
  EXPECT_EQ(inTime([&] { return model->execute(request_, {}).status; }), ErrorStatus::DeadObject);
  proceed();
  EXPECT_EQ(model->execute(request_, {}).status, ErrorStatus::None);
}

} // namespace
} // namespace avocet::hal
