//===- LogicTest.h - Fixture of the driver's unit tests ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_UNIT_LOGICTEST_H
#define AVOCET_TESTS_KMOD_UNIT_LOGICTEST_H

#include "unit/Harness.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace avocet::test {

/// A device whose driver has one context, number 1. What a test leaves is freed and checked at its end.
class LogicTest : public testing::Test {
protected:
  void SetUp() override {
    before_ = harness_allocations();
    harness_begin(&firmware_);
  }

  void TearDown() override {
    harness_end();
    EXPECT_EQ(harness_allocations(), before_);
  }

  /// A job that SUBMIT accepts.
  avocet_submit validJob() {
    avocet_submit args{};
    args.context = 1;
    args.streams = reinterpret_cast<uint64_t>(streams_);
    args.regions = reinterpret_cast<uint64_t>(regions_);
    args.in_fences = reinterpret_cast<uint64_t>(fences_);
    args.stream_count = 2;
    args.region_count = 2;
    args.target_fingerprint = HARNESS_FINGERPRINT;
    args.encoding_version = AVOCET_FW_ENCODING_VERSION;
    return args;
  }

  /// The number of a valid job that has reached the ring, unless it waits.
  uint64_t submitJob() {
    avocet_submit args = validJob();
    EXPECT_EQ(harness_submit(&args), 0);
    harness_schedule();
    return args.job;
  }

  /// The device ends the job that is entry `number` of the ring.
  void endJob(uint32_t number, uint32_t state = AVOCET_JOB_COMPLETE, uint32_t fault = 0) {
    avocet_fw_completion *record = harness_record(harness_ring_entry(number));
    ASSERT_NE(record, nullptr);
    record->fault_code = fault;
    record->state = state;
  }

  void reap() {
    harness_reap();
    harness_schedule();
  }

  struct Outcome {
    int error;
    uint32_t state, fault;
    bool operator==(const Outcome &) const = default;
  };

  /// What WAIT says about a job now.
  static Outcome outcomeOf(uint64_t job) {
    avocet_wait args{};
    args.context = 1;
    args.job = job;
    const int error = harness_wait(&args);
    return {error, args.state, args.fault_code};
  }

  static constexpr Outcome kPending{-ETIMEDOUT, 0, 0}, kComplete{0, AVOCET_JOB_COMPLETE, 0}, kUnknown{-ENOENT, 0, 0};
  static constexpr Outcome faultedWith(uint32_t fault) { return {0, AVOCET_JOB_FAULTED, fault}; }

  harness_firmware firmware_{};
  avocet_stream streams_[2] = {{AVOCET_ENGINE_MAC, 0, 0x10000, 16, 0}, {AVOCET_ENGINE_DMA, 1, 0x11000, 32, 0}};
  avocet_region regions_[2] = {{0x20000, 64, AVOCET_ACCESS_READ, 0}, {0x21000, 64, AVOCET_ACCESS_WRITE, 0}};
  int32_t fences_[16] = {};

private:
  int before_ = 0;
};

} // namespace avocet::test

#endif // AVOCET_TESTS_KMOD_UNIT_LOGICTEST_H
