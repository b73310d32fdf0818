//===- SubmitTest.cpp - Refused arguments of SUBMIT ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include <gtest/gtest.h>

namespace avocet::uapi {
namespace {

constexpr uint32_t kUnknown = 54321;
constexpr uint64_t kBadPointer = 0xffff888000000000; ///< of the kernel

class SubmitTest : public testing::Test {
protected:
  /// The errno of a submission after `change`. A wrong acceptance would leave a job: its end is awaited.
  template <typename Change> int errorOf(Change change) {
    avocet_submit call = client_.describe(Program::Copy);
    change(call);
    const int error = device_.call(AVOCET_IOCTL_SUBMIT, call);
    if (error == 0)
      client_.wait(call.job);
    return error;
  }

  Device device_;
  Client client_{device_};
};

TEST_F(SubmitTest, CompletesAndCopies) {
  client_.fill(9);
  EXPECT_EQ(errorOf([](auto &) {}), 0);
  EXPECT_TRUE(client_.hasCopied(9));
}

TEST_F(SubmitTest, RefusesFlagsAndPadding) {
  EXPECT_EQ(errorOf([](auto &c) { c.flags = 2; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.flags = 1u << 31; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.pad = 1; }), EINVAL);
}

TEST_F(SubmitTest, RefusesUnknownAndForeignContexts) {
  EXPECT_EQ(errorOf([](auto &c) { c.context = 0; }), ENOENT);
  EXPECT_EQ(errorOf([](auto &c) { c.context = kUnknown; }), ENOENT);
  const Device other;
  avocet_submit call = client_.describe(Program::Copy);
  EXPECT_EQ(other.call(AVOCET_IOCTL_SUBMIT, call), ENOENT);
}

TEST_F(SubmitTest, RefusesOtherTargetsAndEncodings) {
  EXPECT_EQ(errorOf([](auto &c) { ++c.target_fingerprint; }), EPROTO);
  EXPECT_EQ(errorOf([](auto &c) { ++c.encoding_version; }), EPROTO);
}

TEST_F(SubmitTest, RefusesCountsAboveLimits) {
  const auto regions = static_cast<uint32_t>(device_.parameter(AVOCET_PARAM_MAX_REGIONS));
  const auto priority = static_cast<uint32_t>(device_.parameter(AVOCET_PARAM_MAX_PRIORITY));
  EXPECT_EQ(errorOf([](auto &c) { c.stream_count = 0; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.stream_count = 4097; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.stream_count = ~0u; }), EINVAL);
  EXPECT_EQ(errorOf([&](auto &c) { c.region_count = regions + 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.region_count = ~0u; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.in_fence_count = 17; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.in_fence_count = ~0u; }), EINVAL);
  EXPECT_EQ(errorOf([&](auto &c) { c.priority = priority + 1; }), EINVAL);
  EXPECT_EQ(errorOf([&](auto &c) { c.priority = priority; }), 0);
}

TEST_F(SubmitTest, RefusesPointersOutsideTheProcess) {
  for (uint64_t pointer : {uint64_t(0), uint64_t(1), kBadPointer, UINT64_MAX}) {
    EXPECT_EQ(errorOf([&](auto &c) { c.streams = pointer; }), EFAULT) << pointer;
    EXPECT_EQ(errorOf([&](auto &c) { c.regions = pointer; }), EFAULT) << pointer;
    EXPECT_EQ(errorOf([&](auto &c) { c.in_fences = pointer, c.in_fence_count = 1; }), EFAULT) << pointer;
  }
}

TEST_F(SubmitTest, RefusesDescriptorsThatAreNoFences) {
  for (int fd : {-1, 12345, device_.fd()}) {
    EXPECT_EQ(errorOf([&](auto &c) { c.in_fences = reinterpret_cast<uintptr_t>(&fd), c.in_fence_count = 1; }), EBADF)
        << fd;
  }
}

TEST_F(SubmitTest, RefusesStreams) {
  const auto words = static_cast<uint32_t>(device_.parameter(AVOCET_PARAM_MAX_STREAM_WORDS));
  const auto channels = static_cast<uint32_t>(device_.parameter(AVOCET_PARAM_DMA_CHANNELS));
  const std::vector<avocet_stream> good = client_.streams;
  auto errorWith = [&](auto change) {
    client_.streams = good;
    change(client_.streams[0]);
    return errorOf([](auto &) {});
  };
  EXPECT_EQ(errorWith([](auto &s) { s.engine_kind = 3; }), EINVAL);
  EXPECT_EQ(errorWith([&](auto &s) { s.engine_index = channels; }), EINVAL);
  EXPECT_EQ(errorWith([](auto &s) { s.engine_kind = AVOCET_ENGINE_MAC, s.engine_index = 1; }), EINVAL);
  EXPECT_EQ(errorWith([](auto &s) { s.device_address += 2; }), EINVAL);
  EXPECT_EQ(errorWith([&](auto &s) { s.words = words + 1; }), EINVAL);
  client_.streams = {good[0], good[0]};
  EXPECT_EQ(errorOf([](auto &c) { c.stream_count = 2; }), EINVAL) << "one engine twice in a section";
  client_.streams = good;
  EXPECT_EQ(errorOf([](auto &) {}), 0);
}

TEST_F(SubmitTest, RefusesRegions) {
  const std::vector<avocet_region> good = client_.regions;
  auto errorWith = [&](auto change) {
    client_.regions = good;
    change(client_.regions[2]);
    return errorOf([](auto &) {});
  };
  EXPECT_EQ(errorWith([](auto &r) { r.access = 0; }), EINVAL);
  EXPECT_EQ(errorWith([](auto &r) { r.access = 5; }), EINVAL);
  EXPECT_EQ(errorWith([](auto &r) { r.pad = 1; }), EINVAL);
}

TEST_F(SubmitTest, RefusesWordsWithoutControlProgram) {
  EXPECT_EQ(errorOf([](auto &c) { c.control_words = 1; }), EINVAL);
  EXPECT_EQ(errorOf([](auto &c) { c.control_program = 4; }), EINVAL) << "not aligned";
  EXPECT_EQ(errorOf([](auto &c) { c.control_program = 8; }), 0) << "no words: section 0 runs once";
}

TEST_F(SubmitTest, JobOfOlderShorterStructureRuns) {
  avocet_submit call = client_.describe(Program::Copy);
  constexpr size_t kFirst = offsetof(avocet_submit, control_program);
  struct First {
    char bytes[kFirst];
  };
  client_.fill(31);
  ASSERT_EQ(device_.callAt(_IOWR('d', 0x47, First), &call), 0);
  EXPECT_EQ(client_.wait(call.job).state, uint32_t(AVOCET_JOB_COMPLETE));
  EXPECT_TRUE(client_.hasCopied(31));
}

TEST_F(SubmitTest, RefusedSubmissionsLeaveNoJob) {
  const Submitted first = client_.submit(Program::Copy);
  EXPECT_NE(errorOf([](auto &c) { c.flags = 2; }), 0);
  EXPECT_NE(errorOf([](auto &c) { c.in_fence_count = 1; }), 0);
  const Submitted next = client_.submit(Program::Copy);
  EXPECT_EQ(next.job, first.job + 1);
  EXPECT_EQ(client_.wait(next.job).state, uint32_t(AVOCET_JOB_COMPLETE));
}

} // namespace
} // namespace avocet::uapi
