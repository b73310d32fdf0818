//===- FaultInjectorTest.cpp - Devices that fail --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultInjector.h"
#include "avocet/firmware_iface/Registers.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

namespace avocet::sim {
namespace {

using firmware::Register;
constexpr uint64_t kGuestBytes = 1 << 20, kMailboxIn = 0x1000, kMailboxOut = 0x2000, kRing = 0x10000;
constexpr uint64_t kRingAddress = uint64_t{1} << 41;
constexpr uint32_t kContext = 1, kEntries = 4, kRecordOffset = 0x2000;

/// A guest's memory with a driver that has told the device where its mailboxes and its ring are.
class FaultInjectorTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(pipe_.data()), 0);
    const int file = ::mkstemp(path_.data());
    ASSERT_GE(file, 0);
    ASSERT_EQ(::ftruncate(file, kGuestBytes), 0);
    ::close(file);
    auto memory = GuestMemory::open(path_);
    ASSERT_TRUE(memory.isOk()) << memory.status().toString();
    memory_.emplace(std::move(memory).value());
    injector_.emplace(*memory_, FaultPlan{});
    injector_->listenTo(pipe_[0]);
  }

  void TearDown() override {
    std::filesystem::remove(path_);
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  void plan(const std::string &text) {
    const std::string line = text + "\n";
    ASSERT_EQ(::write(pipe_[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }

  bool write(Register reg, uint32_t value) { return injector_->passesWrite(static_cast<uint32_t>(reg), value); }

  template <typename T> T &at(uint64_t address) {
    return *reinterpret_cast<T *>(memory_->at(address, sizeof(T)).data());
  }

  template <typename T> bool send(firmware::MessageKind kind, const T &body) {
    auto &message = at<firmware::Mailbox>(kMailboxIn);
    message.header.kind = static_cast<uint32_t>(kind);
    std::memcpy(message.body, &body, sizeof(body));
    return write(Register::MailboxBell, 1);
  }

  void announce() {
    write(Register::MailboxInLow, kMailboxIn);
    write(Register::MailboxOutLow, kMailboxOut);
    send(firmware::MessageKind::Map, firmware::MapRequest{kContext, 3, kRingAddress, kRing, 0x4000});
    send(firmware::MessageKind::CreateRing, firmware::RingRequest{kContext, 0, kRingAddress, kEntries, 0});
  }

  /// Job `number` of the ring has ended.
  firmware::CompletionRecord &endJob(uint32_t number) {
    const uint64_t offset = kRecordOffset + number % kEntries * 512;
    const uint64_t entry = kRing + sizeof(firmware::RingHeader) + number % kEntries * sizeof(firmware::JobDescriptor);
    at<firmware::JobDescriptor>(entry).completion = kRingAddress + offset;
    auto &record = at<firmware::CompletionRecord>(kRing + offset);
    record = {};
    record.state = static_cast<uint32_t>(firmware::JobState::Complete);
    at<firmware::RingHeader>(kRing).tail = number + 1;
    return record;
  }

  std::string path_ = std::filesystem::temp_directory_path() / "avocetGuestXXXXXX";
  std::array<int, 2> pipe_{};
  std::optional<GuestMemory> memory_;
  std::optional<FaultInjector> injector_;
};

TEST(FaultPlanTest, ReadsCounts) {
  const auto plan = FaultPlan::parse("lose-interrupts=3,late=20,silent=1");
  ASSERT_TRUE(plan.isOk());
  EXPECT_EQ(plan.value().lostInterrupts, 3u);
  EXPECT_EQ(plan.value().lateMilliseconds, 20u);
  EXPECT_EQ(plan.value().isSilent, 1u);
  EXPECT_EQ(plan.value().lostBells, 0u);
  EXPECT_TRUE(FaultPlan::parse("").isOk());
}

TEST(FaultPlanTest, RefusesWhatItDoesNotKnow) {
  for (const char *text :
       {"lose", "lose-interrupts", "lose-interrupts=", "late=-1", "late=60001", "silent=2", ",", "=1"})
    EXPECT_FALSE(FaultPlan::parse(text).isOk()) << text;
}

TEST_F(FaultInjectorTest, DropsAsManyBellsAsPlanned) {
  plan("lose-bells=2");
  EXPECT_FALSE(write(Register::RingBell, 0));
  EXPECT_FALSE(write(Register::RingBell, 0));
  EXPECT_TRUE(write(Register::RingBell, 0));
}

TEST_F(FaultInjectorTest, LaterPlanReplacesEarlierOne) {
  plan("lose-bells=2");
  plan("lose-interrupts=1");
  EXPECT_TRUE(write(Register::RingBell, 0));
  EXPECT_FALSE(injector_->passesInterrupt(0));
  EXPECT_TRUE(injector_->passesInterrupt(0));
}

TEST_F(FaultInjectorTest, WrongLineChangesNothing) {
  plan("lose-bells=1");
  plan("nonsense");
  EXPECT_FALSE(write(Register::RingBell, 0));
}

TEST_F(FaultInjectorTest, SpoilsAnswersOfMailbox) {
  announce();
  auto &answer = at<firmware::Mailbox>(kMailboxOut);
  answer.header.sequence = 5;
  answer.header.bytes = 16;
  plan("wrong-sequences=1,wrong-codes=1,wrong-lengths=1");
  EXPECT_TRUE(injector_->passesInterrupt(firmware::interrupt::kMailbox));
  EXPECT_NE(answer.header.sequence, 5u);
  EXPECT_NE(answer.header.bytes, 16u);
  EXPECT_NE(answer.body[0], 0u);
}

TEST_F(FaultInjectorTest, SpoilsOnlyRecordsOfEndedJobs) {
  announce();
  const firmware::CompletionRecord &first = endJob(0);
  EXPECT_TRUE(injector_->passesInterrupt(firmware::interrupt::kCompletion));
  plan("garbage-records=2");
  const firmware::CompletionRecord &second = endJob(1);
  EXPECT_TRUE(injector_->passesInterrupt(firmware::interrupt::kCompletion));
  EXPECT_EQ(first.userData, 0u) << "it was reported before the plan";
  EXPECT_NE(second.userData, 0u);
  EXPECT_NE(second.state, static_cast<uint32_t>(firmware::JobState::Pending));
}

TEST_F(FaultInjectorTest, SurvivesAddressesOutsideTheGuest) {
  write(Register::MailboxInLow, 0xfffffff0);
  write(Register::MailboxOutHigh, 0xffffffff);
  plan("wrong-codes=1,garbage-records=1");
  EXPECT_TRUE(write(Register::MailboxBell, 1));
  EXPECT_TRUE(injector_->passesInterrupt(firmware::interrupt::kMailbox | firmware::interrupt::kCompletion));
  announce();
  send(firmware::MessageKind::Map, firmware::MapRequest{kContext, 3, kRingAddress, ~uint64_t{4095}, 0x4000});
  EXPECT_TRUE(injector_->passesInterrupt(firmware::interrupt::kCompletion));
}

} // namespace
} // namespace avocet::sim
