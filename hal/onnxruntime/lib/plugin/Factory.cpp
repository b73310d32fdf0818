//===- Factory.cpp - What makes execution providers -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/Factory.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/TraceRequest.h"
#include "avocet/hal/types/LayerTimes.h"
#include "context/NetworkContext.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::ort {
namespace {

constexpr const char *kVendor = "Avocet";
constexpr uint32_t kVendorId = 0x41564F43; ///< "AVOC": of no PCI vendor, which have 16 bits

} // namespace

Factory::Factory(const Runtime &runtime, std::string version, KernelDevices (*kernelDevices)())
    : runtime_(runtime), version_(std::move(version)), listKernelDevices_(kernelDevices) {
  startProcessTrace();
  setNames();
  setMemory();
  getSupportedDevices = [](abi::Factory *factory, const abi::HardwareDevice *const *devices, size_t count,
                           abi::EpDevice **made, size_t most, size_t *numMade) {
    return of(factory)->runtime_.guarded(
        [&] { return of(factory)->findDevices({devices, count}, {made, most}, *numMade); });
  };
  createProvider = [](abi::Factory *factory, const abi::HardwareDevice *const *devices,
                      const abi::KeyValuePairs *const *, size_t count, const abi::SessionOptions *options,
                      const abi::Logger *logger, abi::Provider **provider) {
    return of(factory)->runtime_.guarded([&] {
      return of(factory)->makeProvider(options, of(factory)->defaultsFor({devices, count}), logger, provider);
    });
  };
  releaseProvider = [](abi::Factory *, abi::Provider *provider) { delete Provider::of(provider); };
}

Result<std::unique_ptr<Factory>> Factory::make(const Runtime &runtime, std::string version,
                                               KernelDevices (*kernelDevices)()) {
  std::unique_ptr<Factory> factory(new Factory(runtime, std::move(version), kernelDevices));
  AVOCET_RETURN_IF_ERROR(runtime.call<abi::CreateMemoryInfo>(kVendor, abi::MemoryDeviceType::Npu, kVendorId, int32_t{0},
                                                             abi::DeviceMemoryType::Default, size_t{0},
                                                             abi::AllocatorType::Device, &factory->memoryInfo_));
  return factory;
}

void Factory::setMemory() {
  createAllocator = [](abi::Factory *factory, const abi::MemoryInfo *info, const abi::KeyValuePairs *,
                       abi::Allocator **allocator) {
    return of(factory)->runtime_.guarded([&] {
      *allocator = new DeviceAllocator(of(factory)->runtime_, of(factory)->memory_, info);
      return Status::ok();
    });
  };
  releaseAllocator = [](abi::Factory *, abi::Allocator *allocator) {
    delete static_cast<DeviceAllocator *>(allocator);
  };
  createDataTransfer = [](abi::Factory *factory, abi::DataTransfer **transfer) {
    const Factory &self = *of(factory);
    return self.runtime_.guarded([&] {
      const abi::MemoryDevice *device =
          self.runtime_.getEp<abi::GetMemoryDevice>(static_cast<const abi::MemoryInfo *>(self.memoryInfo_));
      *transfer = new DeviceTransfer(self.runtime_, self.memory_, device);
      return Status::ok();
    });
  };
}

void Factory::setNames() {
  getName = [](const abi::Factory *) { return kProviderName; };
  getVendor = [](const abi::Factory *) { return kVendor; };
  getVendorId = [](const abi::Factory *) { return kVendorId; };
  getVersion = [](const abi::Factory *factory) { return of(factory)->version_.c_str(); };
  isStreamAware = [](const abi::Factory *) { return false; };
  validateCompatibility = [](abi::Factory *factory, const abi::HardwareDevice *const *, size_t, const char *info,
                             abi::Compatibility *compatibility) -> abi::Status * {
    *compatibility = compatibilityOf(info == nullptr ? "" : info, of(factory)->version_);
    return nullptr;
  };
}

Factory::~Factory() {
  if (virtualDevice_ != nullptr)
    runtime_.getEp<abi::ReleaseHardwareDevice>(virtualDevice_);
  if (memoryInfo_ != nullptr)
    runtime_.get<abi::ReleaseMemoryInfo>(memoryInfo_);
}

