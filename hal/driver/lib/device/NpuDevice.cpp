//===- NpuDevice.cpp - The device -------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/NpuDevice.h"

#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/Validation.h"
#include "device/HalResult.h"
#include "device/MeasuredFigures.h"
#include "memory/Allocation.h"
#include "memory/PoolFile.h"
#include "model/Preparation.h"
#include "model/Support.h"

namespace avocet::hal {

/// Those of hal/extensions, and that for whole networks, which the driver itself reads.
static std::vector<Extension> ownExtensions() {
  std::vector<Extension> extensions = describeExtensions();
  extensions.push_back({std::string(kTfliteExtension), {}});
  return extensions;
}

NpuDevice::NpuDevice(std::shared_ptr<ClientState> client)
    : client_(std::move(client)), name_("avocet-" + client_->core().target().name()), extensions_(ownExtensions()) {}

const Capabilities &NpuDevice::capabilities() const {
  std::call_once(hasCapabilities_,
                 [this] { capabilities_ = measuredCapabilities(client_->core().target().fingerprint()); });
  return capabilities_;
}

DeviceStatus NpuDevice::status() const {
  return client_->core().device()->status().isOk() ? DeviceStatus::Available : DeviceStatus::Offline;
}

NumberOfCacheFiles NpuDevice::numberOfCacheFilesNeeded() const {
  return client_->core().tokens() != nullptr ? kCacheFiles : NumberOfCacheFiles{};
}

Result<SupportedOperations> NpuDevice::getSupportedOperations(const Model &model) const {
  return withoutExceptions([&]() -> Result<SupportedOperations> { return supportedOperations(*client_, model); });
}

Prepared NpuDevice::prepareModel(const Model &model, const PrepareOptions &options) {
  return withoutExceptions([&]() -> Prepared {
    AVOCET_RETURN_IF_ERROR(client_->checkPresence());
    AVOCET_RETURN_IF_ERROR(checkPreparation(model, options));
    return hal::prepareModel(client_, model, options);
  });
}

/// On success the task calls the callback, otherwise the caller does. The callback receives the only reference to the
/// prepared model.
Outcome NpuDevice::launch(const Model &model, const PrepareOptions &options, const PreparedModelCallback &callback) {
  AVOCET_RETURN_IF_ERROR(client_->checkPresence());
  AVOCET_RETURN_IF_ERROR(checkPreparation(model, options));
  auto task = [client = client_, model, options, callback] {
    Prepared prepared = withoutExceptions([&] { return hal::prepareModel(client, model, options); });
    callback(prepared.code(), prepared ? std::move(*prepared) : nullptr);
  };
  if (!client_->workers().post(std::move(task)))
    return error(ErrorStatus::ResourceExhaustedTransient, "prepare: too many asynchronous calls are waiting");
  return success();
}

ErrorStatus NpuDevice::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                  PreparedModelCallback callback) {
  Outcome launched = withoutExceptions([&] { return launch(model, options, callback); });
  if (!launched)
    callback(launched.code(), nullptr);
  return launched.code();
}

Prepared NpuDevice::prepareModelFromCache(const OptionalTimePoint &deadline, const CacheFiles &cache) {
  return withoutExceptions([&]() -> Prepared {
    AVOCET_RETURN_IF_ERROR(client_->checkPresence());
    return hal::prepareModelFromCache(client_, deadline, cache);
  });
}

Result<std::shared_ptr<IBuffer>> NpuDevice::allocate(const std::vector<uint32_t> &dimensions,
                                                     const std::vector<BufferRole> &inputRoles,
                                                     const std::vector<BufferRole> &outputRoles) {
  return withoutExceptions([&]() -> Result<std::shared_ptr<IBuffer>> {
    AVOCET_RETURN_IF_ERROR(client_->checkPresence());
    return allocateBuffer(client_, dimensions, inputRoles, outputRoles);
  });
}

} // namespace avocet::hal
