//===- NpuDevice.cpp - The device -------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpuDevice.h"

#include "PreparedModel.h"
#include "Support.h"

#include <fmt/core.h>

namespace avocet::hal {
namespace {

/// Changes with everything that changes artefacts: the release and the device's figures.
std::string versionOf(const DeviceCore &core) {
  return fmt::format("avocet-{}-{:016x}", AVOCET_VERSION, core.target().fingerprint());
}

Outcome checkOptions(const PrepareOptions &options) {
  if (options.priority < Priority::Low || options.priority > Priority::High)
    return invalidArgument(fmt::format("prepare: priority {} does not exist", static_cast<int>(options.priority)));
  if (options.preference < ExecutionPreference::LowPower || options.preference > ExecutionPreference::SustainedSpeed)
    return invalidArgument(fmt::format("prepare: preference {} does not exist", static_cast<int>(options.preference)));
  for (size_t i = 0; i < options.hints.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (options.hints[i].token == options.hints[j].token)
        return invalidArgument(fmt::format("prepare: hint {} is given twice", options.hints[i].token));
  return success();
}

Result<std::shared_ptr<IPreparedModel>> prepare(const std::shared_ptr<DeviceCore> &core, const Model &model,
                                                const PrepareOptions &options) {
  if (hasPassed(options.deadline))
    return error(ErrorStatus::MissedDeadlinePersistent, "prepare: the deadline has passed");
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<PreparedModel> prepared, PreparedModel::compile(core, model, options));
  return std::shared_ptr<IPreparedModel>(std::move(prepared));
}

} // namespace

NpuDevice::NpuDevice(std::shared_ptr<DeviceCore> core)
    : core_(std::move(core)), name_("avocet-" + core_->target().name()), versionString_(versionOf(*core_)) {}

DeviceStatus NpuDevice::status() const {
  return core_->device()->status().isOk() ? DeviceStatus::Available : DeviceStatus::Offline;
}

Result<SupportedOperations> NpuDevice::getSupportedOperations(const Model &model) const {
  return supportedOperations(*core_, model);
}

ErrorStatus NpuDevice::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                  PreparedModelCallback callback) {
  auto refuse = [&callback](ErrorStatus status) {
    callback(status, nullptr);
    return status;
  };
  if (Outcome outcome = checkOptions(options); !outcome)
    return refuse(outcome.code());
  auto task = [core = core_, model, options, callback] {
    Result<std::shared_ptr<IPreparedModel>> prepared = prepare(core, model, options);
    callback(prepared.code(), prepared ? std::move(*prepared) : nullptr);
  };
  if (!core_->workers().post(std::move(task)))
    return refuse(ErrorStatus::ResourceExhaustedTransient);
  return ErrorStatus::None;
}

Result<std::shared_ptr<IPreparedModel>> NpuDevice::prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                         const CacheFiles &cache) {
  return generalFailure("cache: nothing was saved under this token");
}

Result<std::shared_ptr<IPreparedModel>> NpuDevice::prepareModel(const Model &model, const PrepareOptions &options) {
  AVOCET_HAL_RETURN_IF_ERROR(checkOptions(options));
  return prepare(core_, model, options);
}

Result<std::shared_ptr<IDevice>> openDevice(const DriverOptions &options) {
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<DeviceCore> core, DeviceCore::open(options));
  return std::shared_ptr<IDevice>(std::make_shared<NpuDevice>(std::move(core)));
}

} // namespace avocet::hal
