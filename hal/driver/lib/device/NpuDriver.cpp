//===- NpuDriver.cpp - The device shared by several clients -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/driver/OnnxExtension.h"
#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/DevicePower.h"
#include "avocet/hal/types/Validation.h"
#include "client/Client.h"
#include "device/HalResult.h"
#include "device/MeasuredFigures.h"
#include "memory/DeviceBuffer.h"
#include "memory/PoolFile.h"
#include "model/Preparation.h"
#include "model/Support.h"

#include <cmath>
#include <mutex>
#include <vector>

namespace avocet::hal {
namespace {

/// The device as one client sees it, with its constant properties.
class NpuDevice final : public ClientDevice {
public:
  explicit NpuDevice(std::shared_ptr<ClientState> client);
  /// A model that has ended may still be written by the background thread, which then keeps the client's state alive.
  ~NpuDevice() override { const std::unique_lock lock(*client_->replacements()); }

  const std::string &name() const override { return name_; }
  const std::string &versionString() const override { return client_->core().versionString(); }
  Version featureLevel() const override { return kLatestVersion; }
  DeviceType type() const override { return DeviceType::Accelerator; }
  const std::vector<Extension> &supportedExtensions() const override { return extensions_; }
  const Capabilities &capabilities() const override;
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override;
  /// Inputs and outputs are mapped where they lie; staging buffers are copied by the line of the host's cache.
  MemoryPreference memoryPreference() const override { return {}; }
  DeviceStatus status() const override;

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override;
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override;
  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override;
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override;
  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override;
  void abandon() override { client_->abandon(); }

private:
  Outcome launch(const Model &model, const PrepareOptions &options, const PreparedModelCallback &callback);

  const std::shared_ptr<ClientState> client_;
  const std::string name_;
  const std::vector<Extension> extensions_;
  mutable std::once_flag hasCapabilities_;
  mutable Capabilities capabilities_; ///< read at the first question; many programs ask none
};

/// Those of hal/extensions, and those for whole networks, which the driver itself reads.
static std::vector<Extension> ownExtensions() {
  std::vector<Extension> extensions = describeExtensions();
  extensions.push_back({std::string(kTfliteExtension), {}});
  extensions.push_back({std::string(kOnnxExtension), {}});
  return extensions;
}

NpuDevice::NpuDevice(std::shared_ptr<ClientState> client)
    : client_(std::move(client)), name_("avocet-" + client_->core().target().name()), extensions_(ownExtensions()) {}

const Capabilities &NpuDevice::capabilities() const {
  std::call_once(hasCapabilities_,
                 [this] { capabilities_ = measuredCapabilities(client_->core().target().fingerprint()); });
  return capabilities_;
}

DeviceStatus NpuDevice::status() const {
  return client_->core().device()->status().isOk() ? DeviceStatus::Available : DeviceStatus::Offline;
}

NumberOfCacheFiles NpuDevice::numberOfCacheFilesNeeded() const {
  return client_->core().tokens() != nullptr ? kCacheFiles : NumberOfCacheFiles{};
}

Result<SupportedOperations> NpuDevice::getSupportedOperations(const Model &model) const {
  return withoutExceptions([&]() -> Result<SupportedOperations> { return supportedOperations(*client_, model); });
}

Prepared NpuDevice::prepareModel(const Model &model, const PrepareOptions &options) {
  return withoutExceptions([&]() -> Prepared {
    AVOCET_RETURN_IF_ERROR(client_->checkPresence());
    AVOCET_RETURN_IF_ERROR(checkPreparation(model, options));
    return hal::prepareModel(client_, model, options);
  });
}

/// On success the task calls the callback, otherwise the caller does. The callback receives the only reference to the
/// prepared model.
Outcome NpuDevice::launch(const Model &model, const PrepareOptions &options, const PreparedModelCallback &callback) {
  AVOCET_RETURN_IF_ERROR(client_->checkPresence());
  AVOCET_RETURN_IF_ERROR(checkPreparation(model, options));
  auto task = [client = client_, model, options, callback] {
    Prepared prepared = withoutExceptions([&] { return hal::prepareModel(client, model, options); });
    callback(prepared.code(), prepared ? std::move(*prepared) : nullptr);
  };
  if (!client_->workers().post(std::move(task)))
    return error(ErrorStatus::ResourceExhaustedTransient, "prepare: too many asynchronous calls are waiting");
  return success();
}

ErrorStatus NpuDevice::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                  PreparedModelCallback callback) {
  Outcome launched = withoutExceptions([&] { return launch(model, options, callback); });
  if (!launched)
    callback(launched.code(), nullptr);
  return launched.code();
}

Prepared NpuDevice::prepareModelFromCache(const OptionalTimePoint &deadline, const CacheFiles &cache) {
  return withoutExceptions([&]() -> Prepared {
    AVOCET_RETURN_IF_ERROR(client_->checkPresence());
    return hal::prepareModelFromCache(client_, deadline, cache);
  });
}

Result<std::shared_ptr<IBuffer>> NpuDevice::allocate(const std::vector<uint32_t> &dimensions,
                                                     const std::vector<BufferRole> &inputRoles,
                                                     const std::vector<BufferRole> &outputRoles) {
  return withoutExceptions([&]() -> Result<std::shared_ptr<IBuffer>> {
    AVOCET_RETURN_IF_ERROR(client_->checkPresence());
    return allocateBuffer(client_, dimensions, inputRoles, outputRoles);
  });
}

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
    counters.specializations = counted.specializations.value();
    counters.specializationsCached = counted.specializationsCached.value();
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
