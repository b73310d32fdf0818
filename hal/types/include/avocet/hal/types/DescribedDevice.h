//===- DescribedDevice.h - Bases of devices ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What implementations of IDevice have in common: constant properties, which are kept as a value, and calls that
// another device answers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_DESCRIBEDDEVICE_H
#define AVOCET_HAL_TYPES_DESCRIBEDDEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace avocet::hal {

/// The properties of a device that never change while its driver is installed.
struct DeviceDescription {
  std::string name;
  std::string version;
  Version featureLevel = Version::V1_0;
  DeviceType type = DeviceType::Unknown;
  std::vector<Extension> extensions = {};
  Capabilities capabilities = {};
  NumberOfCacheFiles cacheFiles = {};
  MemoryPreference memory = {};
};

/// Asks the device for all of them.
DeviceDescription describe(const IDevice &device);

/// Answers for its constant properties with those of its description.
class DescribedDevice : public IDevice {
public:
  explicit DescribedDevice(DeviceDescription description) : description_(std::move(description)) {}

  const std::string &name() const override { return description_.name; }
  const std::string &versionString() const override { return description_.version; }
  Version featureLevel() const override { return description_.featureLevel; }
  DeviceType type() const override { return description_.type; }
  const std::vector<Extension> &supportedExtensions() const override { return description_.extensions; }
  const Capabilities &capabilities() const override { return description_.capabilities; }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return description_.cacheFiles; }
  MemoryPreference memoryPreference() const override { return description_.memory; }

private:
  const DeviceDescription description_;
};

/// Another device under a description of its own. Every call reaches that device unchanged; a derived class overrides
/// those that shall not. Prepared models and buffers are objects of the other device. It is not null.
class ForwardingDevice : public DescribedDevice {
public:
  ForwardingDevice(std::shared_ptr<IDevice> device, DeviceDescription description)
      : DescribedDevice(std::move(description)), device_(std::move(device)) {}

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

private:
  const std::shared_ptr<IDevice> device_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_DESCRIBEDDEVICE_H
