//===- TestDevice.h - The device that the tests open ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_CAPI_TESTDEVICE_H
#define AVOCET_TESTS_HAL_CAPI_TESTDEVICE_H

#include "avocet/hal/capi/CapiDevice.h"

#include <gtest/gtest.h>

namespace avocet::hal::test {

/// The library of this build with its embedded device, whatever runs on the machine. Its records are in a folder of
/// this process.
class CapiTest : public ::testing::Test {
protected:
  static void SetUpTestSuite();
  void SetUp() override;

  /// Fails the test if the model cannot be prepared.
  std::shared_ptr<IPreparedModel> prepare(const Model &model, const CacheFiles &cache = {});

  std::shared_ptr<IDevice> device_;
};

/// Empty files for the device, in memory.
CacheFiles emptyCacheFiles(const IDevice &device);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_CAPI_TESTDEVICE_H
