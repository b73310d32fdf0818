//===- CpuDeviceTest.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device's identity. Its results are tested with the vectors of tests/hal/conformance.
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

TEST(CpuDevice, IsKnownByItsName) {
  auto device = openCpuDevice();
  ASSERT_TRUE(device.isOk()) << device.error().message;
  EXPECT_EQ((*device)->name(), "nnapi-reference");
  EXPECT_EQ((*device)->type(), DeviceType::Cpu);
  EXPECT_EQ((*device)->featureLevel(), kLatestVersion);
  ASSERT_EQ((*device)->supportedExtensions().size(), 1u) << "those of hal/extensions, not that of whole networks";
  EXPECT_EQ((*device)->supportedExtensions()[0].name, "com.avocet.fixed_point");
  EXPECT_EQ((*device)->numberOfCacheFilesNeeded().numModelCache, 0u) << "there is no folder for its records";
}

TEST(CpuDevice, IsTheMeasureOfPerformance) {
  auto device = openCpuDevice();
  ASSERT_TRUE(device.isOk()) << device.error().message;
  const Capabilities &figures = (*device)->capabilities();
  EXPECT_TRUE(validate(figures).isOk());
  EXPECT_EQ(figures.operandPerformance.size() + 1, allOperandTypes().size()) << "all types but SUBGRAPH";
  for (const OperandPerformance &type : figures.operandPerformance) {
    EXPECT_EQ(type.info.execTime, 1) << toString(type.type);
    EXPECT_EQ(type.info.powerUsage, 1) << toString(type.type);
  }
}

TEST(CpuDevice, AcceptsAnyNumberOfThreads) {
  for (const uint32_t threads : {1u, 3u, UINT32_MAX}) {
    auto device = openCpuDevice({.compilerLibrary = "", .cacheDirectory = "", .threads = threads});
    EXPECT_TRUE(device.isOk()) << device.error().message;
  }
}

} // namespace
} // namespace avocet::hal
