//===- ContextTest.cpp - Contexts of a device that is reset, lost or shared ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogicTest.h"

#include <set>

namespace avocet::test {
namespace {

class ContextTest : public LogicTest {
protected:
  static uint32_t create(int file = 0, uint32_t owner = 0) {
    uint32_t id = 0;
    EXPECT_EQ(harness_create_context(file, owner, &id), 0);
    return id;
  }

  /// The owner that the device was given for a new context.
  uint32_t ownerOf(int file, uint32_t owner) {
    create(file, owner);
    return firmware_.last_owner;
  }
};

TEST_F(ContextTest, ResetSkipsContextThatIsFreedMeanwhile) {
  create();
  harness_free_context_late(1);
  firmware_.requests[AVOCET_MESSAGE_CREATE_CONTEXT] = 0;
  EXPECT_EQ(harness_reset(), 0);
  EXPECT_EQ(firmware_.requests[AVOCET_MESSAGE_CREATE_CONTEXT], 1u) << "the other context";
}

TEST_F(ContextTest, ResumeSkipsContextThatIsFreedMeanwhile) {
  harness_suspend();
  harness_free_context_late(1);
  firmware_.requests[AVOCET_MESSAGE_CREATE_CONTEXT] = 0;
  harness_resume();
  EXPECT_EQ(firmware_.requests[AVOCET_MESSAGE_CREATE_CONTEXT], 0u);
}

TEST_F(ContextTest, MemoryOfLostDeviceStaysUntilReset) {
  const uint64_t piece[][2] = {{0x1000, 0x1000}};
  const uint32_t handle = harness_make_buffer(piece, 1, false);
  avocet_map args{1, handle, AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE, 0, 0};
  ASSERT_EQ(harness_map(&args), 0);
  const int before = harness_allocations();
  firmware_.lost_messages = 1;
  EXPECT_EQ(harness_destroy_context(0, 1), 0);
  EXPECT_TRUE(harness_is_lost());
  EXPECT_EQ(harness_buffer_references(handle), 1);
  EXPECT_EQ(harness_allocations(), before);
  EXPECT_EQ(harness_reset(), 0);
  EXPECT_EQ(harness_buffer_references(handle), 0);
  EXPECT_LT(harness_allocations(), before);
}

TEST_F(ContextTest, MemoryOfUnansweredContextStaysUntilReset) {
  const int before = harness_allocations();
  uint32_t id = 0;
  firmware_.lost_messages = 1;
  EXPECT_EQ(harness_create_context(0, 0, &id), -ENODEV);
  EXPECT_GT(harness_allocations(), before);
  EXPECT_EQ(harness_reset(), 0);
  EXPECT_EQ(harness_allocations(), before);
}

TEST_F(ContextTest, SilentDeviceIsDetachedAtItsEnd) {
  firmware_.lost_messages = 1;
  EXPECT_EQ(harness_destroy_context(0, 1), 0);
  firmware_.lost_resets = true;
  harness_end(); // checks that everything is freed
  EXPECT_TRUE(harness_is_detached());
  firmware_ = {};
  harness_begin(&firmware_);
}

TEST_F(ContextTest, OwnersOfTwoFilesNeverMeet) {
  std::set<uint32_t> first{ownerOf(0, 5)}, second;
  for (const uint32_t owner : {0u, 5u, 0x9e3779b9u})
    second.insert(ownerOf(1, owner));
  EXPECT_EQ(second.size(), 3u);
  EXPECT_FALSE(second.contains(*first.begin()));
  EXPECT_EQ(ownerOf(0, 5), *first.begin()) << "an owner has one number";
}

} // namespace
} // namespace avocet::test
