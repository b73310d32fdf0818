//===- RemoteDevice.h - A device of the service -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_REMOTEDEVICE_H
#define AVOCET_HAL_IPC_LIB_REMOTEDEVICE_H

#include "RemoteObject.h"
#include "RemotePreparedModel.h"
#include "avocet/hal/types/DescribedDevice.h"

namespace avocet::hal::ipc {

class RemoteBuffer final : public IBuffer {
public:
  RemoteBuffer(std::shared_ptr<Connection> connection, uint64_t id, BufferToken token)
      : object_(std::move(connection), id), token_(token) {}

  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override;
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override;

private:
  RemoteObject object_;
  const BufferToken token_;
};

class RemoteDevice final : public DescribedDevice {
public:
  RemoteDevice(std::shared_ptr<Connection> connection, DeviceDescription description, const ConnectOptions &options)
      : DescribedDevice(std::move(description)), connection_(std::move(connection)), options_(options) {}

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

  bool isDead() const { return connection_->isDead(); }

private:
  std::vector<fb::Role> rolesOf(const std::vector<BufferRole> &roles) const;

  const std::shared_ptr<Connection> connection_;
  const ConnectOptions options_;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_REMOTEDEVICE_H
