//===- DeviceSpansTest.cpp - Runs on the device for profiles ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/DeviceSpans.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace avocet::ort {
namespace {

const hal::Timing kTiming{hal::Duration(3000), hal::Duration(5000)};

TEST(ProviderSpans, NothingIsKeptWithoutProfiles) {
  DeviceSpans spans;
  spans.note(spans.now(), kTiming);
  const auto list = spans.open();
  EXPECT_TRUE(spans.close(list).empty());
}

TEST(ProviderSpans, EachOpenProfileGetsRuns) {
  DeviceSpans spans;
  const auto session = spans.open();
  spans.note(spans.now(), kTiming);
  const auto run = spans.open();
  spans.note(spans.now(), kTiming);
  EXPECT_EQ(spans.close(run).size(), 1U);
  spans.note(spans.now(), kTiming);
  const DeviceSpans::List all = spans.close(session);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_LE(all[0].start, all[0].end);
  EXPECT_LE(all[0].end, all[1].start);
  EXPECT_EQ(all[0].thread, ::gettid());
  EXPECT_EQ(all[0].timing.timeOnDevice, kTiming.timeOnDevice);
}

TEST(ProviderSpans, RunBeforeTheProfileIsLeftOut) {
  DeviceSpans spans;
  const auto before = spans.now();
  const auto list = spans.open();
  spans.note(before, kTiming);
  EXPECT_TRUE(spans.close(list).empty());
}

} // namespace
} // namespace avocet::ort
