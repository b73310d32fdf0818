//===- LoadTest.cpp -------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"
#include "avocet/hal/types/Validation.h"

#include <gmock/gmock.h>

namespace avocet::hal::test {
namespace {

using ::testing::HasSubstr;

using Load = CapiTest;

TEST_F(Load, NamesAMissingLibrary) {
  auto device = openCapiDevice({.library = "/nonexistent/libneuralnetworks.so", .device = ""});
  ASSERT_EQ(device.code(), ErrorStatus::GeneralFailure);
  EXPECT_THAT(device.error().message, HasSubstr("/nonexistent/libneuralnetworks.so"));
}

TEST_F(Load, RefusesAnotherKindOfLibrary) {
  auto device = openCapiDevice({.library = AVOCET_OTHER_LIBRARY, .device = ""});
  ASSERT_EQ(device.code(), ErrorStatus::GeneralFailure);
  EXPECT_THAT(device.error().message, HasSubstr("is no NNAPI library: it exports no ANeuralNetworks_getSLDriverImpl"));
}

TEST_F(Load, ListsTheDevicesForAnUnknownName) {
  auto device = openCapiDevice({.library = AVOCET_NNAPI_LIBRARY, .device = "abacus"});
  ASSERT_EQ(device.code(), ErrorStatus::GeneralFailure);
  EXPECT_THAT(device.error().message, HasSubstr("no device 'abacus'; its devices are: avocet-e256, nnapi-reference"));
}

TEST_F(Load, ReadsWhatIdentifiesTheDevice) {
  EXPECT_EQ(device_->name(), "avocet-e256");
  EXPECT_EQ(device_->type(), DeviceType::Accelerator);
  EXPECT_EQ(device_->featureLevel(), kLatestVersion);
  EXPECT_FALSE(device_->versionString().empty());
  EXPECT_EQ(device_->status(), DeviceStatus::Unknown);
  EXPECT_GT(device_->numberOfCacheFilesNeeded().numModelCache, 0u);
  EXPECT_TRUE(validate(device_->capabilities()).isOk());
}

TEST_F(Load, OpensTheCpuByItsName) {
  auto cpu = openCapiDevice({.library = AVOCET_NNAPI_LIBRARY, .device = "nnapi-reference"});
  ASSERT_TRUE(cpu.isOk()) << cpu.error().message;
  EXPECT_EQ((*cpu)->type(), DeviceType::Cpu);
  for (const OperandPerformance &type : (*cpu)->capabilities().operandPerformance)
    EXPECT_EQ(type.info.execTime, 1);
}

} // namespace
} // namespace avocet::hal::test
