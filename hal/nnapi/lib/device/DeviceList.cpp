//===- DeviceList.cpp - The devices of the process --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/DeviceList.h"

#include "avocet/NeuralNetworks.h"
#include "device/DebugSettings.h"
#include "device/OpenDevices.h"
#include "device/ProcessGeneration.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace avocet::nnapi {
namespace {

/// By hal::Version.
constexpr std::array<int64_t, 8> kFeatureLevels = {ANEURALNETWORKS_FEATURE_LEVEL_1, ANEURALNETWORKS_FEATURE_LEVEL_2,
                                                   ANEURALNETWORKS_FEATURE_LEVEL_3, ANEURALNETWORKS_FEATURE_LEVEL_4,
                                                   ANEURALNETWORKS_FEATURE_LEVEL_5, ANEURALNETWORKS_FEATURE_LEVEL_6,
                                                   ANEURALNETWORKS_FEATURE_LEVEL_7, ANEURALNETWORKS_FEATURE_LEVEL_8};
static_assert(static_cast<size_t>(hal::kLatestVersion) + 1 == kFeatureLevels.size());

/// Between questions whether a device is usable again; doubled each time.
constexpr std::chrono::milliseconds kFirstPause{5}, kLongestPause{500};

} // namespace

Device::Device(std::shared_ptr<hal::IDevice> device)
    : device_(std::move(device)), name_(device_->name()), version_(device_->versionString()), type_(device_->type()),
      featureLevel_(kFeatureLevels[std::min(static_cast<size_t>(device_->featureLevel()), kFeatureLevels.size() - 1)]) {
}

bool Device::supportsExtension(const std::string &name) const {
  return std::ranges::any_of(device_->supportedExtensions(),
                             [&](const hal::Extension &extension) { return extension.name == name; });
}

bool Device::waitUntilUsable() const {
  hal::DeviceStatus status = device_->status();
  for (auto pause = kFirstPause; status == hal::DeviceStatus::Unknown; pause = std::min(2 * pause, kLongestPause)) {
    std::this_thread::sleep_for(pause);
    status = device_->status();
  }
  return status != hal::DeviceStatus::Offline;
}

DeviceList &DeviceList::instance() {
  struct Slot {
    uint32_t generation = processGeneration();
    std::once_flag once;
    DeviceList *list = nullptr;
  };
  static std::atomic<Slot *> current{new Slot};
  Slot *slot = current.load(std::memory_order_acquire);
  if (slot->generation != processGeneration()) {
    // A thread of the parent may have held the old slot's flag for ever.
    auto *fresh = new Slot;
    if (current.compare_exchange_strong(slot, fresh))
      slot = fresh;
    else
      delete fresh;
  }
  std::call_once(slot->once, [slot] { slot->list = new DeviceList; });
  return *slot->list;
}

DeviceList::DeviceList() {
  for (std::shared_ptr<hal::IDevice> &device : openDevices())
    add(std::move(device));
}

void DeviceList::add(std::shared_ptr<hal::IDevice> device) {
  handles_.push_back(
      std::unique_ptr<ANeuralNetworksDevice>(new ANeuralNetworksDevice{{std::make_shared<Device>(std::move(device))}}));
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

std::vector<std::shared_ptr<Device>> DeviceList::automatic() const {
  if (DebugSettings::instance().partition != DebugSettings::Partition::CpuOnly)
    return all();
  std::vector<std::shared_ptr<Device>> devices;
  if (auto only = cpu())
    devices.push_back(std::move(only));
  return devices;
}

std::shared_ptr<Device> DeviceList::cpu() const {
  return !handles_.empty() && handles_.back()->object->isCpu() ? handles_.back()->object : nullptr;
}

} // namespace avocet::nnapi
