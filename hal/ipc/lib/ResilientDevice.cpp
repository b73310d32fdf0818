//===- ResilientDevice.cpp - A device that survives its service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/ipc/ResilientDevice.h"

#include "ResilientPreparedModel.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/DescribedDevice.h"

#include <algorithm>

namespace avocet::hal {
namespace {

using namespace ipc;
using Prepared = Result<std::shared_ptr<IPreparedModel>>;

class ResilientDevice final : public DescribedDevice {
public:
  explicit ResilientDevice(std::shared_ptr<ResilientLink> link)
      : DescribedDevice(describe(link->description())), link_(std::move(link)) {}

  DeviceStatus status() const override {
    Result<SharedEpoch> epoch = link_->epoch(BootClock::now());
    if (!epoch) // DeviceUnavailable: the service has returned with another device
      return epoch.code() == ErrorStatus::DeviceUnavailable ? DeviceStatus::Offline : DeviceStatus::Unknown;
    const DeviceStatus status = (*epoch)->device().status();
    return (*epoch)->isOver() ? DeviceStatus::Unknown : status;
  }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    return link_->repeated<SupportedOperations>(
        {}, [&](const SharedEpoch &epoch) { return epoch->device().getSupportedOperations(model); });
  }

  Prepared prepareModel(const Model &model, const PrepareOptions &options) override {
    auto prepare = [&](IDevice &device) { return device.prepareModel(model, options); };
    return prepareWith(recipeOf(model, options), options.deadline, prepare);
  }

  Prepared prepareModelFromCache(const OptionalTimePoint &deadline, const CacheFiles &cache) override {
    Recipe recipe;
    recipe.options.cache = cache;
    auto prepare = [&](IDevice &device) { return device.prepareModelFromCache(deadline, cache); };
    return prepareWith(std::move(recipe), deadline, prepare);
  }

  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override;

  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override;

private:
  static Recipe recipeOf(const Model &model, PrepareOptions options) {
    options.deadline.reset();
    return {model, std::move(options)};
  }

  template <typename F> Prepared prepareWith(Recipe recipe, const OptionalTimePoint &deadline, F prepare) {
    return link_->repeated<std::shared_ptr<IPreparedModel>>(deadline, [&](const SharedEpoch &epoch) -> Prepared {
      AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IPreparedModel> prepared, prepare(epoch->device()));
      return std::shared_ptr<IPreparedModel>(
          std::make_shared<ResilientPreparedModel>(link_, std::move(recipe), epoch->number(), std::move(prepared)));
    });
  }

  const std::shared_ptr<ResilientLink> link_;
};

ErrorStatus ResilientDevice::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                        PreparedModelCallback callback) {
  Result<SharedEpoch> epoch = link_->epoch(options.deadline);
  if (!epoch) {
    callback(epoch.code(), nullptr);
    return epoch.code();
  }
  auto wrap = [link = link_, recipe = recipeOf(model, options), number = (*epoch)->number(),
               callback = std::move(callback)](ErrorStatus status, std::shared_ptr<IPreparedModel> prepared) {
    if (prepared != nullptr)
      prepared = std::make_shared<ResilientPreparedModel>(link, recipe, number, std::move(prepared));
    callback(status, std::move(prepared));
  };
  return (*epoch)->device().prepareModelAsynchronously(model, options, std::move(wrap));
}

Result<std::shared_ptr<IBuffer>> ResilientDevice::allocate(const std::vector<uint32_t> &dimensions,
                                                           const std::vector<BufferRole> &inputRoles,
                                                           const std::vector<BufferRole> &outputRoles) {
  BufferUse use{dimensions, inputRoles, outputRoles};
  uint64_t number = 0;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBuffer> buffer,
                          link_->repeated<std::shared_ptr<IBuffer>>({}, [&](const SharedEpoch &epoch) {
                            number = epoch->number();
                            return use.allocate(epoch);
                          }));
  return ResilientBuffer::create(link_, std::move(use), number, std::move(buffer));
}

} // namespace

Result<std::shared_ptr<IDevice>> makeResilientDevice(DeviceConnector connect, const ResilientOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<ResilientLink> link, ResilientLink::create(std::move(connect), options));
  return std::shared_ptr<IDevice>(std::make_shared<ResilientDevice>(std::move(link)));
}

Result<std::shared_ptr<IDevice>> connectResilientDevice(const std::string &socketPath, const std::string &deviceName,
                                                        const ResilientOptions &options) {
  return connectResilientDevice(FoundDevice{deviceName, deviceName, "", socketPath}, options);
}

} // namespace avocet::hal
