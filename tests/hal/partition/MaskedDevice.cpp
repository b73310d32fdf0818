//===- MaskedDevice.cpp - A device with fewer operations ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskedDevice.h"

#include <utility>

namespace avocet::hal::test {
namespace {

class MaskedDevice final : public IDevice {
public:
  MaskedDevice(std::shared_ptr<IDevice> device, std::string name, OperationMask mask)
      : device_(std::move(device)), name_(std::move(name)), mask_(std::move(mask)) {}

  const std::string &name() const override { return name_; }
  const std::string &versionString() const override { return device_->versionString(); }
  Version featureLevel() const override { return device_->featureLevel(); }
  DeviceType type() const override { return device_->type(); }
  const std::vector<Extension> &supportedExtensions() const override { return device_->supportedExtensions(); }
  const Capabilities &capabilities() const override { return device_->capabilities(); }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return {}; }
  DeviceStatus status() const override { return device_->status(); }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    auto answer = device_->getSupportedOperations(model);
    if (answer)
      for (size_t i = 0; i < answer->supported.size(); ++i)
        if (answer->supported[i] && !mask_(model, i)) {
          answer->supported[i] = false;
          answer->reasons[i] = {"operation", "", "masked", "", ""};
        }
    return answer;
  }

  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override {
    return device_->prepareModel(model, options);
  }
  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override {
    return device_->prepareModelAsynchronously(model, options, std::move(callback));
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override {
    return device_->prepareModelFromCache(deadline, cache);
  }
  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override {
    return device_->allocate(dimensions, inputRoles, outputRoles);
  }

private:
  const std::shared_ptr<IDevice> device_;
  const std::string name_;
  const OperationMask mask_;
};

} // namespace

std::shared_ptr<IDevice> maskDevice(std::shared_ptr<IDevice> device, std::string name, OperationMask mask) {
  return std::make_shared<MaskedDevice>(std::move(device), std::move(name), std::move(mask));
}

} // namespace avocet::hal::test
