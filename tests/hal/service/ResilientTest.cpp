//===- ResilientTest.cpp - Client devices that reconnect --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include "avocet/hal/ipc/ResilientDevice.h"

namespace avocet::hal {
namespace {

using namespace testing;

class ResilientTest : public ServiceFixture {
protected:
  void SetUp() override {
    ServiceFixture::SetUp();
    device_ = resilient("npu");
  }
  std::shared_ptr<IDevice> resilient(const std::string &name, Duration patience = kPatience) {
    ResilientOptions options;
    options.patience = patience;
    auto device = connectResilientDevice(path_, name, options);
    EXPECT_TRUE(device.isOk()) << device.error().message;
    return device ? *device : nullptr;
  }
  void restart() {
    service_.reset();
    start({});
  }
  /// The first call after the service's end may fail with DeadObject; then it is repeated once.
  template <typename Call> ErrorStatus withOneDeath(Call call) {
    ErrorStatus status = call();
    return status == ErrorStatus::DeadObject ? call() : status;
  }

  std::shared_ptr<IDevice> device_;
};

TEST_F(ResilientTest, ModelsArePreparedAgain) {
  auto prepared = device_->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
  for (int life = 0; life < 3; ++life) {
    Sum sum;
    EXPECT_EQ(withOneDeath([&] { return (*prepared)->execute(sum.request, {}).status; }), ErrorStatus::None);
    sum.expectResult();
    restart();
  }
  EXPECT_EQ(device_->status(), DeviceStatus::Available);
  EXPECT_TRUE(device_->getSupportedOperations(addModel({4})).isOk());
}

TEST_F(ResilientTest, ExecutionsAreCreatedAgain) {
  auto prepared = device_->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  Sum sum;
  auto execution = (*prepared)->createReusableExecution(sum.request, {});
  ASSERT_TRUE(execution.isOk()) << execution.error().message;
  for (int life = 0; life < 2; ++life) {
    std::fill(sum.outputs.bytes().begin(), sum.outputs.bytes().end(), uint8_t(0));
    EXPECT_EQ(withOneDeath([&] { return (*execution)->compute({}).status; }), ErrorStatus::None);
    sum.expectResult();
    restart();
  }
}

TEST_F(ResilientTest, BurstsAreConfiguredAgain) {
  auto prepared = resilient("fake")->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  auto burst = (*prepared)->configureBurst();
  ASSERT_TRUE(burst.isOk()) << burst.error().message;
  Sum sum;
  for (int life = 0; life < 2; ++life) {
    EXPECT_EQ(withOneDeath([&] { return (*burst)->execute(sum.request, {1, 2}, {}).status; }), ErrorStatus::None);
    EXPECT_TRUE((*burst)->releaseMemoryResource(1).isOk());
    restart();
  }
  EXPECT_EQ(executions(), 2) << "no execution is repeated";
}

TEST_F(ResilientTest, BuffersLoseTheirContents) {
  auto device = resilient("fake");
  auto prepared = device->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  auto buffer = device->allocate({}, {{*prepared, 0, 1}}, {});
  ASSERT_TRUE(buffer.isOk()) << buffer.error().message;
  BufferToken token = (*buffer)->token();
  TestPool pool(16);
  ASSERT_TRUE((*buffer)->copyFrom(pool.memory(), {}).isOk());
  ASSERT_TRUE((*buffer)->copyTo(pool.memory()).isOk());
  restart();
  EXPECT_EQ((*buffer)->copyTo(pool.memory()).code(), ErrorStatus::GeneralFailure);
  ASSERT_TRUE((*buffer)->copyFrom(pool.memory(), {}).isOk());
  EXPECT_TRUE((*buffer)->copyTo(pool.memory()).isOk());
  EXPECT_EQ((*buffer)->token(), token);
  Sum sum;
  sum.request.pools[0] = token;
  EXPECT_TRUE((*prepared)->execute(sum.request, {}).isOk());
  EXPECT_EQ(std::get<BufferToken>(fake_->request.pools[0]), BufferToken(77)) << "the driver's own token";
  sum.request.pools[0] = BufferToken(4711);
  EXPECT_TRUE((*prepared)->execute(sum.request, {}).isOk());
  EXPECT_EQ(std::get<BufferToken>(fake_->request.pools[0]), BufferToken(0)) << "a token that no driver has issued";
}

TEST_F(ResilientTest, ExecutionInFlightIsNotRepeated) {
  auto prepared = resilient("fake")->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  setBlocking(true);
  auto run = std::async(std::launch::async, [&] { return (*prepared)->execute(Sum().request, {}); });
  ASSERT_TRUE(blocks(1));
  setBlocking(true);
  service_.reset();
  ErrorStatus status = run.get().status;
  EXPECT_TRUE(status == ErrorStatus::DeadObject || status == ErrorStatus::GeneralFailure) << toString(status);
  setBlocking(false);
  start({});
  EXPECT_EQ(executions(), 1);
  EXPECT_EQ(withOneDeath([&] { return (*prepared)->execute(Sum().request, {}).status; }), ErrorStatus::None);
  EXPECT_EQ(executions(), 2);
}

TEST_F(ResilientTest, DeadlinesAndPatienceEndTheWait) {
  auto impatient = resilient("fake", std::chrono::milliseconds(50));
  auto prepared = impatient->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  service_.reset();
  Sum sum;
  ASSERT_TRUE(eventually([&] { return impatient->status() == DeviceStatus::Unknown; }));
  EXPECT_EQ((*prepared)->execute(sum.request, {}).status, ErrorStatus::DeadObject);
  ExecutionOptions options;
  options.deadline = BootClock::now() + std::chrono::milliseconds(10);
  EXPECT_EQ((*prepared)->execute(sum.request, options).status, ErrorStatus::MissedDeadlineTransient);
  std::promise<ErrorStatus> called;
  EXPECT_EQ((*prepared)->executeAsynchronously(
                sum.request, {}, [&](const ExecutionOutcome &outcome) { called.set_value(outcome.status); }),
            ErrorStatus::DeadObject);
  EXPECT_EQ(called.get_future().get(), ErrorStatus::DeadObject);
}

TEST_F(ResilientTest, ChangedVersionMakesDeviceUnavailable) {
  auto device = resilient("fake");
  service_.reset();
  fake_->version = "2";
  start({});
  ASSERT_TRUE(eventually([&] { return device->prepareModel(addModel({4}), {}).code() != ErrorStatus::DeadObject; }));
  EXPECT_EQ(device->prepareModel(addModel({4}), {}).code(), ErrorStatus::DeviceUnavailable);
  EXPECT_EQ(device->versionString(), "1");
  EXPECT_EQ(device->status(), DeviceStatus::Offline);
}

} // namespace
} // namespace avocet::hal
