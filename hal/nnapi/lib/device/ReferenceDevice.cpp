//===- ReferenceDevice.cpp ------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/ReferenceDevice.h"

#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/types/Utils.h"

namespace avocet::hal {
namespace {

/// Another device under the CPU's name, with the figures of the reference: 1.0 for everything.
class ReferenceDevice final : public IDevice {
public:
  explicit ReferenceDevice(std::shared_ptr<IDevice> device) : device_(std::move(device)) {
    constexpr PerformanceInfo kReference{1, 1};
    capabilities_.relaxedFloat32toFloat16PerformanceScalar = kReference;
    capabilities_.relaxedFloat32toFloat16PerformanceTensor = kReference;
    capabilities_.ifPerformance = capabilities_.whilePerformance = kReference;
    for (const auto &type : allOperandTypes())
      if (type.byteSize != 0)
        capabilities_.operandPerformance.push_back({type.type, kReference});
  }

  const std::string &name() const override { return name_; }
  const std::string &versionString() const override { return device_->versionString(); }
  Version featureLevel() const override { return device_->featureLevel(); }
  DeviceType type() const override { return DeviceType::Cpu; }
  const std::vector<Extension> &supportedExtensions() const override { return extensions_; }
  const Capabilities &capabilities() const override { return capabilities_; }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return {}; }
  DeviceStatus status() const override { return device_->status(); }
  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    return device_->getSupportedOperations(model);
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
  const std::string name_ = "nnapi-reference";
  const std::vector<Extension> extensions_;
  Capabilities capabilities_;
};

} // namespace

} // namespace avocet::hal

namespace avocet::nnapi {

hal::Result<std::shared_ptr<hal::IDevice>> openReferenceDevice(const std::string &compilerLibrary) {
  hal::DriverOptions options;
  options.timing = false;
  options.compilerLibrary = compilerLibrary;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<hal::IDevice> device, hal::openDevice(options));
  return std::shared_ptr<hal::IDevice>(std::make_shared<hal::ReferenceDevice>(std::move(device)));
}

} // namespace avocet::nnapi
