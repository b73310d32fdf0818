//===- NpuDriver.cpp - The device shared by several clients -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/DevicePower.h"
#include "device/HalResult.h"
#include "device/NpuDevice.h"

#include <cmath>
#include <mutex>
#include <vector>

namespace avocet::hal {
namespace {

/// Saturates. `value` is not negative.
uint64_t rounded(double value) { return value >= 0x1p63 ? UINT64_MAX : static_cast<uint64_t>(std::llround(value)); }

template <typename State>
std::vector<StateTime> timesOf(const std::vector<State> &states, const std::vector<double> &nanoseconds) {
  std::vector<StateTime> times;
  for (size_t i = 0; i < states.size(); ++i)
    times.push_back({states[i].name, rounded(nanoseconds[i])});
  return times;
}

/// Nothing for a device without clock levels.
DevicePower powerOf(runtime::Device &device) {
  DevicePower power;
  if (!device.properties().hasClockLevels)
    return power;
  const firmware::PowerModel &model = device.target().power();
  const runtime::PowerState state = device.power().state();
  const runtime::PowerTotals totals = device.power().totals();
  power.clockLevel = model.levels[state.clockLevel].name;
  power.idleState = state.idleState ? model.idleStates[*state.idleState].name : "";
  power.bursts = state.holds;
  power.executions = totals.jobs;
  power.wakeUps = totals.wakeUps;
  power.dynamicPicojoules = rounded(totals.jobEnergy.dynamicPicojoules);
  power.staticPicojoules = rounded(totals.jobEnergy.staticPicojoules);
  power.idlePicojoules = rounded(totals.idlePicojoules);
  power.wakePicojoules = rounded(totals.wakePicojoules);
  power.awakeNanoseconds = rounded(totals.awakeNanoseconds);
  power.clockLevels = timesOf(model.levels, totals.levelNanoseconds);
  power.idleStates = timesOf(model.idleStates, totals.idleStateNanoseconds);
  return power;
}

class NpuDriver final : public Driver {
public:
  explicit NpuDriver(std::shared_ptr<DeviceCore> core) : core_(std::move(core)) {}

  Result<std::shared_ptr<ClientDevice>> connect(const ClientOptions &options) override {
    return withoutExceptions([&]() -> Result<std::shared_ptr<ClientDevice>> {
      auto client = std::make_shared<ClientState>(core_, options);
      remember(client);
      return std::shared_ptr<ClientDevice>(std::make_shared<NpuDevice>(std::move(client)));
    });
  }

  DriverCounters counters() const override {
    DriverCounters counters;
    const Counters &counted = core_->counters();
    counters.hostBytesCopied = counted.hostBytesCopied.value();
    counters.poolsMapped = counted.poolsMapped.value();
    counters.operandsBound = counted.operandsBound.value();
    counters.bindingsReused = counted.bindingsReused.value();
    counters.specialisations = counted.specialisations.value();
    counters.specialisationsCached = counted.specialisationsCached.value();
    counters.improvements = counted.improvements.value();
    counters.improvementsFailed = counted.improvementsFailed.value();
    counters.executionsEver = counted.executionsEver.value();
    counters.executionsFailed = counted.executionsFailed.value();
    counters.cacheHits = counted.cacheHits.value();
    counters.cacheMisses = counted.cacheMisses.value();
    counters.compilerRuns = core_->compiler().runs();
    counters.compilerNanoseconds = core_->compiler().nanoseconds();
    if (const auto &workers = core_->options().compileWorkers; workers != nullptr) {
      counters.compilerCrashes = workers->counters().crashes;
      counters.compilerRestarts = workers->counters().restarts;
    }
    for (const std::shared_ptr<ClientState> &client : clients())
      client->addTo(counters);
    counters.power = powerOf(*core_->device());
    return counters;
  }

private:
  /// The present clients. The caller may get the last reference to one.
  std::vector<std::shared_ptr<ClientState>> clients() const {
    std::vector<std::shared_ptr<ClientState>> clients;
    std::lock_guard lock(mutex_);
    for (const std::weak_ptr<ClientState> &known : clients_)
      if (std::shared_ptr<ClientState> client = known.lock())
        clients.push_back(std::move(client));
    return clients;
  }

  void remember(const std::shared_ptr<ClientState> &client) {
    std::lock_guard lock(mutex_);
    std::erase_if(clients_, [](const auto &known) { return known.expired(); });
    clients_.push_back(client);
  }

  const std::shared_ptr<DeviceCore> core_;
  mutable std::mutex mutex_; ///< guards clients_
  std::vector<std::weak_ptr<ClientState>> clients_;
};

} // namespace

Result<std::shared_ptr<Driver>> Driver::open(const DriverOptions &options) {
  return withoutExceptions([&]() -> Result<std::shared_ptr<Driver>> {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<DeviceCore> core, DeviceCore::open(options));
    return std::shared_ptr<Driver>(std::make_shared<NpuDriver>(std::move(core)));
  });
}

Result<std::shared_ptr<IDevice>> openDevice(const DriverOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Driver> driver, Driver::open(options));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<ClientDevice> device, driver->connect({}));
  return std::shared_ptr<IDevice>(std::move(device));
}

} // namespace avocet::hal
