//===- SessionTest.cpp - How clients share a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"
#include "avocet/hal/wire/Envelope.h"
#include "avocet/hal/wire/Protocol.h"

#include <sys/resource.h>
#include <sys/wait.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class SessionTest : public ServiceFixture {
protected:
  /// Executions that block in the fake, each called from its own thread of the client.
  std::vector<std::future<ExecutionOutcome>> launch(const std::shared_ptr<IPreparedModel> &prepared, int count) {
    std::vector<std::future<ExecutionOutcome>> runs;
    for (int i = 0; i < count; ++i)
      runs.push_back(std::async(std::launch::async, [prepared] { return prepared->execute(Sum().request, {}); }));
    return runs;
  }
};

TEST_F(SessionTest, DriverReceivesClientsProcessId) {
  connect("fake");
  EXPECT_THAT(fake_->clients.at(0), HasSubstr(std::to_string(::getpid())));
}

TEST_F(SessionTest, AnswersQueryWhileExecutionsRun) {
  auto device = connect("fake");
  auto prepared = device->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  setBlocking(true);
  auto runs = launch(*prepared, 3);
  ASSERT_TRUE(blocks(3));
  EXPECT_EQ(device->status(), DeviceStatus::Available);
  setBlocking(false);
  for (auto &run : runs)
    EXPECT_TRUE(run.get().isOk());
}

TEST_F(SessionTest, CallsBeyondThreadCountWait) {
  auto device = connect("fake");
  auto prepared = device->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  setBlocking(true);
  auto runs = launch(*prepared, 10);
  ASSERT_TRUE(blocks(4));
  EXPECT_EQ(connect("fake")->status(), DeviceStatus::Available) << "another client has threads of its own";
  setBlocking(false);
  for (auto &run : runs)
    EXPECT_TRUE(run.get().isOk());
  EXPECT_EQ(executions(), 10);
}

TEST_F(SessionTest, RefusesCallsAboveLimit) {
  Quotas quotas;
  quotas.threads = 2;
  quotas.callsInFlight = 3;
  start(quotas);
  auto prepared = prepare("fake");
  setBlocking(true);
  auto runs = launch(prepared, 5);
  ASSERT_TRUE(blocks(2));
  ASSERT_TRUE(eventually([&] { return service_->counters().callsEver == 7; })); // Hello, prepare, five runs
  setBlocking(false);
  int refused = 0;
  for (auto &run : runs)
    refused += run.get().status == ErrorStatus::ResourceExhaustedTransient;
  EXPECT_EQ(refused, 2);
  EXPECT_TRUE(prepared->execute(Sum().request, {}).isOk()) << "the quota is free again";
}

