//===- Devices.cpp - Functions for devices and feature levels -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Call.h"
#include "capi/Handles.h"
#include "device/DeviceList.h"

#include <fmt/format.h>

using namespace avocet::nnapi;

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void) { return ANEURALNETWORKS_FEATURE_LEVEL_8; }

uint64_t ANeuralNetworks_getDefaultLoopTimeout(void) {
  return static_cast<uint64_t>(avocet::hal::kDefaultLoopTimeout.count());
}

uint64_t ANeuralNetworks_getMaximumLoopTimeout(void) {
  return static_cast<uint64_t>(avocet::hal::kMaximumLoopTimeout.count());
}

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices) {
  return call(__func__, {numDevices}, [&] {
    *numDevices = DeviceList::instance().count();
    return success();
  });
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device) {
  return call(__func__, {device}, [&]() -> ApiOutcome {
    *device = DeviceList::instance().at(devIndex);
    if (*device != nullptr)
      return success();
    return badData(fmt::format("device {} of {}", devIndex, DeviceList::instance().count()));
  });
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name) {
  return call(__func__, {device, name}, [&] {
    *name = device->object->name().c_str();
    return success();
  });
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type) {
  return call(__func__, {device, type}, [&] {
    *type = device->object->type();
    return success();
  });
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version) {
  return call(__func__, {device, version}, [&] {
    *version = device->object->version().c_str();
    return success();
  });
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device, int64_t *featureLevel) {
  return call(__func__, {device, featureLevel}, [&] {
    *featureLevel = device->object->featureLevel();
    return success();
  });
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device) {
  return call(__func__, {device}, [&]() -> ApiOutcome {
    if (device->object->waitUntilUsable())
      return success();
    return ApiError{ANEURALNETWORKS_DEAD_OBJECT,
                    fmt::format("device {} cannot be used any more; start the program again", device->object->name())};
  });
}

int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device, const char *extensionName,
                                              bool *isExtensionSupported) {
  return call(__func__, {device, extensionName, isExtensionSupported}, [&] {
    *isExtensionSupported = device->object->supportsExtension(extensionName);
    return success();
  });
}
