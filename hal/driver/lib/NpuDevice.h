//===- NpuDevice.h - The device ---------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_NPUDEVICE_H
#define AVOCET_HAL_DRIVER_LIB_NPUDEVICE_H

#include "DeviceCore.h"

#include <stop_token>

namespace avocet::hal {

/// A handle of the core with the answers that never change.
class NpuDevice final : public ClientDevice {
public:
  explicit NpuDevice(std::shared_ptr<DeviceCore> core);

  const std::string &name() const override { return name_; }
  const std::string &versionString() const override { return core_->versionString(); }
  Version featureLevel() const override { return kLatestVersion; }
  DeviceType type() const override { return DeviceType::Accelerator; }
  const std::vector<Extension> &supportedExtensions() const override { return extensions_; }
  const Capabilities &capabilities() const override { return capabilities_; }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override;
  DeviceStatus status() const override;

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override;
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override;
  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override;
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override;
  void abandon() override { stop_.request_stop(); }

private:
  Outcome checkPresence() const;
  Outcome launch(const Model &model, const PrepareOptions &options, const PreparedModelCallback &callback);

  const std::shared_ptr<DeviceCore> core_;
  const std::string name_;
  const std::vector<Extension> extensions_;
  const Capabilities capabilities_;
  std::stop_source stop_; ///< of everything that the client has in flight
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_NPUDEVICE_H
