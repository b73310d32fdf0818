//===- Handles.cpp - Lists of devices ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Handles.h"

#include "device/DeviceList.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::nnapi {

ApiResult<std::vector<std::shared_ptr<Device>>> devicesOf(std::span<const ANeuralNetworksDevice *const> handles) {
  if (handles.empty())
    return badData("the list of devices is empty");
  std::vector<std::shared_ptr<Device>> devices;
  for (const ANeuralNetworksDevice *handle : handles) {
    if (handle == nullptr)
      return unexpectedNull("a device is null");
    if (!DeviceList::instance().contains(handle))
      return badData("a device is not one of getDevice()");
    if (std::ranges::find(devices, handle->object) != devices.end())
      return badData(fmt::format("device {} is in the list twice", handle->object->name()));
    devices.push_back(handle->object);
  }
  return devices;
}

} // namespace avocet::nnapi
