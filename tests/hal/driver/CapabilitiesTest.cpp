//===- CapabilitiesTest.cpp - Performance figures of the device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "device/MeasuredFigures.h"

#include <cfloat>

namespace avocet::hal {
namespace {

using namespace testing;

constexpr std::string_view kText = R"({"fingerprint": "00000000000000ff", "figures": [
  {"figure": "TENSOR_FLOAT32", "execTime": 0.25, "powerUsage": 0.5}, {"figure": "X", "execTime": 1, "powerUsage": 1},
  {"figure": "RELAXED_TENSOR_FLOAT32", "execTime": 0.2, "powerUsage": 0.5},
  {"figure": "IF", "execTime": 2, "powerUsage": 3}, {"figure": "WHILE", "execTime": 4, "powerUsage": 5},
  {"figure": "TENSOR_INT32", "execTime": -1, "powerUsage": 1}, 7]})";

TEST(CapabilitiesTest, ReadsFiguresOfTarget) {
  Capabilities capabilities = capabilitiesOf(kText, 0xFF);
  EXPECT_EQ(lookup(capabilities.operandPerformance, OperandType::TensorFloat32).execTime, 0.25f);
  EXPECT_EQ(lookup(capabilities.operandPerformance, OperandType::Float32).powerUsage, 0.5f);
  EXPECT_EQ(lookup(capabilities.operandPerformance, OperandType::TensorInt32).execTime, FLT_MAX);
  EXPECT_EQ(capabilities.relaxedFloat32toFloat16PerformanceTensor.execTime, 0.2f);
  EXPECT_EQ(capabilities.ifPerformance.powerUsage, 3.0f);
  EXPECT_EQ(capabilities.whilePerformance.execTime, 4.0f);
  EXPECT_TRUE(validate(capabilities).isOk());
}

TEST(CapabilitiesTest, OtherTargetsAndBrokenFilesHaveNoFigures) {
  for (std::string_view text : {kText, std::string_view("{"), std::string_view("[]"), std::string_view()}) {
    Capabilities capabilities = capabilitiesOf(text, 0xFE);
    EXPECT_EQ(lookup(capabilities.operandPerformance, OperandType::TensorFloat32).execTime, FLT_MAX);
    EXPECT_TRUE(validate(capabilities).isOk());
  }
}

TEST(CapabilitiesTest, ShippedTargetsHaveMeasuredFigures) {
  for (const std::string &name : firmware::Target::shippedNames()) {
    Capabilities capabilities = measuredCapabilities(firmware::Target::load(name).value()->fingerprint());
    ASSERT_TRUE(validate(capabilities).isOk());
    for (OperandType type : {OperandType::TensorFloat32, OperandType::TensorQuant8Asymm}) {
      PerformanceInfo info = lookup(capabilities.operandPerformance, type);
      EXPECT_GT(info.execTime, 0) << name;
      EXPECT_LT(info.execTime, 1) << name;
      EXPECT_LT(info.powerUsage, 1) << name;
    }
  }
}

/// A client keeps operations on types without figures on the processor.
TEST(CapabilitiesTest, TensorTypesOfShippedTargetsAreMeasured) {
  for (const std::string &name : firmware::Target::shippedNames()) {
    Capabilities capabilities = measuredCapabilities(firmware::Target::load(name).value()->fingerprint());
    for (const PerformanceInfo &info : {capabilities.relaxedFloat32toFloat16PerformanceTensor,
                                        capabilities.ifPerformance, capabilities.whilePerformance})
      EXPECT_LT(info.execTime, FLT_MAX) << name;
    for (OperandType type : {OperandType::TensorQuant8Symm, OperandType::TensorQuant8SymmPerChannel,
                             OperandType::TensorQuant16Symm, OperandType::TensorQuant16Asymm})
      EXPECT_LT(lookup(capabilities.operandPerformance, type).execTime, FLT_MAX) << name << " " << toString(type);
  }
}

using DeviceCapabilitiesTest = DeviceFixture;

TEST_F(DeviceCapabilitiesTest, AreValid) { EXPECT_TRUE(validate(device_->capabilities()).isOk()); }

} // namespace
} // namespace avocet::hal
