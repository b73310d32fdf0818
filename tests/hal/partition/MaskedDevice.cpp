//===- MaskedDevice.cpp - A device with fewer operations ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskedDevice.h"

#include "avocet/hal/types/DescribedDevice.h"

#include <utility>

namespace avocet::hal::test {
namespace {

class MaskedDevice final : public ForwardingDevice {
public:
  MaskedDevice(std::shared_ptr<IDevice> device, DeviceDescription description, OperationMask mask)
      : ForwardingDevice(std::move(device), std::move(description)), mask_(std::move(mask)) {}

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    auto answer = ForwardingDevice::getSupportedOperations(model);
    if (answer)
      for (size_t i = 0; i < answer->supported.size(); ++i)
        if (answer->supported[i] && !mask_(model, i)) {
          answer->supported[i] = false;
          answer->reasons[i] = {"operation", "", "masked", "", ""};
        }
    return answer;
  }

private:
  const OperationMask mask_;
};

} // namespace

std::shared_ptr<IDevice> maskDevice(std::shared_ptr<IDevice> device, std::string name, OperationMask mask) {
  DeviceDescription description = describe(*device);
  description.name = std::move(name);
  description.cacheFiles = {};
  return std::make_shared<MaskedDevice>(std::move(device), std::move(description), std::move(mask));
}

} // namespace avocet::hal::test
