//===- PacketTest.cpp - Packets between workers and the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packet.h"
#include "SocketPair.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

TEST(PacketTest, LastPacketArrivesFromPeerWithUnreadPackets) {
  SocketPair sockets;
  ASSERT_TRUE(sendPacket(sockets.ours.get(), {PacketKind::AnswerFile, 0}));
  ASSERT_TRUE(sendPacket(sockets.theirs.get(), {PacketKind::Signal, 11}));
  sockets.theirs.reset();
  const std::optional<ReceivedPacket> last = receivePacket(sockets.ours.get());
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->packet.kind, PacketKind::Signal);
  EXPECT_EQ(last->packet.value, 11u);
  EXPECT_FALSE(receivePacket(sockets.ours.get()).has_value());
}

} // namespace
} // namespace avocet::hal
