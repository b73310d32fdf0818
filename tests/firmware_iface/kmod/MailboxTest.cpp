//===- MailboxTest.cpp - Answers of the firmware, and mappings ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogicTest.h"

#include <string>

namespace avocet::test {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

using MailboxTest = LogicTest;

TEST_F(MailboxTest, CodesBecomeErrors) {
  EXPECT_EQ(harness_mailbox(), 0);
  firmware_.code = AVOCET_REPLY_OUT_OF_CONTEXTS;
  EXPECT_EQ(harness_mailbox(), -ENOSPC);
  firmware_.code = AVOCET_REPLY_OUT_OF_MAPPINGS;
  EXPECT_EQ(harness_mailbox(), -ENOSPC);
  firmware_.code = AVOCET_REPLY_NO_SUCH_JOB;
  EXPECT_EQ(harness_mailbox(), -ENOENT);
  firmware_.code = 1;
  EXPECT_EQ(harness_mailbox(), -EIO);
  EXPECT_FALSE(harness_is_lost());
}

constexpr const char *kWrongAnswers[] = {"Sequence", "Kind", "Length", "None"};

class WrongAnswerTest : public LogicTest, public testing::WithParamInterface<uint32_t harness_firmware::*> {};

TEST_P(WrongAnswerTest, LosesDeviceAndEndsItsJobs) {
  const uint64_t job = submitJob();
  firmware_.*GetParam() = 1;
  EXPECT_EQ(harness_mailbox(), -ENODEV);
  EXPECT_TRUE(harness_is_lost());
  EXPECT_NE(std::string(harness_message()), "");
  EXPECT_EQ(outcomeOf(job), faultedWith(AVOCET_FAULT_HARDWARE_ERROR));
  const uint32_t sent = firmware_.requests[AVOCET_MESSAGE_DESTROY_CONTEXT];
  EXPECT_EQ(harness_mailbox(), -ENODEV);
  EXPECT_EQ(firmware_.requests[AVOCET_MESSAGE_DESTROY_CONTEXT], sent) << "a lost device gets no message";
  harness_reset();
  EXPECT_EQ(harness_mailbox(), 0);
}

INSTANTIATE_TEST_SUITE_P(, WrongAnswerTest,
                         testing::Values(&harness_firmware::wrong_sequences, &harness_firmware::wrong_kinds,
                                         &harness_firmware::wrong_lengths, &harness_firmware::lost_messages),
                         [](const auto &info) { return kWrongAnswers[info.index]; });

TEST_F(MailboxTest, UnknownCodeLosesDevice) {
  firmware_.code = 0xffffffff;
  EXPECT_EQ(harness_mailbox(), -ENODEV);
  EXPECT_TRUE(harness_is_lost());
}

TEST_F(MailboxTest, SilenceIsReportedAfterTenSeconds) {
  firmware_.lost_messages = 1;
  const uint64_t begin = harness_now();
  EXPECT_EQ(harness_mailbox(), -ENODEV);
  EXPECT_GE(harness_now() - begin, 10 * kSecond);
  EXPECT_LT(harness_now() - begin, 11 * kSecond);
}

TEST_F(MailboxTest, AnswerWithoutInterruptIsFound) {
  firmware_.lost_interrupts = 1;
  const uint64_t begin = harness_now();
  EXPECT_EQ(harness_mailbox(), 0);
  EXPECT_LT(harness_now() - begin, kSecond);
  EXPECT_EQ(harness_mailbox(), 0);
}

class MapTest : public LogicTest {
protected:
  static int map(uint32_t handle, uint64_t &address, uint32_t access = AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE) {
    avocet_map args{1, handle, access, 0, 0};
    const int error = harness_map(&args);
    address = args.device_address;
    return error;
  }

  uint32_t messages(uint32_t kind) const { return firmware_.requests[kind]; }

