//===- NamesTest.cpp - Names of engines and stall causes --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace avocet::firmware;
using testing::ElementsAre;

namespace {

/// Programs read these keys in JSON.
TEST(NamesTest, KeysAreStable) {
  EXPECT_THAT(valueNames(EngineKind()), ElementsAre("mac", "dsp", "dma"));
  EXPECT_THAT(valueNames(StallCause()), ElementsAre("semaphore", "sram_port", "dram_port", "latency", "front_end"));
}

TEST(NamesTest, TitlesBelongToTheirValue) {
  EXPECT_EQ(valueName(EngineKind::Dma), "dma");
  EXPECT_EQ(titleOf(EngineKind::Mac), "MAC array");
  EXPECT_EQ(titleOf(EngineKind::Dsp), "DSP");
  EXPECT_EQ(titleOf(EngineKind::Dma), "DMA channel");
  EXPECT_EQ(shortTitleOf(EngineKind::Dma), "DMA");
  EXPECT_EQ(valueName(StallCause::FrontEnd), "front_end");
  EXPECT_EQ(titleOf(StallCause::Semaphore), "wait");
  EXPECT_EQ(titleOf(StallCause::DramPort), "dram port");
  EXPECT_EQ(shortTitleOf(StallCause::Latency), "lat");
  EXPECT_EQ(shortTitleOf(StallCause::FrontEnd), "issue");
}

TEST(NamesTest, UnknownNumberIsAQuestionMark) {
  EXPECT_EQ(valueName(static_cast<EngineKind>(3)), "?");
  EXPECT_EQ(titleOf(static_cast<EngineKind>(3)), "?");
  EXPECT_EQ(shortTitleOf(static_cast<EngineKind>(3)), "?");
  EXPECT_EQ(titleOf(static_cast<StallCause>(5)), "?");
  EXPECT_EQ(shortTitleOf(static_cast<StallCause>(5)), "?");
}

} // namespace
