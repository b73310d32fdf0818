//===- ChannelRateTest.cpp - Rates of one DMA channel -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// m512 has 2048 bytes in flight per channel. Reads arrive after 500 cycles, writes after 250.
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/BlockChoice.h"

#include "avocet/firmware_iface/TargetEdit.h"

#include <gtest/gtest.h>

namespace avocet::kernels {
namespace {

using namespace firmware;

std::shared_ptr<const Target> targetWithBandwidth(const std::string &bytesPerCycle) {
  const TargetChange change{"dram.bandwidth", bytesPerCycle};
  return *Target::parse(*changedTargetText(**Target::load("m512"), {&change, 1}, "m512", "changed"), "m512");
}

TEST(ChannelRateTest, OneChannelSaturatesASlowPort) {
  const auto target = targetWithBandwidth("15/4");
  EXPECT_EQ(loadChannels(*target), 1u);
  EXPECT_EQ(loadRate(*target).cyclesFor(150'000), 40'000u);
  EXPECT_EQ(storeRate(*target).cyclesFor(150'000), 40'000u);
}

TEST(ChannelRateTest, BytesInFlightLimitAFastPort) {
  const auto target = targetWithBandwidth("8");
  EXPECT_EQ(channelLoadRate(*target).cyclesFor(4096), 1000u);
  EXPECT_EQ(channelStoreRate(*target).cyclesFor(4096), 512u) << "the port is the limit";
  EXPECT_EQ(channelStoreRate(*targetWithBandwidth("15")).cyclesFor(4096), 500u);
}

TEST(ChannelRateTest, SeveralChannelsShareAFastPort) {
  const auto fast = targetWithBandwidth("8"), faster = targetWithBandwidth("15");
  EXPECT_EQ(loadChannels(*fast), 2u);
  EXPECT_EQ(loadRate(*fast).cyclesFor(4096), 512u) << "the port is the limit";
  EXPECT_EQ(loadChannels(*faster), 2u) << "there are no more";
  EXPECT_EQ(loadRate(*faster).cyclesFor(4096), 500u);
}

} // namespace
} // namespace avocet::kernels
