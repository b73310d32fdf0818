//===- Device.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/Device.h"

#include "avocet/NeuralNetworks.h"

#include <algorithm>
#include <array>

namespace avocet::nnapi {
namespace {

/// By hal::Version.
constexpr std::array<int64_t, 8> kFeatureLevels = {ANEURALNETWORKS_FEATURE_LEVEL_1, ANEURALNETWORKS_FEATURE_LEVEL_2,
                                                   ANEURALNETWORKS_FEATURE_LEVEL_3, ANEURALNETWORKS_FEATURE_LEVEL_4,
                                                   ANEURALNETWORKS_FEATURE_LEVEL_5, ANEURALNETWORKS_FEATURE_LEVEL_6,
                                                   ANEURALNETWORKS_FEATURE_LEVEL_7, ANEURALNETWORKS_FEATURE_LEVEL_8};
static_assert(static_cast<size_t>(hal::kLatestVersion) + 1 == kFeatureLevels.size());

} // namespace

Device::Device(std::shared_ptr<hal::IDevice> device)
    : device_(std::move(device)), name_(device_->name()), version_(device_->versionString()), type_(device_->type()),
      featureLevel_(kFeatureLevels[std::min(static_cast<size_t>(device_->featureLevel()), kFeatureLevels.size() - 1)]) {
}

bool Device::supportsExtension(const std::string &name) const {
  return std::ranges::any_of(device_->supportedExtensions(),
                             [&](const hal::Extension &extension) { return extension.name == name; });
}

} // namespace avocet::nnapi
