//===- MiscompilingDevice.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MiscompilingDevice.h"

#include "avocet/hal/types/DescribedDevice.h"

namespace avocet::hal::conformance {
namespace {

class MiscompilingDevice final : public ForwardingDevice {
public:
  MiscompilingDevice(const std::shared_ptr<IDevice> &device, ModelChange change, std::optional<OperationType> refused)
      : ForwardingDevice(device, describe(*device)), change_(std::move(change)), refused_(refused) {}

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    AVOCET_ASSIGN_OR_RETURN(SupportedOperations answer, ForwardingDevice::getSupportedOperations(model));
    for (size_t i = 0; i < answer.supported.size(); ++i)
      if (model.main.operations[i].type == refused_) {
        answer.supported[i] = false;
        answer.reasons[i].rule = "refused by this test";
      }
    return answer;
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override {
    return ForwardingDevice::prepareModel(changed(model), options);
  }
  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override {
    return ForwardingDevice::prepareModelAsynchronously(changed(model), options, std::move(callback));
  }

private:
  Model changed(Model model) const {
    change_(model);
    return model;
  }

  const ModelChange change_;
  const std::optional<OperationType> refused_;
};

} // namespace

std::shared_ptr<IDevice> makeMiscompilingDevice(std::shared_ptr<IDevice> device, ModelChange change,
                                                std::optional<OperationType> refused) {
  return std::make_shared<MiscompilingDevice>(device, std::move(change), refused);
}

} // namespace avocet::hal::conformance
