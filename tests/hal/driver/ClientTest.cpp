//===- ClientTest.cpp - Clients and their quotas ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/Client.h"
#include "DeviceFixture.h"

#include <atomic>
#include <future>
#include <gmock/gmock.h>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

TEST(DriverQuotaTest, GrantsWhatIsLeft) {
  auto quota = std::make_shared<Quota>("things", 10);
  Result<Charge> first = quota->take(7);
  ASSERT_TRUE(first.isOk());
  EXPECT_EQ(quota->take(11).code(), ErrorStatus::ResourceExhaustedPersistent);
  EXPECT_EQ(quota->take(4).code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_TRUE(quota->take(3).isOk());
  EXPECT_EQ(quota->used(), 7u);
  Charge moved = std::move(*first);
  EXPECT_EQ(quota->used(), 7u);
  moved = Charge();
  EXPECT_EQ(quota->used(), 0u);
  EXPECT_EQ(quota->take(~uint64_t{0}).code(), ErrorStatus::ResourceExhaustedPersistent);
}

TEST(DriverQuotaTest, ReclaimsKeptChargesBeforeRefusing) {
  auto quota = std::make_shared<Quota>("things", 10);
  std::optional<Charge> kept = std::move(*quota->take(8));
  quota->setReclaim([&] { kept.reset(); });
  EXPECT_TRUE(quota->take(5).isOk());
  EXPECT_FALSE(kept);
}

TEST(DriverQuotaTest, LeavesAsMuchOfWholeAsHeld) {
  auto whole = std::make_shared<Quota>("things of all", 12);
  std::vector<Charge> charges;
  auto takeAll = [&](const std::shared_ptr<Quota> &quota) {
    uint64_t taken = 0;
    for (; Result<Charge> charge = quota->take(1); ++taken)
      charges.push_back(std::move(*charge));
    EXPECT_EQ(quota->take(1).code(), ErrorStatus::ResourceExhaustedTransient);
    EXPECT_NE(quota->take(1).error().message.find("all clients use"), std::string::npos);
    return taken;
  };
  EXPECT_EQ(takeAll(std::make_shared<Quota>("things", 100, whole)), 6u);
  EXPECT_EQ(takeAll(std::make_shared<Quota>("things", 100, whole)), 3u);
  EXPECT_EQ(takeAll(std::make_shared<Quota>("things", 100, whole)), 2u);
  EXPECT_EQ(whole->used(), 11u);
  auto modest = std::make_shared<Quota>("things", 1, whole);
  EXPECT_TRUE(modest->take(1).isOk());
  charges.clear();
  EXPECT_EQ(whole->used(), 0u);
}

TEST(DriverQuotaTest, RefusalTakesNothingOfWhole) {
  auto whole = std::make_shared<Quota>("things of all", 10);
  auto quota = std::make_shared<Quota>("things", 3, whole);
  EXPECT_FALSE(quota->take(4).isOk());
  EXPECT_EQ(quota->used() + whole->used(), 0u);
  Result<Charge> charge = quota->take(2);
  EXPECT_FALSE(quota->take(2).isOk());
  EXPECT_EQ(quota->used(), 2u);
  EXPECT_EQ(whole->used(), 2u);
}

TEST(DriverQuotaTest, StaysExactWithManyThreads) {
  auto quota = std::make_shared<Quota>("things", 3);
  std::atomic<int> inside = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i)
        if (Result<Charge> charge = quota->take(1)) {
          EXPECT_LE(++inside, 3);
          --inside;
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(quota->used(), 0u);
}

class ClientTest : public DeviceFixture {
protected:
  static Model model() { return addModel({2}); }
  ErrorStatus prepareStatus(IDevice &device) { return device.prepareModel(model(), {}).code(); }
};

TEST_F(ClientTest, RejectsModelsAboveLimit) {
  ClientQuotas quotas;
  quotas.preparedModels = 2;
  device_ = connect(quotas);
  auto first = prepare(model()), second = prepare(model());
  EXPECT_EQ(prepareStatus(*device_), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_EQ(prepareStatus(*connect({})), ErrorStatus::None) << "others do not notice";
  second.reset();
  EXPECT_EQ(prepareStatus(*device_), ErrorStatus::None);
}

TEST_F(ClientTest, RejectsConstantsAboveMemoryLimit) {
  ClientQuotas quotas;
  quotas.memoryBytes = 1 << 16;
  device_ = connect(quotas);
  EXPECT_EQ(device_->prepareModel(addConstantModel(std::vector<float>(1 << 16)), {}).code(),
            ErrorStatus::ResourceExhaustedPersistent);
  EXPECT_EQ(prepareStatus(*device_), ErrorStatus::None);
}

TEST_F(ClientTest, CommandsCountAsMemory) {
  const uint64_t before = driver_->counters().memoryBytes;
  auto prepared = prepare(model());
  EXPECT_GT(driver_->counters().memoryBytes, before);
}

/// A model that is not compiled before its shapes are known keeps its constants uncompiled.
TEST_F(ClientTest, ConstantsOfUncompiledModelsCountAsMemory) {
  constexpr uint32_t kCount = 1 << 14;
  Model waiting = addConstantModel(std::vector<float>(kCount));
  for (uint32_t operand : {waiting.main.inputIndexes[0], waiting.main.outputIndexes[0]})
    waiting.main.operands[operand].dimensions = {0};
  const uint64_t before = driver_->counters().memoryBytes;
  {
    auto prepared = prepare(waiting);
    ASSERT_NE(prepared, nullptr);
    EXPECT_GE(driver_->counters().memoryBytes, before + kCount * sizeof(float));
  }
  EXPECT_EQ(driver_->counters().memoryBytes, before);
  ClientQuotas quotas;
  quotas.memoryBytes = kCount;
  EXPECT_EQ(connect(quotas)->prepareModel(waiting, {}).code(), ErrorStatus::ResourceExhaustedPersistent);
}

/// The quota refuses the constants before it copies a byte: the file is a hole of 3 GiB.
TEST_F(ClientTest, RejectsHugeConstantsBeforeCopying) {
  Model huge = addConstantModel(std::vector<float>(4));
  const auto &pool = std::get<Ashmem>(huge.pools[0]->handle);
  constexpr uint64_t kBytes = uint64_t(3) << 30;
  ASSERT_EQ(::ftruncate(pool.fd->get(), kBytes), 0);
  huge.pools[0] = std::make_shared<const Memory>(Memory{Ashmem{pool.fd, kBytes}});
  for (Operand &operand : huge.main.operands)
    if (operand.lifetime == OperandLifeTime::ConstantReference) {
      operand.dimensions = {kBytes / sizeof(float)};
      operand.location.length = kBytes;
    }
  ClientQuotas quotas;
  quotas.memoryBytes = 1 << 30;
  EXPECT_EQ(connect(quotas)->prepareModel(huge, {}).code(), ErrorStatus::ResourceExhaustedPersistent);
}

TEST_F(ClientTest, RejectsPoolsAboveMemoryLimit) {
  ClientQuotas quotas;
  quotas.memoryBytes = 1 << 20;
  device_ = connect(quotas);
  auto prepared = prepare(model());
  TestPool outputs(8), small(16), large((1 << 20) + 1);
  EXPECT_TRUE(prepared->execute(requestOf({8, 8}, {8}, small, outputs), {}).isOk());
  EXPECT_EQ(prepared->execute(requestOf({8, 8}, {8}, large, outputs), {}).status,
            ErrorStatus::ResourceExhaustedPersistent);
  // Each pool fits alone; the driver releases pools that it only keeps for the next run.
  for (int i = 0; i < 4; ++i) {
    TestPool half(3 << 18);
    ExecutionOutcome outcome = prepared->execute(requestOf({8, 8}, {8}, half, outputs), {});
    EXPECT_TRUE(outcome.isOk()) << outcome.message;
  }
}

TEST_F(ClientTest, RejectsExecutionsAboveLimit) {
  ClientQuotas quotas;
  quotas.queuedExecutions = 0;
  device_ = connect(quotas);
  auto prepared = prepare(model());
  TestPool inputs(16), outputs(8);
  EXPECT_EQ(prepared->execute(requestOf({8, 8}, {8}, inputs, outputs), {}).status,
            ErrorStatus::ResourceExhaustedPersistent);
}

TEST_F(ClientTest, CompilationsAboveLimitWait) {
  ClientQuotas quotas;
  quotas.compilations = 1;
  std::shared_ptr<ClientDevice> device = connect(quotas);
  std::vector<std::future<ErrorStatus>> preparations;
  for (int i = 0; i < 6; ++i)
    preparations.push_back(std::async(std::launch::async, [&] { return prepareStatus(*device); }));
  for (std::future<ErrorStatus> &preparation : preparations)
    EXPECT_EQ(preparation.get(), ErrorStatus::None);
}

TEST_F(ClientTest, DestroyedClientLeavesNothing) {
  DriverCounters before = driver_->counters();
  {
    std::shared_ptr<ClientDevice> device = connect({});
    Result<std::shared_ptr<IPreparedModel>> prepared = device->prepareModel(model(), {});
    ASSERT_TRUE(prepared.isOk());
    Result<std::shared_ptr<IBuffer>> buffer = device->allocate({}, {{*prepared, 0, 1}}, {});
    ASSERT_TRUE(buffer.isOk());
    TestPool inputs(16), outputs(8);
    ASSERT_TRUE((*prepared)->execute(requestOf({8, 8}, {8}, inputs, outputs), {}).isOk());
    DriverCounters during = driver_->counters();
    EXPECT_EQ(during.clients, before.clients + 1);
    EXPECT_EQ(during.preparedModels, before.preparedModels + 1);
    EXPECT_EQ(during.buffers, before.buffers + 1);
    EXPECT_GT(during.memoryBytes, before.memoryBytes);
  }
  DriverCounters after = driver_->counters();
  EXPECT_EQ(after.clients, before.clients);
  EXPECT_EQ(after.preparedModels, before.preparedModels);
  EXPECT_EQ(after.buffers, before.buffers);
  EXPECT_EQ(after.executions, before.executions);
  EXPECT_EQ(after.memoryBytes, before.memoryBytes);
}

TEST_F(ClientTest, AbandonedClientGetsNoBuffers) {
  std::shared_ptr<ClientDevice> device = connect({});
  Result<std::shared_ptr<IPreparedModel>> prepared = device->prepareModel(model(), {});
  ASSERT_TRUE(prepared.isOk());
  Result<std::shared_ptr<IBuffer>> buffer = device->allocate({}, {{*prepared, 0, 1}}, {});
  ASSERT_TRUE(buffer.isOk());
  device->abandon();
  TestPool pool(8);
  EXPECT_EQ(device->allocate({}, {{*prepared, 0, 1}}, {}).code(), ErrorStatus::DeviceUnavailable);
  EXPECT_EQ((*buffer)->copyFrom(pool.memory(), {}).code(), ErrorStatus::DeviceUnavailable);
}

} // namespace
} // namespace avocet::hal