  uint64_t address_ = 0;
};

TEST_F(MapTest, NeighboringPiecesAreOneMessage) {
  const uint64_t pieces[][2] = {{0x1000, 0x2000}, {0x3000, 0x1000}, {0x8000, 0x1000}};
  ASSERT_EQ(map(harness_make_buffer(pieces, 3, false), address_), 0);
  EXPECT_EQ(messages(AVOCET_MESSAGE_MAP), 2u);
  EXPECT_EQ(firmware_.last_map.device_address, address_ + 0x3000);
  EXPECT_EQ(firmware_.last_map.system_address, 0x8000u);
  EXPECT_EQ(firmware_.last_map.bytes, 0x1000u);
  EXPECT_EQ(harness_unmap(address_), 0);
  EXPECT_EQ(messages(AVOCET_MESSAGE_UNMAP), 2u);
  EXPECT_EQ(harness_unmap(address_), -EINVAL);
}

TEST_F(MapTest, FailedPieceUndoesThoseBefore) {
  const uint64_t pieces[][2] = {{0x1000, 0x1000}, {0x4000, 0x1000}, {0x8000, 0x1000}};
  firmware_.failing_after = 2;
  firmware_.code = AVOCET_REPLY_OUT_OF_MAPPINGS;
  const uint32_t handle = harness_make_buffer(pieces, 3, false);
  EXPECT_EQ(map(handle, address_), -ENOSPC);
  EXPECT_EQ(messages(AVOCET_MESSAGE_MAP), 3u);
  EXPECT_GE(messages(AVOCET_MESSAGE_UNMAP), 1u);
  firmware_.code = 0;
  EXPECT_EQ(map(handle, address_), 0) << "its addresses are free again";
}

TEST_F(MapTest, UnalignedPiecesAreRefused) {
  const uint64_t pieces[][2] = {{0x1000, 0x1000}, {0x4100, 0x1000}};
  EXPECT_EQ(map(harness_make_buffer(pieces, 2, false), address_), -EINVAL);
}

TEST_F(MapTest, MappingsHaveGuardsBetweenThem) {
  const uint64_t piece[][2] = {{0x1000, 0x1000}};
  const uint32_t handle = harness_make_buffer(piece, 1, false);
  uint64_t first = 0, second = 0;
  ASSERT_EQ(map(handle, first), 0);
  ASSERT_EQ(map(handle, second), 0);
  EXPECT_GE(second, first + 0x2000);
}

TEST_F(MapTest, RightsAndHandlesAreChecked) {
  const uint64_t piece[][2] = {{0x1000, 0x1000}};
  const uint32_t handle = harness_make_buffer(piece, 1, true);
  EXPECT_EQ(map(handle, address_, AVOCET_ACCESS_WRITE), -EACCES);
  EXPECT_EQ(map(handle, address_, 0), -EINVAL);
  EXPECT_EQ(map(handle, address_, 4), -EINVAL);
  EXPECT_EQ(map(handle + 1, address_), -ENOENT);
  EXPECT_EQ(messages(AVOCET_MESSAGE_MAP), 0u);
  EXPECT_EQ(map(handle, address_, AVOCET_ACCESS_READ), 0);
}

TEST_F(MapTest, OnlyBeginsOfMappingsCanBeUnmapped) {
  const uint64_t piece[][2] = {{0x1000, 0x2000}};
  ASSERT_EQ(map(harness_make_buffer(piece, 1, false), address_), 0);
  for (const uint64_t wrong :
       {uint64_t{0}, address_ + 0x1000, address_ - 0x1000, uint64_t{HARNESS_RING_ADDRESS}, ~uint64_t{0}})
    EXPECT_EQ(harness_unmap(wrong), -EINVAL) << wrong;
  EXPECT_EQ(messages(AVOCET_MESSAGE_UNMAP), 0u);
}

TEST_F(MapTest, PagesOfLostDeviceStayUntilReset) {
  const uint64_t piece[][2] = {{0x1000, 0x1000}};
  const uint32_t handle = harness_make_buffer(piece, 1, false);
  ASSERT_EQ(map(handle, address_), 0);
  firmware_.wrong_kinds = 1;
  EXPECT_EQ(harness_unmap(address_), -ENODEV);
  EXPECT_EQ(harness_unmap(address_), -EINVAL);
  EXPECT_EQ(harness_buffer_references(handle), 1) << "the device may still write there";
  firmware_.lost_resets = true;
  EXPECT_EQ(harness_reset(), -ENODEV);
  EXPECT_EQ(harness_buffer_references(handle), 1) << "the device has not acknowledged";
  firmware_.lost_resets = false;
  EXPECT_EQ(harness_reset(), 0);
  EXPECT_EQ(harness_buffer_references(handle), 0);
}

TEST_F(MapTest, PagesOfUnansweredMapStayUntilReset) {
  const uint64_t pieces[][2] = {{0x1000, 0x1000}, {0x8000, 0x1000}};
  const uint32_t handle = harness_make_buffer(pieces, 2, false);
  firmware_.lost_messages = 1;
  EXPECT_EQ(map(handle, address_), -ENODEV);
  EXPECT_EQ(address_, 0u);
  EXPECT_EQ(harness_buffer_references(handle), 1);
  EXPECT_EQ(harness_reset(), 0);
  EXPECT_EQ(harness_buffer_references(handle), 0);
}

TEST_F(MapTest, SuspendedDeviceHasNoPages) {
  const uint64_t piece[][2] = {{0x1000, 0x1000}};
  const uint32_t handle = harness_make_buffer(piece, 1, false);
  ASSERT_EQ(map(handle, address_), 0);
  harness_suspend();
  EXPECT_EQ(harness_unmap(address_), 0);
  EXPECT_EQ(messages(AVOCET_MESSAGE_UNMAP), 0u);
  EXPECT_EQ(harness_buffer_references(handle), 0);
  harness_resume();
}

TEST_F(MapTest, PagesStayWhenSuspensionFails) {
  const uint64_t piece[][2] = {{0x1000, 0x1000}};
  const uint32_t handle = harness_make_buffer(piece, 1, false);
  ASSERT_EQ(map(handle, address_), 0);
  firmware_.lost_resets = true;
  harness_suspend();
  EXPECT_EQ(harness_unmap(address_), -ENODEV);
  EXPECT_EQ(harness_buffer_references(handle), 1);
  firmware_.lost_resets = false;
}

} // namespace
} // namespace avocet::test