TEST_F(SessionTest, RefusesObjectsAboveDescriptorLimit) {
  Quotas quotas;
  quotas.descriptors = 5;
  start(quotas);
  auto prepared = prepare("fake");
  std::vector<std::shared_ptr<IExecution>> executions;
  for (int i = 0; i < 2; ++i) {
    auto execution = prepared->createReusableExecution(Sum().request, {});
    ASSERT_TRUE(execution.isOk());
    executions.push_back(*execution);
  }
  EXPECT_EQ(service_->counters().descriptorsNow, 4u);
  auto third = prepared->createReusableExecution(Sum().request, {});
  EXPECT_EQ(third.code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_THAT(third.error().message, HasSubstr("limit is 5"));
  EXPECT_TRUE(prepare("fake")->createReusableExecution(Sum().request, {}).isOk()) << "another client has its own";
  {
    std::lock_guard lock(fake_->mutex);
    fake_->request = {};
  }
  executions.clear();
  EXPECT_TRUE(eventually([&] { return prepared->createReusableExecution(Sum().request, {}).isOk(); }));
}

/// A client sends calls and never reads. Its answers fill the socket, and the session ends when its thread has waited
/// for its limit. A second client runs all the time.
TEST_F(SessionTest, EndsWhenClientDoesNotRead) {
  auto neighbor = prepare("npu");
  auto slow = Channel::connect(path_);
  ASSERT_TRUE(slow.isOk());
  ipc::fb::EnvelopeT envelope;
  envelope.number = 1;
  ipc::fb::HelloT hello;
  hello.protocol = kProtocols.newest;
  envelope.call.Set(std::move(hello));
  std::thread asking([&] {
    while (ipc::sendEnvelope(**slow, envelope, {}))
      ;
  });
  EXPECT_TRUE(eventually([&] {
    Sum sum;
    EXPECT_TRUE(neighbor->execute(sum.request, {}).isOk());
    sum.expectResult();
    return service_->counters().clientsNow == 1;
  }));
  asking.join();
}

TEST_F(SessionTest, ThirtyTwoClientsShareTwoDevices) {
  std::vector<std::future<int>> clients;
  for (int client = 0; client < 32; ++client)
    clients.push_back(std::async(std::launch::async, [&, client] {
      auto prepared = prepare(client % 4 == 0 ? "fake" : "npu");
      int good = 0;
      for (int run = 0; prepared && run < 5; ++run) {
        Sum sum;
        bool isOk = prepared->execute(sum.request, {}).isOk();
        good += isOk && (client % 4 == 0 || sum.outputs.as<float>()[3] == 12);
      }
      return good;
    }));
  for (auto &client : clients)
    EXPECT_EQ(client.get(), 5);
  EXPECT_EQ(service_->counters().clientsEver, 32u);
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
  EXPECT_TRUE(reaches(&ServiceCounters::objectsNow, 0));
  EXPECT_TRUE(eventually([&] {
    DriverCounters left = service_->counters().drivers;
    return left.clients == 0 && left.preparedModels == 0 && left.memoryBytes == 0;
  }));
  fake_->request = {}; // drops the descriptors of the last execution
  EXPECT_TRUE(reaches(&ServiceCounters::descriptorsNow, 0));
}

/// In a full service, the accepting thread waits for a place and not at the listener.
TEST_F(SessionTest, FullServiceEndsWithoutWaiting) {
  Quotas quotas;
  quotas.clients = 1;
  start(quotas);
  auto device = connect("fake");
  ASSERT_EQ(device->status(), DeviceStatus::Available);
  auto ending = std::async(std::launch::async, [&] { service_.reset(); });
  const bool hasEnded = ending.wait_for(kPatience) == std::future_status::ready;
  EXPECT_TRUE(hasEnded);
  if (!hasEnded)
    device.reset(); // lets the service end now
}

/// The connection applies the driver's quotas to the client that exceeds them.
TEST_F(SessionTest, AppliesDriverQuotas) {
  Quotas quotas;
  quotas.client.preparedModels = 1;
  quotas.client.buffers = 1;
  start(quotas);
  auto device = connect();
  auto prepared = device->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
  EXPECT_EQ(device->prepareModel(addModel({4}), {}).code(), ErrorStatus::ResourceExhaustedTransient);
  auto buffer = device->allocate({}, {{*prepared, 0, 1}}, {});
  ASSERT_TRUE(buffer.isOk()) << buffer.error().message;
  auto second = device->allocate({}, {{*prepared, 0, 1}}, {});
  EXPECT_EQ(second.code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_TRUE(connect()->prepareModel(addModel({4}), {}).isOk());
}

/// A service in its own process with a low limit of open files.
TEST(ServiceDescriptorsTest, ServiceSurvivesExhaustion) {
  std::string path = ::testing::TempDir() + "avocet-few-" + std::to_string(::getpid());
  pid_t service = ::fork();
  if (service == 0) {
    rlimit limit = {48, 48};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    auto state = std::make_shared<FakeState>();
    auto connect = [state](const ClientOptions &) -> Result<std::shared_ptr<ClientDevice>> {
      return makeFakeDevice(state);
    };
    auto listener = Listener::listen(path);
    if (!listener)
      ::_exit(1);
    Service serving(std::move(*listener), {{"fake", connect, {}}});
    ::pause();
    ::_exit(1);
  }
  ASSERT_TRUE(eventually([&] { return listDevices(path).isOk(); }));
  {
    auto device = connectDevice(path, "fake");
    ASSERT_TRUE(device.isOk());
    auto prepared = (*device)->prepareModel(addModel({4}), {});
    ASSERT_TRUE(prepared.isOk());
    std::vector<std::shared_ptr<IExecution>> executions;
    Result<std::shared_ptr<IExecution>> last = generalFailure("");
    do {
      last = (*prepared)->createReusableExecution(Sum().request, {});
      if (last)
        executions.push_back(*last);
    } while (last && executions.size() < 100);
    EXPECT_EQ(last.code(), ErrorStatus::ResourceExhaustedTransient);
    EXPECT_TRUE(executions.front()->compute({}).isOk()) << "the service and its client go on";
  }
  EXPECT_TRUE(eventually([&] { return listDevices(path).isOk(); }));
  EXPECT_EQ(::waitpid(service, nullptr, WNOHANG), 0) << "the service lives";
  ::kill(service, SIGKILL);
  ::waitpid(service, nullptr, 0);
  ::unlink(path.c_str());
}

} // namespace
} // namespace avocet::hal
