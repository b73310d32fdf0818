//===- MiscompilingDevice.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MiscompilingDevice.h"

namespace avocet::hal::conformance {
namespace {

class MiscompilingDevice final : public IDevice {
public:
  MiscompilingDevice(std::shared_ptr<IDevice> device, ModelChange change, std::optional<OperationType> refused)
      : device_(std::move(device)), change_(std::move(change)), refused_(refused) {}

  const std::string &name() const override { return device_->name(); }
  const std::string &versionString() const override { return device_->versionString(); }
  Version featureLevel() const override { return device_->featureLevel(); }
  DeviceType type() const override { return device_->type(); }
  const std::vector<Extension> &supportedExtensions() const override { return device_->supportedExtensions(); }
  const Capabilities &capabilities() const override { return device_->capabilities(); }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return device_->numberOfCacheFilesNeeded(); }
  DeviceStatus status() const override { return device_->status(); }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    AVOCET_ASSIGN_OR_RETURN(SupportedOperations answer, device_->getSupportedOperations(model));
    for (size_t i = 0; i < answer.supported.size(); ++i)
      if (model.main.operations[i].type == refused_) {
        answer.supported[i] = false;
        answer.reasons[i].rule = "refused by this test";
      }
    return answer;
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override {
    return device_->prepareModel(changed(model), options);
  }
  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override {
    return device_->prepareModelAsynchronously(changed(model), options, std::move(callback));
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override {
    return device_->prepareModelFromCache(deadline, cache);
  }

private:
  Model changed(Model model) const {
    change_(model);
    return model;
  }

  const std::shared_ptr<IDevice> device_;
  const ModelChange change_;
  const std::optional<OperationType> refused_;
};

} // namespace

std::shared_ptr<IDevice> makeMiscompilingDevice(std::shared_ptr<IDevice> device, ModelChange change,
                                                std::optional<OperationType> refused) {
  return std::make_shared<MiscompilingDevice>(std::move(device), std::move(change), refused);
}

} // namespace avocet::hal::conformance
