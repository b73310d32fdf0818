//===- NpuDevice.h - The device ---------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_NPUDEVICE_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_NPUDEVICE_H

#include "client/Client.h"

#include <mutex>

namespace avocet::hal {

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

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_NPUDEVICE_H
