//===- ClientSlotsTest.cpp - Slots of a burst's client ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientSlots.h"
#include "Fakes.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

using namespace testing;

class ClientSlotsTest : public ::testing::Test {
protected:
  /// The slot that an execution with this memory uses; the execution has ended.
  int32_t slotFor(const Pool &pool, int64_t identifier) {
    const RequestPool pools[] = {pool.memory()};
    std::vector<int32_t> taken, expired, released;
    EXPECT_TRUE(slots_.begin(pools, {&identifier, 1}, taken, expired).isOk());
    EXPECT_TRUE(expired.empty());
    slots_.finish(taken, released);
    EXPECT_TRUE(released.empty());
    return taken.empty() ? -1 : taken[0];
  }
  /// As after the peer has released the slot.
  void free(int64_t identifier) {
    std::vector<int32_t> released;
    slots_.release(identifier, released);
    ASSERT_EQ(released.size(), 1u);
    slots_.recycle(released[0]);
  }

  ClientSlots slots_{8};
  const Pool pools_[6] = {Pool(4), Pool(4), Pool(4), Pool(4), Pool(4), Pool(4)};
};

TEST_F(ClientSlotsTest, SlotFreedLastIsUsedFirst) {
  for (int32_t i = 0; i < 4; ++i)
    EXPECT_EQ(slotFor(pools_[static_cast<size_t>(i)], 100 + i), i);
  free(101);
  free(102);
  EXPECT_EQ(slotFor(pools_[4], 104), 2);
  EXPECT_EQ(slotFor(pools_[5], 105), 1);
  EXPECT_EQ(slotFor(pools_[1], 101), 4) << "none is free";
  EXPECT_EQ(slotFor(pools_[3], 103), 3) << "known ones stay";
}

} // namespace
} // namespace avocet::hal