Result<const abi::HardwareDevice *> Factory::virtualHardware(std::span<const abi::HardwareDevice *const> devices) {
  if (virtualDevice_ != nullptr)
    return virtualDevice_;
  if (runtime_.hasVirtualDevices()) {
    AVOCET_RETURN_IF_ERROR(runtime_.callEp<abi::CreateHardwareDevice>(abi::HardwareType::Npu, kVendorId, uint32_t{0},
                                                                      kVendor, nullptr, &virtualDevice_));
    return virtualDevice_;
  }
  // Older runtimes know only the hardware that they find. All have a processor.
  for (const abi::HardwareDevice *device : devices)
    if (runtime_.get<abi::HardwareDeviceType>(device) == abi::HardwareType::Cpu)
      return device;
  return unsupported("the runtime shows no processor, for which it would list the device");
}

Status Factory::findDevices(std::span<const abi::HardwareDevice *const> devices, std::span<abi::EpDevice *> made,
                            size_t &numMade) {
  numMade = 0;
  if (made.empty())
    return Status::ok();
  std::vector<const abi::HardwareDevice *> hardware = findKernelDevices(devices);
  if (hardware.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const abi::HardwareDevice *device, virtualHardware(devices));
    hardware = {device};
  }
  for (size_t i = 0; i < std::min(hardware.size(), made.size()); ++i) {
    AVOCET_RETURN_IF_ERROR(addDevice(hardware[i], made[i]));
    ++numMade;
  }
  return Status::ok();
}

Status Factory::addDevice(const abi::HardwareDevice *hardware, abi::EpDevice *&made) {
  AVOCET_RETURN_IF_ERROR(
      runtime_.callEp<abi::CreateEpDevice>(static_cast<abi::Factory *>(this), hardware, nullptr, nullptr, &made));
  return runtime_.callEp<abi::AddAllocatorInfo>(made, static_cast<const abi::MemoryInfo *>(memoryInfo_));
}

std::vector<const abi::HardwareDevice *>
Factory::findKernelDevices(std::span<const abi::HardwareDevice *const> devices) {
  // A back end that the user has chosen is not replaced.
  if (knobText(knobs::kBackend) != knobs::kBackend.defaultValue)
    return {};
  std::lock_guard lock(mutex_);
  for (const abi::HardwareDevice *device : devices) {
    if (runtime_.get<abi::HardwareDeviceType>(device) != abi::HardwareType::Npu)
      continue;
    // The number of the node. Vendor and device are those of the bus, which differ between boards with the driver.
    const char *number = runtime_.get<abi::GetKeyValue>(runtime_.get<abi::HardwareDeviceMetadata>(device), "accel_idx");
    const std::string name = fmt::format("accel{}", number == nullptr ? "" : number);
    for (hal::KernelDevice &each : listKernelDevices_())
      if (each.name == name)
        kernelDevices_[device] = std::move(each);
  }
  std::vector<const abi::HardwareDevice *> found;
  for (const abi::HardwareDevice *device : devices)
    if (kernelDevices_.contains(device))
      found.push_back(device);
  return found;
}

plugin::EngineOptions Factory::defaultsFor(std::span<const abi::HardwareDevice *const> devices) {
  plugin::EngineOptions defaults;
  std::lock_guard lock(mutex_);
  for (const abi::HardwareDevice *device : devices)
    if (const auto found = kernelDevices_.find(device); found != kernelDevices_.end()) {
      defaults.device = found->second.target;
      defaults.backend = found->second.backend;
      break;
    }
  return defaults;
}

Result<std::shared_ptr<plugin::Engine>> Factory::engineFor(const plugin::EngineOptions &options) {
  std::lock_guard lock(mutex_);
  std::weak_ptr<plugin::Engine> &known = engines_[keyOf(options)];
  if (std::shared_ptr<plugin::Engine> engine = known.lock())
    return engine;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<plugin::Engine> engine, plugin::Engine::open(options));
  known = engine;
  return engine;
}

Status Factory::makeProvider(const abi::SessionOptions *session, const plugin::EngineOptions &defaults,
                             const abi::Logger *logger, abi::Provider **provider) {
  auto shared = std::make_shared<Shared>();
  AVOCET_ASSIGN_OR_RETURN(shared->options, optionsOf(runtime_, session, defaults));
  if (!shared->options.profile.empty())
    hal::LayerTimes::enable();
  AVOCET_ASSIGN_OR_RETURN(shared->engine, engineFor(shared->options.engine));
  shared->memory = memory_;
  *provider = new Provider(runtime_, version_, logger, std::move(shared));
  return Status::ok();
}

} // namespace avocet::ort
