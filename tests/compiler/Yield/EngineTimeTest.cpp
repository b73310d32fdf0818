//===- EngineTimeTest.cpp - Cycles of single commands --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected sums for e256: off-chip port one byte per cycle in bursts of 128 bytes; look-ups one byte per cycle.
//
//===----------------------------------------------------------------------===//

#include "Yield/CommandCosts.h"

#include <gtest/gtest.h>

namespace avocet::compiler {
namespace {

using namespace firmware;

DmaCommand load(uint32_t runBytes, uint32_t count = 1, uint32_t stride = 0) {
  DmaCommand dma;
  dma.source.region = 1;
  dma.runBytes = runBytes;
  dma.count0 = count;
  dma.source.stride0 = dma.destination.stride0 = stride;
  return dma;
}

LookupCommand lookup() {
  LookupCommand command;
  for (FeatureMap *map : {&command.input, &command.output}) {
    map->height = map->ringRows = 16;
    map->width = map->rowStride = 64;
    map->channels = map->pixelStride = 1;
  }
  command.input.address = 256;
  command.output.address = 4096;
  command.block = {16, 64, 1};
  return command;
}

TEST(EngineTime, TransfersTakeWholeBursts) {
  auto target = Target::load("e256");
  ASSERT_TRUE(target.isOk());
  EXPECT_EQ(engineCycles(**target, load(1024)), 1024u);
  EXPECT_EQ(engineCycles(**target, load(1000)), 1024u);
  EXPECT_EQ(engineCycles(**target, load(100, 8, 100)), 896u) << "eight runs that touch are one of 800 bytes";
  EXPECT_EQ(engineCycles(**target, load(100, 8, 200)), 1024u) << "eight runs apart take a burst each";
  EXPECT_EQ(engineCycles(**target, load(0)), 0u);
}

TEST(EngineTime, InvalidCommandsAndWaitsTakeNoTime) {
  auto target = Target::load("e256");
  ASSERT_TRUE(target.isOk());
  LookupCommand wrong = lookup();
  wrong.input.width = 63;
  EXPECT_EQ(engineCycles(**target, wrong), 0u);
  EXPECT_EQ(engineCycles(**target, WaitCommand{}), 0u);
  EXPECT_GT(engineCycles(**target, lookup()), 1024u);
}

TEST(EngineTime, CostsAreCachedByShape) {
  auto target = Target::load("e256");
  ASSERT_TRUE(target.isOk());
  CommandCosts costs(**target);
  LookupCommand here = lookup(), there = lookup(), smaller = lookup();
  there.input.address += 1000;
  smaller.input.height = smaller.output.height = 8;
  for (const LookupCommand &command : {here, there, smaller})
    EXPECT_EQ(costs.cycles(command), engineCycles(**target, command));
  EXPECT_LT(costs.cycles(smaller), costs.cycles(here));
  EXPECT_EQ(costs.cycles(load(1000)), 1024u);
}

} // namespace
} // namespace avocet::compiler
