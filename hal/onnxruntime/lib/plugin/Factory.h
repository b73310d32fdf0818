//===- Factory.h - What makes execution providers ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_PLUGIN_FACTORY_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_PLUGIN_FACTORY_H

#include "plugin/Provider.h"

#include "avocet/hal/driver/KernelDevices.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace avocet::ort {

using KernelDevices = std::vector<hal::KernelDevice>;

/// Thread-safe. It outlives its providers.
class Factory : public abi::Factory {
public:
  /// `version`: of the library. `kernelDevices`: lists those of the kernel driver.
  static Result<std::unique_ptr<Factory>> make(const Runtime &runtime, std::string version,
                                               KernelDevices (*kernelDevices)() = hal::kernelDevices);
  ~Factory(); // NOLINT(bugprone-derived-method-shadowing-base-method): the table is of the same name
  Factory(const Factory &) = delete;
  Factory &operator=(const Factory &) = delete;

  static Factory *of(abi::Factory *factory) { return static_cast<Factory *>(factory); }
  static const Factory *of(const abi::Factory *factory) { return static_cast<const Factory *>(factory); }

private:
  Factory(const Runtime &runtime, std::string version, KernelDevices (*kernelDevices)());
  void setNames();
  void setMemory();
  Status findDevices(std::span<const abi::HardwareDevice *const> devices, std::span<abi::EpDevice *> made,
                     size_t &numMade);
  /// What stands for the embedded device among hardware.
  Result<const abi::HardwareDevice *> virtualHardware(std::span<const abi::HardwareDevice *const> devices);
  /// The hardware that is a device of the kernel driver.
  std::vector<const abi::HardwareDevice *> findKernelDevices(std::span<const abi::HardwareDevice *const> devices);
  Status addDevice(const abi::HardwareDevice *hardware, abi::EpDevice *&made);
  /// Options of the hardware that an application has chosen.
  plugin::EngineOptions defaultsFor(std::span<const abi::HardwareDevice *const> devices);
  Status makeProvider(const abi::SessionOptions *session, const plugin::EngineOptions &defaults,
                      const abi::Logger *logger, abi::Provider **provider);
  Result<std::shared_ptr<plugin::Engine>> engineFor(const plugin::EngineOptions &options);

  const Runtime runtime_;
  const std::string version_;
  abi::HardwareDevice *virtualDevice_ = nullptr;
  abi::MemoryInfo *memoryInfo_ = nullptr;
  const std::shared_ptr<DeviceMemory> memory_ = std::make_shared<DeviceMemory>();

  KernelDevices (*const listKernelDevices_)();

  std::mutex mutex_; ///< guards the members below
  std::map<const abi::HardwareDevice *, hal::KernelDevice> kernelDevices_;
  std::map<std::string, std::weak_ptr<plugin::Engine>> engines_; ///< by keyOf()
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_PLUGIN_FACTORY_H
