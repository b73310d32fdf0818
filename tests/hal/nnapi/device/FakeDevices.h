//===- FakeDevices.h - Devices of the library in tests ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Replaces the library's search for devices, so that its C functions reach devices that the test watches.

#ifndef AVOCET_TESTS_HAL_NNAPI_DEVICE_FAKEDEVICES_H
#define AVOCET_TESTS_HAL_NNAPI_DEVICE_FAKEDEVICES_H

#include "FakeDevice.h"
#include "Objects.h"

#include <gtest/gtest.h>

namespace avocet::nnapi::testing {

/// Both add tensors; the CPU costs more.
struct FakeDevices {
  std::shared_ptr<hal::test::FakeDevice> npu, cpu;
};
FakeDevices &fakeDevices();

/// Devices that do not fail, and have no memory.
class FakeDevicesTest : public ::testing::Test {
protected:
  void SetUp() override;

  hal::test::FakeDevice &npu_ = *fakeDevices().npu;
  hal::test::FakeDevice &cpu_ = *fakeDevices().cpu;
};

} // namespace avocet::nnapi::testing

#endif // AVOCET_TESTS_HAL_NNAPI_DEVICE_FAKEDEVICES_H
