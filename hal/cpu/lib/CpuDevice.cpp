//===- CpuDevice.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/cpu/CpuDevice.h"

#include "avocet/base/Knobs.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <charconv>
#include <thread>

namespace avocet::hal {
namespace {

/// The compiler's target: of the shipped ones that with the most on-chip memory, so that networks have the fewest
/// commands.
constexpr std::string_view kTarget = "p4096";

/// A device without time under the CPU's name, with the figures of the reference: 1.0 for everything.
class CpuDevice final : public IDevice {
public:
  explicit CpuDevice(std::shared_ptr<IDevice> device) : device_(std::move(device)) {
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
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return device_->numberOfCacheFilesNeeded(); }
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
  const std::string name_{kCpuDeviceName};
  const std::vector<Extension> extensions_ = describeExtensions();
  Capabilities capabilities_;
};

/// More threads make hardly any network faster, and take processors from the application.
constexpr uint32_t kMostDefaultThreads = 4;

/// Of the knob; by default one for each processor that this process may use.
uint32_t defaultThreads() {
  const std::string text = knobText(knobs::kCpuThreads);
  uint32_t threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostDefaultThreads);
  std::from_chars(text.data(), text.data() + text.size(), threads); // unchanged for "auto"
  return threads;
}

} // namespace

Result<std::shared_ptr<IDevice>> openCpuDevice(const CpuOptions &options) {
  DriverOptions driver;
  driver.target = kTarget;
  driver.timing = false;
  driver.traceLayer = TraceLayer::Cpu;
  driver.threads = options.threads != 0 ? options.threads : defaultThreads();
  driver.compilerLibrary = options.compilerLibrary;
  driver.cacheDirectory = options.cacheDirectory;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IDevice> device, openDevice(driver));
  return std::shared_ptr<IDevice>(std::make_shared<CpuDevice>(std::move(device)));
}

} // namespace avocet::hal
