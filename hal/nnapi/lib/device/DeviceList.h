//===- DeviceList.h - The devices of the process ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_DEVICELIST_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_DEVICELIST_H

#include "avocet/hal/types/Interfaces.h"
#include "capi/Handles.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::nnapi {

/// A device of the HAL, with its constant properties in the form of the C interface. Immutable.
class Device {
public:
  explicit Device(std::shared_ptr<hal::IDevice> device);

  const std::shared_ptr<hal::IDevice> &hal() const { return device_; }
  const std::string &name() const { return name_; }
  const std::string &version() const { return version_; }
  int32_t type() const { return static_cast<int32_t>(type_); }
  bool isCpu() const { return type_ == hal::DeviceType::Cpu; }
  int64_t featureLevel() const { return featureLevel_; }
  bool supportsExtension(const std::string &name) const;
  /// Blocks while the service of the device is away. False: the device is lost for this process.
  bool waitUntilUsable() const;

private:
  const std::shared_ptr<hal::IDevice> device_;
  const std::string name_, version_;
  const hal::DeviceType type_;
  const int64_t featureLevel_;
};

/// The devices of the driver service (knobs AVOCET_SOCKET and AVOCET_NNAPI_DEVICES), or those in this process; then the
/// CPU. Made at the first use, and then constant. Never destroyed, since threads may still use it when the process
/// ends. Thread-safe.
class DeviceList {
public:
  static DeviceList &instance();

  uint32_t count() const { return static_cast<uint32_t>(handles_.size()); }
  /// Null beyond count().
  ANeuralNetworksDevice *at(uint32_t index) const { return index < count() ? handles_[index].get() : nullptr; }
  bool contains(const ANeuralNetworksDevice *handle) const;

  /// All, the CPU last.
  std::vector<std::shared_ptr<Device>> all() const;
  /// For compilations whose application chose none: all, unless a debug setting says the CPU only.
  std::vector<std::shared_ptr<Device>> automatic() const;
  /// Null: there is none.
  std::shared_ptr<Device> cpu() const;

private:
  DeviceList();
  void add(std::shared_ptr<hal::IDevice> device);
  std::vector<std::unique_ptr<ANeuralNetworksDevice>> handles_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_DEVICELIST_H
