//===- ChannelsTest.cpp - Transfers over several DMA channels -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Networks.h"
#include "Transfers/Transfers.h"

#include "gtest/gtest.h"

#include <set>

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;

/// Convolutions with much larger weights than maps, on a target with four channels and so many bytes in flight in each.
Network weightsNetwork(const std::string &bytesInFlight) {
  Network net(targetWith("p4096", "dma.outstandingBytes", bytesInFlight));
  uint32_t value = net.input({4, 4, 512, DataType::Int8});
  for (int layer = 0; layer < 4; ++layer)
    value = net.conv(value, 512, 1);
  net.output(value);
  return net;
}

OrderedSequence ordered(const Network &net, bool isSpread) {
  return *orderTransfers(net.problem(), lowered(net.problem(), layerByLayer(net.problem())), {.isSpread = isSpread});
}

std::set<uint32_t> channelsOfConstants(const Sequence &sequence) {
  std::set<uint32_t> channels;
  for (const Step &step : sequence.steps)
    if (step.isDma() && sequence.buffers[step.buffers[0]].space == BufferSpace::Constants)
      channels.insert(step.channel);
  return channels;
}

TEST(ChannelsTest, OneChannelThatSaturatesThePortLoads) {
  const Network net = weightsNetwork("8K");
  EXPECT_EQ(channelsOfConstants(ordered(net, true).sequence), std::set<uint32_t>{0});
}

TEST(ChannelsTest, SeveralChannelsLoadFasterThanOne) {
  Network net = weightsNetwork("1K");
  const OrderedSequence spread = ordered(net, true), plain = ordered(net, false);
  EXPECT_EQ(channelsOfConstants(plain.sequence), std::set<uint32_t>{0});
  EXPECT_EQ(channelsOfConstants(spread.sequence), (std::set<uint32_t>{0, 1, 2, 3}));
  // A channel moves 1,024 bytes in 150 cycles, the port 32 in one.
  EXPECT_LT(spread.cycles * 3, plain.cycles);
  EXPECT_EQ(runSequence(net.problem(), spread.sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

} // namespace
} // namespace avocet::compiler::schedule
