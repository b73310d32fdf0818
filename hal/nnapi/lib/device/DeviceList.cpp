//===- DeviceList.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/DeviceList.h"

#include "device/OpenDevices.h"
#include "telemetry/ProcessReports.h"

#include <algorithm>

namespace avocet::nnapi {

DeviceList &DeviceList::instance() {
  static auto *const list = new DeviceList;
  return *list;
}

DeviceList::DeviceList() {
  startProcessReports();
  for (std::shared_ptr<hal::IDevice> &device : openDevices())
    add(std::move(device));
}

void DeviceList::add(std::shared_ptr<hal::IDevice> device) {
  handles_.push_back(std::make_unique<ANeuralNetworksDevice>(std::make_shared<Device>(std::move(device))));
}

bool DeviceList::contains(const ANeuralNetworksDevice *handle) const {
  return std::ranges::any_of(handles_, [&](const auto &known) { return known.get() == handle; });
}

std::vector<std::shared_ptr<Device>> DeviceList::all() const {
  std::vector<std::shared_ptr<Device>> devices;
  for (const auto &handle : handles_)
    devices.push_back(handle->object);
  return devices;
}

std::shared_ptr<Device> DeviceList::cpu() const {
  return !handles_.empty() && handles_.back()->object->isCpu() ? handles_.back()->object : nullptr;
}

} // namespace avocet::nnapi
