//===- BufferUseTest.cpp - When bytes of a buffer come into use -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Memory/Allocation.h"
#include "Schedule/Core/Sequence.h"

#include "Memory/SpaceMap.h"
#include "Networks.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using Ranges = std::vector<BufferBytes>;

TEST(BufferUseTest, PiecesComeIntoUseOnce) {
  BufferUse use;
  EXPECT_EQ(use.begin(100, BufferBytes{20, 40}), (Ranges{{20, 40}}));
  EXPECT_EQ(use.begin(100, BufferBytes{20, 40}), Ranges{});
  EXPECT_EQ(use.begin(100, BufferBytes{10, 60}), (Ranges{{10, 20}, {40, 60}}));
  EXPECT_EQ(use.begin(100, BufferBytes{30, 200}), (Ranges{{60, 100}})) << "bytes outside the buffer are not its own";
}

TEST(BufferUseTest, AnyOtherCommandBringsTheRest) {
  BufferUse use;
  use.begin(100, BufferBytes{20, 40});
  EXPECT_EQ(use.begin(100, std::nullopt), (Ranges{{0, 20}, {40, 100}}));
  EXPECT_EQ(use.begin(100, std::nullopt), Ranges{});
  EXPECT_EQ(use.begin(100, BufferBytes{0, 10}), Ranges{});
}

firmware::DmaCommand copyOf(uint64_t offset, uint32_t bytes) {
  firmware::DmaCommand copy;
  copy.destination.offset = offset;
  copy.runBytes = bytes;
  return copy;
}

TEST(BufferUseTest, OnlyCopiesOfOneRunArePieces) {
  firmware::DmaCommand copy = copyOf(16, 32);
  EXPECT_EQ(piecewiseWrite(copy), (BufferBytes{16, 48}));
  copy.count0 = 2;
  copy.destination.stride0 = 64;
  EXPECT_EQ(piecewiseWrite(copy), std::nullopt);
  EXPECT_EQ(piecewiseWrite(firmware::PoolCommand()), std::nullopt);
}

/// Buffer 1 (64 bytes) is at the address of buffer 0, whose second half is read after the first piece of buffer 1 has
/// arrived.
Sequence twoBuffers(uint64_t firstPiece) {
  Sequence sequence;
  sequence.buffers = {{BufferSpace::Sram, 0, 64, "old", {}, 0},
                      {BufferSpace::Sram, 0, 64, "new", {}, 0},
                      {BufferSpace::Constants, 0, 64, "c", {}, kUnplaced},
                      {BufferSpace::Output, 0, 64, "out", {}, kUnplaced}};
  const auto add = [&](firmware::DmaCommand copy, uint64_t source, uint32_t from, uint32_t to) {
    copy.source.offset = source;
    sequence.steps.push_back({copy, {from, to}, 0, 0, {}, 0});
  };
  add(copyOf(0, 64), 0, 2, 0);
  add(copyOf(firstPiece, 32), firstPiece, 2, 1);
  add(copyOf(0, 64), 0, 0, 3);
  add(copyOf(32 - firstPiece, 32), 32 - firstPiece, 2, 1);
  add(copyOf(0, 64), 0, 1, 3);
  return sequence;
}

TEST(BufferUseTest, VerificationFindsAPieceThatArrivesTooEarly) {
  const Network net("e256");
  const Problem &problem = net.problem();
  Sequence sequence = twoBuffers(0);
  EXPECT_FALSE(sequence.verify(problem).isOk()) << "the old buffer is still in use";
  sequence.buffers[1].address = 32;
  EXPECT_FALSE(sequence.verify(problem).isOk()) << "the first piece is in the old buffer's second half";
  sequence = twoBuffers(32);
  sequence.buffers[1].address = 32;
  EXPECT_TRUE(sequence.verify(problem).isOk()) << sequence.verify(problem).toString();
}

TEST(BufferUseTest, BytesAreFreeAfterTheLastBlock) {
  SpaceMap map(1024, 16);
  map.add(0, 64, 0, 10);
  map.add(64, 64, 0, 20);
  map.add(0, 128, 50, 60);
  EXPECT_EQ(map.freeFrom(0, 64, 40), 11u);
  EXPECT_EQ(map.freeFrom(64, 128, 40), 21u);
  EXPECT_EQ(map.freeFrom(32, 96, 40), 21u);
  EXPECT_EQ(map.freeFrom(128, 256, 40), 0u);
}

} // namespace
} // namespace avocet::compiler::schedule
