//===- DescribedDevice.cpp - Bases of devices -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/DescribedDevice.h"

namespace avocet::hal {

DeviceDescription describe(const IDevice &device) {
  return {device.name(),
          device.versionString(),
          device.featureLevel(),
          device.type(),
          device.supportedExtensions(),
          device.capabilities(),
          device.numberOfCacheFilesNeeded(),
          device.memoryPreference()};
}

DeviceStatus ForwardingDevice::status() const { return device_->status(); }

Result<SupportedOperations> ForwardingDevice::getSupportedOperations(const Model &model) const {
  return device_->getSupportedOperations(model);
}

Result<std::shared_ptr<IPreparedModel>> ForwardingDevice::prepareModel(const Model &model,
                                                                       const PrepareOptions &options) {
  return device_->prepareModel(model, options);
}

ErrorStatus ForwardingDevice::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                         PreparedModelCallback callback) {
  return device_->prepareModelAsynchronously(model, options, std::move(callback));
}

Result<std::shared_ptr<IPreparedModel>> ForwardingDevice::prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                                const CacheFiles &cache) {
  return device_->prepareModelFromCache(deadline, cache);
}

Result<std::shared_ptr<IBuffer>> ForwardingDevice::allocate(const std::vector<uint32_t> &dimensions,
                                                            const std::vector<BufferRole> &inputRoles,
                                                            const std::vector<BufferRole> &outputRoles) {
  return device_->allocate(dimensions, inputRoles, outputRoles);
}

} // namespace avocet::hal
