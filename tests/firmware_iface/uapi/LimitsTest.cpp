//===- LimitsTest.cpp - Limits that a client reaches --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include <gtest/gtest.h>

namespace avocet::uapi {
namespace {

constexpr auto kComplete = uint32_t(AVOCET_JOB_COMPLETE);

class LimitsTest : public testing::Test {
protected:
  Device device_;
};

TEST_F(LimitsTest, ContextsOfDeviceEnd) {
  const uint64_t most = device_.parameter(AVOCET_PARAM_MAX_CONTEXTS);
  avocet_context_create call{};
  std::vector<uint32_t> contexts;
  int error = 0;
  for (;;) {
    call = {};
    error = device_.call(AVOCET_IOCTL_CONTEXT_CREATE, call);
    if (error != 0 || contexts.size() > most)
      break;
    contexts.push_back(call.context);
  }
  // The memory of a small machine ends first.
  EXPECT_TRUE(error == (contexts.size() == most ? ENOSPC : ENOMEM)) << error << " after " << contexts.size();
  EXPECT_GE(contexts.size(), 64u);
  for (uint32_t context : contexts)
    EXPECT_EQ(destroyContext(device_, context), 0);
  const Client client(device_);
  EXPECT_NE(client.context(), 0u);
}

TEST_F(LimitsTest, QueueFillsAndEmptiesInOrder) {
  const uint64_t depth = device_.parameter(AVOCET_PARAM_QUEUE_DEPTH);
  Client client(device_);
  const Submitted gate = client.submit(Program::Gate);
  const avocet_submit call = client.describe(Program::Copy);
  for (uint64_t i = 1; i < depth; ++i)
    ASSERT_EQ(client.submit(call).error, 0) << i;
  EXPECT_EQ(client.submit(call).error, EAGAIN);
  client.openGate();
  EXPECT_EQ(client.wait(gate.job + depth - 1).state, kComplete);
  for (uint64_t job = gate.job; job < gate.job + depth; ++job)
    EXPECT_EQ(client.wait(job, 0).state, kComplete) << "jobs end in order";
  EXPECT_EQ(client.submit(Program::Copy).error, 0);
}

TEST_F(LimitsTest, LastOutcomesAreKept) {
  Client client(device_);
  constexpr int kJobs = 600, kKept = 256;
  uint64_t last = 0;
  for (int i = 0; i < kJobs; ++i) {
    const Submitted job = client.submit(Program::Copy);
    ASSERT_EQ(job.error, 0);
    last = job.job;
    if (i % 100 == 99)
      EXPECT_EQ(client.wait(last).state, kComplete);
  }
  for (uint64_t job = last; job > last - kKept; --job)
    EXPECT_EQ(client.wait(job, 0).state, kComplete) << job;
  EXPECT_EQ(client.wait(1, 0).error, ENOENT);
}

TEST_F(LimitsTest, BufferLargerThanMemoryCannotBeMapped) {
  Client client(device_);
  avocet_bo_create call{.size = uint64_t(1) << 37, .flags = 0, .handle = 0, .mmap_offset = 0};
  const int made = device_.call(AVOCET_IOCTL_BO_CREATE, call);
  EXPECT_TRUE(made == 0 || made == ENOMEM) << made;
  if (made == 0) {
    avocet_map map{.context = client.context(),
                   .handle = call.handle,
                   .access = AVOCET_ACCESS_READ,
                   .pad = 0,
                   .device_address = 0};
    EXPECT_EQ(device_.call(AVOCET_IOCTL_MAP, map), ENOMEM);
    EXPECT_EQ(device_.closeHandle(call.handle), 0);
  }
  EXPECT_EQ(client.wait(client.submit(Program::Copy).job).state, kComplete);
}

TEST_F(LimitsTest, DeviceTellsWhenMappingsEnd) {
  Client client(device_);
  Buffer buffer(device_, 1);
  avocet_map call{};
  int error = 0, mappings = 0;
  for (; error == 0 && mappings < 100000; ++mappings) {
    call = {.context = client.context(),
            .handle = buffer.handle(),
            .access = AVOCET_ACCESS_READ,
            .pad = 0,
            .device_address = 0};
    error = device_.call(AVOCET_IOCTL_MAP, call);
  }
  EXPECT_EQ(error, ENOSPC) << mappings;
  EXPECT_EQ(client.wait(client.submit(Program::Copy).job).state, kComplete);
}

} // namespace
} // namespace avocet::uapi
