//===- DeviceFacts.h - What never changes about a device --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_DEVICEFACTS_H
#define AVOCET_HAL_CAPI_LIB_DEVICEFACTS_H

#include "Api.h"
#include "avocet/hal/types/DescribedDevice.h"

#include <string>

namespace avocet::hal::capi {

Result<DeviceDescription> readDescription(const Api &api, const ANeuralNetworksDevice *device);

/// The device of this name; empty: the first. The error lists the names of all.
Result<const ANeuralNetworksDevice *> findDevice(const Api &api, const std::string &name);

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_DEVICEFACTS_H
