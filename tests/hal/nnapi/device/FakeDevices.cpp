//===- FakeDevices.cpp - Devices of the library in tests ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevices.h"

#include "device/OpenDevices.h"

namespace avocet::nnapi {
namespace testing {

using hal::test::FakeDevice;

FakeDevices &fakeDevices() {
  static FakeDevices devices{
      std::make_shared<FakeDevice>("fake", std::set{hal::OperationType::Add}),
      std::make_shared<FakeDevice>("nnapi-reference", std::set{hal::OperationType::Add}, 1.0F, hal::DeviceType::Cpu)};
  return devices;
}

void FakeDevicesTest::SetUp() {
  for (FakeDevice *device : {&npu_, &cpu_}) {
    device->executeError = device->prepareError = hal::ErrorStatus::None;
    device->hasMemory = false;
    device->state = hal::DeviceStatus::Available;
    device->memory = {};
    device->executions = device->preparations = device->statusQueries = 0;
    device->released.clear();
  }
}

} // namespace testing

std::vector<std::shared_ptr<hal::IDevice>> openDevices() {
  return {testing::fakeDevices().npu, testing::fakeDevices().cpu};
}

} // namespace avocet::nnapi
