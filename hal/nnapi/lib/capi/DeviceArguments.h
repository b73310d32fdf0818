//===- DeviceArguments.h - Lists of devices ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CAPI_DEVICEARGUMENTS_H
#define AVOCET_HAL_NNAPI_LIB_CAPI_DEVICEARGUMENTS_H

#include "api/ApiResult.h"
#include "capi/Handles.h"
#include "device/Device.h"

#include <memory>
#include <span>
#include <vector>

namespace avocet::nnapi {

/// The devices that an application has chosen. BAD_DATA: none, one that is unknown, or one twice.
ApiResult<std::vector<std::shared_ptr<Device>>> devicesOf(std::span<const ANeuralNetworksDevice *const> handles);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_CAPI_DEVICEARGUMENTS_H
