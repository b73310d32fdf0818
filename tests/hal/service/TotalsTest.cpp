//===- TotalsTest.cpp - A service's totals over all clients -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include "TotalsAnswer.h"

#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/types/Result.h"

#include <sys/syscall.h>

namespace avocet::hal {
namespace {

using namespace testing;

constexpr uint32_t kUnprivilegedUser = 65534;

class TotalsTest : public ServiceFixture {
protected:
  Result<ServiceTotals> read() const { return readTotals(path_); }
  DeviceTotals npu() const {
    Result<ServiceTotals> totals = read();
    EXPECT_TRUE(totals.isOk()) << totals.error().message;
    return totals ? totals->devices.at(0) : DeviceTotals();
  }
};

TEST_F(TotalsTest, ShowStateAndEnergyOfDevice) {
  std::shared_ptr<IPreparedModel> model = prepare();
  Sum sum;
  ASSERT_TRUE(model->execute(sum.request, {}).isOk());
  const DevicePower power = npu().power;
  EXPECT_EQ(power.clockLevel, "full");
  EXPECT_EQ(power.executions, 1u);
  EXPECT_GT(power.dynamicPicojoules, 0u);
  EXPECT_GT(power.staticPicojoules, 0u);
  EXPECT_EQ(power.bursts, 0u);
  ASSERT_EQ(power.clockLevels.size(), 3u);
  EXPECT_EQ(power.clockLevels[2].state, "full");
  EXPECT_GT(power.clockLevels[2].nanoseconds, 0u);
  EXPECT_EQ(power.clockLevels[0], (StateTime{"low", 0}));
  ASSERT_EQ(power.idleStates.size(), 3u);
  EXPECT_EQ(power.idleStates[0].state, "gated");
  std::shared_ptr<IBurst> burst = model->configureBurst().value();
  EXPECT_EQ(npu().power.bursts, 1u);
  EXPECT_EQ(npu().power.idleState, "");
  burst.reset();
  EXPECT_TRUE(eventually([&] { return npu().power.bursts == 0; }));
  EXPECT_EQ(read()->devices.at(1).power, DevicePower()) << "the other device counts nothing";
}

TEST_F(TotalsTest, CountsObjectsOfClients) {
  EXPECT_EQ(npu().clients, 0u) << "who asks is a client of no device";
  // The connection of a question ends in the service some time after its answer.
  ASSERT_TRUE(eventually([&] {
    Result<ServiceTotals> totals = read();
    return totals && totals->clientsNow == 1;
  }));
  {
    std::shared_ptr<IDevice> idle = connect();
    std::shared_ptr<IPreparedModel> model = prepare();
    Sum sum;
    ASSERT_TRUE(model->execute(sum.request, {}).isOk());
    Result<ServiceTotals> totals = read();
    ASSERT_TRUE(totals.isOk()) << totals.error().message;
    EXPECT_EQ(totals->clientsNow, 3u) << "two, and who asks";
    EXPECT_GE(totals->callsEver, 5u);
    EXPECT_EQ(totals->objectsNow, 1u);
    ASSERT_EQ(totals->devices.size(), 2u);
    const DeviceTotals &device = totals->devices[0];
    EXPECT_EQ(device.device, "npu");
    EXPECT_EQ(device.clients, 2u);
    EXPECT_EQ(device.preparedModels, 1u);
    EXPECT_EQ(device.executions, 0u);
    EXPECT_GT(device.memoryBytes, 0u);
    EXPECT_EQ(totals->devices[1].device, "fake");
    EXPECT_EQ(totals->devices[1].clients, 0u) << "it counts nothing";
  }
  EXPECT_TRUE(eventually([&] { return npu().clients == 0 && npu().preparedModels == 0; }));
}

TEST_F(TotalsTest, TimesGrowWithExecutions) {
  Result<ServiceTotals> before = read(); // the first query starts the sums
  ASSERT_TRUE(before.isOk()) << before.error().message;
  std::shared_ptr<IPreparedModel> model = prepare();
  Sum sum;
  ASSERT_TRUE(model->execute(sum.request, {}).isOk());
  Result<ServiceTotals> after = read();
  ASSERT_TRUE(after.isOk()) << after.error().message;
  EXPECT_GT(after->driverNanoseconds, before->driverNanoseconds);
  EXPECT_GT(after->deviceNanoseconds, before->deviceNanoseconds);
  EXPECT_GT(after->simulatedNanoseconds, before->simulatedNanoseconds);
}

TEST_F(TotalsTest, CountsWorkAndErrors) {
  std::shared_ptr<IPreparedModel> model = prepare();
  Sum sum;
  ASSERT_TRUE(model->execute(sum.request, {}).isOk());
  ExecutionOptions late;
  late.deadline = BootClock::now();
  ASSERT_EQ(model->execute(sum.request, late).status, ErrorStatus::MissedDeadlinePersistent);
  Result<ServiceTotals> totals = read();
  ASSERT_TRUE(totals.isOk()) << totals.error().message;
  const DeviceTotals &device = totals->devices.at(0);
  EXPECT_EQ(device.executionsEver, 2u);
  EXPECT_EQ(device.executionsFailed, 1u);
  EXPECT_EQ(device.compilerRuns, 1u);
  EXPECT_GT(device.compilerNanoseconds, 0u);
  std::array<uint64_t, kNumErrorCodes> errors{};
  errors[static_cast<size_t>(ErrorStatus::MissedDeadlinePersistent)] = 1;
  EXPECT_EQ(totals->callErrors, errors);
}

TEST_F(TotalsTest, CountsErrorsOfTheCompiler) {
  const Result<ServiceTotals> before = read();
  ASSERT_TRUE(before.isOk()) << before.error().message;
  noteCompilerError("test", "compilation", "planted");
  const Result<ServiceTotals> after = read();
  ASSERT_TRUE(after.isOk()) << after.error().message;
  EXPECT_EQ(after->compilerErrors, before->compilerErrors + 1);
}

/// Both devices of a service use the same compile workers, and each reports the figures of all of them.
TEST_F(TotalsTest, CompilerCrashesOfSharedWorkersCountOnce) {
  service_.reset();
  auto listener = Listener::listen(path_);
  ASSERT_TRUE(listener.isOk()) << listener.error().message;
  DriverCounters counters;
  counters.clients = 2;
  counters.compilerCrashes = 5;
  counters.compilerRestarts = 3;
  auto connect = [state = fake_](const ClientOptions &) -> Result<std::shared_ptr<ClientDevice>> {
    return makeFakeDevice(state);
  };
  auto count = [counters] { return counters; };
  const Service service(std::move(*listener), {{"one", connect, count}, {"two", connect, count}});
  EXPECT_EQ(service.counters().drivers.clients, 4u);
  EXPECT_EQ(service.counters().drivers.compilerCrashes, 5u);
  EXPECT_EQ(service.counters().drivers.compilerRestarts, 3u);
}

TEST_F(TotalsTest, FailsWithoutService) {
  service_.reset();
  EXPECT_EQ(read().code(), ErrorStatus::DeadObject);
}

TEST(TotalsRuleTest, AllowsServiceUserAndRootOnly) {
  constexpr uint32_t kService = 990, kOther = 1000;
  EXPECT_TRUE(maySeeTotals({1, kService, kOther}, kService));
  EXPECT_TRUE(maySeeTotals({1, 0, kOther}, kService));
  EXPECT_FALSE(maySeeTotals({1, kOther, kService}, kService)) << "a group is not enough";
  EXPECT_FALSE(maySeeTotals({1, kOther, 0}, kService));
}

/// Changes the user of this thread only; the C library's setresuid() would change all threads.
bool becomeUser(uint32_t user) { return ::syscall(SYS_setresuid, -1, user, -1) == 0; }

TEST_F(TotalsTest, RefusesOtherUsers) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can change its user";
  std::thread([&] {
    ASSERT_TRUE(becomeUser(kUnprivilegedUser));
    EXPECT_EQ(read().code(), ErrorStatus::DeviceUnavailable);
    auto names = listDevices(path_);
    ASSERT_TRUE(names.isOk()) << names.error().message;
    EXPECT_EQ(names->size(), 2u) << "but the devices are for all";
  }).join();
}

} // namespace
} // namespace avocet::hal
