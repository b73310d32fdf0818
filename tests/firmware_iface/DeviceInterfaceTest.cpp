//===- DeviceInterfaceTest.cpp - Engines, faults, versions -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Fault.h"
#include "avocet/firmware_iface/Names.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/firmware_iface/Version.h"

#include <gtest/gtest.h>

#include <set>

using namespace avocet::firmware;

namespace {

TEST(Engines, ArithmeticRunsOnItsOwnEngine) {
  EXPECT_TRUE(runsOn(ConvCommand{}, EngineKind::Mac));
  EXPECT_FALSE(runsOn(ConvCommand{}, EngineKind::Dsp));
  EXPECT_TRUE(runsOn(PoolCommand{}, EngineKind::Mac));
  EXPECT_TRUE(runsOn(EltwiseCommand{}, EngineKind::Mac));
  EXPECT_TRUE(runsOn(LookupCommand{}, EngineKind::Mac));
  EXPECT_TRUE(runsOn(DspCommand{}, EngineKind::Dsp));
  EXPECT_FALSE(runsOn(DspCommand{}, EngineKind::Mac));
  EXPECT_TRUE(runsOn(DmaCommand{}, EngineKind::Dma));
  EXPECT_FALSE(runsOn(DmaCommand{}, EngineKind::Mac));
}

TEST(Engines, SynchronizationRunsEverywhere) {
  for (EngineKind engine : {EngineKind::Mac, EngineKind::Dsp, EngineKind::Dma}) {
    EXPECT_TRUE(runsOn(EndCommand{}, engine));
    EXPECT_TRUE(runsOn(WaitCommand{}, engine));
    EXPECT_TRUE(runsOn(SignalCommand{}, engine));
    EXPECT_TRUE(runsOn(YieldCommand{}, engine));
  }
}

TEST(Engines, NamesShowKindAndDmaIndex) {
  EXPECT_EQ(toString(Engine{EngineKind::Mac, 0}), "mac");
  EXPECT_EQ(toString(Engine{EngineKind::Dsp, 0}), "dsp");
  EXPECT_EQ(toString(Engine{EngineKind::Dma, 3}), "dma3");
}

TEST(Faults, EveryFaultHasNameAndDescription) {
  std::set<std::string_view> names;
  for (uint32_t code = 0; code < kNumFaultCodes; ++code) {
    names.insert(toString(static_cast<FaultCode>(code)));
    EXPECT_FALSE(describe(static_cast<FaultCode>(code)).empty());
  }
  EXPECT_EQ(names.size(), kNumFaultCodes);
  EXPECT_EQ(toString(FaultCode::HardwareError), "hardware_error");
  EXPECT_EQ(toString(FaultCode::Deadlock), "deadlock");
  EXPECT_EQ(toString(static_cast<FaultCode>(kNumFaultCodes)), "unknown");
  EXPECT_FALSE(describe(static_cast<FaultCode>(~0u)).empty());
}

TEST(Versions, PackAndUnpack) {
  EXPECT_EQ(packVersion(3, 7), 0x00030007u);
  EXPECT_EQ(majorOf(0xABCD1234u), 0xABCDu);
}

TEST(DataTypes, EveryTypeHasNameAndSize) {
  EXPECT_EQ(toString(DataType::UInt16), "u16");
  EXPECT_EQ(toString(DataType::Bool8), "bool8");
  EXPECT_EQ(sizeOf(DataType::Int64), 8u);
  EXPECT_EQ(sizeOf(DataType::Float16), 2u);
  EXPECT_EQ(sizeOf(DataType::UInt16), 2u);
  EXPECT_EQ(toString(DataType::BFloat16), "bf16");
  EXPECT_EQ(sizeOf(DataType::BFloat16), 2u);
}

TEST(Reflection, UnknownNumbersAreHandled) {
  EXPECT_EQ(valueName(static_cast<PoolKind>(2)), "?");
  EXPECT_FALSE(withOperation(std::variant_size_v<CommandBody>, [](auto) { FAIL(); }));
}

} // namespace
