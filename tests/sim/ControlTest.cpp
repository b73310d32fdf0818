//===- ControlTest.cpp - Branches and loops on the device -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control programs written by hand. Conditions are queues of bytes in memory: a section advances a queue by one byte,
// so that a loop has as many turns as its queue has ones before the first zero.
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"
#include "TestDriver.h"

#include "avocet/firmware_iface/Control.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

namespace avocet::sim::test {
namespace {

using namespace firmware;

using Program = std::vector<ControlInstruction>;

constexpr uint32_t kQueue = 16;             ///< bytes of a queue
constexpr uint64_t kOuter = 0, kInner = 64; ///< queues
constexpr uint64_t kSaved = 128;            ///< initial contents of the inner queue
constexpr uint64_t kLog = 256;              ///< queue to which sections append

/// Advances a queue: removes its first byte.
TestStream advance(uint64_t queue, uint32_t section) {
  TestStream result = stream(kDma, {load(1, queue + 1, 0, kQueue - 1), store(1, queue, 0, kQueue - 1)}, section);
  result.section = section;
  return result;
}

TestStream copy(uint64_t from, uint64_t to, uint32_t section) {
  TestStream result = stream(kDma, {load(1, from, 0, kQueue), store(1, to, 0, kQueue)}, section);
  result.section = section;
  return result;
}

/// Inserts a byte at the start of the log.
TestStream note(uint8_t byte, uint32_t section) {
  DmaCommand fill;
  fill.kind = DmaKind::Fill;
  fill.destination.region = 1;
  fill.destination.offset = kLog;
  fill.runBytes = 1;
  fill.fillValue = byte;
  TestStream result = stream(kDma, {load(1, kLog, 0, 40), store(1, kLog + 1, 0, 40), fill}, section);
  result.section = section;
  return result;
}

class ControlTest : public testing::TestWithParam<DeviceOptions> {
protected:
  ControlTest() { driver_.map(data_); }

  JobDescriptor job(const std::vector<TestStream> &streams, const Program &program) {
    JobDescriptor job = driver_.makeJob(streams, {{data_.address(), data_.size()}});
    driver_.setControl(job, encodeControl(program));
    return job;
  }
  CompletionRecord run(const std::vector<TestStream> &streams, const Program &program) {
    return driver_.run(job(streams, program));
  }
  FaultCode faultOf(const CompletionRecord &record) { return static_cast<FaultCode>(record.faultCode); }
  void ones(uint64_t queue, uint32_t count) { std::memset(data_.data() + queue, 1, count); }
  /// The log, the first entry first.
  std::string log() const {
    std::string text(reinterpret_cast<const char *>(data_.data() + kLog));
    return {text.rbegin(), text.rend()};
  }

  TestDriver driver_{"e256", GetParam()};
  Pages data_{4096};
};

/// if (byte) A else B; C
Program branch() {
  return {JumpIfFalseInstruction{1, kOuter, 3},
          RunInstruction{0},
          JumpInstruction{4},
          RunInstruction{1},
          RunInstruction{2},
          EndInstruction{}};
}

TEST_P(ControlTest, TakesOneBranch) {
  const std::vector<TestStream> streams = {note('A', 0), note('B', 1), note('C', 2)};
  EXPECT_EQ(faultOf(run(streams, branch())), FaultCode::None);
  EXPECT_EQ(log(), "BC");
  data_.data()[kOuter] = 0x80; // any bit makes it true
  EXPECT_EQ(faultOf(run(streams, branch())), FaultCode::None);
  EXPECT_EQ(log(), "BCAC");
}

/// while (outer) { note 'o'; inner = saved; while (inner) { note 'i'; } }
Program nested() {
  return {LoopEnterInstruction{0}, LoopCheckInstruction{0}, JumpIfFalseInstruction{1, kOuter, 13},
          RunInstruction{0},       RunInstruction{1},       RunInstruction{2},
          LoopEnterInstruction{1}, LoopCheckInstruction{1}, JumpIfFalseInstruction{1, kInner, 12},
          RunInstruction{3},       RunInstruction{4},       JumpInstruction{7},
          JumpInstruction{1},      EndInstruction{}};
}

std::vector<TestStream> nestedStreams() {
  return {advance(kOuter, 0), copy(kSaved, kInner, 1), note('o', 2), advance(kInner, 3), note('i', 4)};
}

TEST_P(ControlTest, RunsNestedLoops) {
  ones(kOuter, 3);
  ones(kSaved, 2);
  EXPECT_EQ(faultOf(run(nestedStreams(), nested())), FaultCode::None);
  EXPECT_EQ(log(), "oiioiioii");
}

TEST_P(ControlTest, LoopMayHaveZeroTurns) {
  EXPECT_EQ(faultOf(run(nestedStreams(), nested())), FaultCode::None);
  EXPECT_EQ(log(), "");
}

TEST_P(ControlTest, CountersAndTimeSumOverSections) {
  ones(kOuter, 3);
  ones(kSaved, 2);
  const CompletionRecord record = run(nestedStreams(), nested());
  // 3 turns outside with 3 sections of 2, 2 and 3 transfers, 6 inside with 2 and 3; each stream ends with End.
  EXPECT_EQ(record.counters.commands, 3u * (2 + 2 + 3) + 6u * (2 + 3));
  EXPECT_EQ(record.endCycle - record.startCycle, record.counters.cycles);
  EXPECT_EQ(record.counters.cycles != 0, GetParam().timing);
  if (!GetParam().trace)
    return;
  const std::vector<CommandSpan> &spans = driver_.profile().spans;
  ASSERT_EQ(spans.size(), record.counters.commands);
  for (size_t i = 1; i < spans.size(); ++i)
    EXPECT_GE(spans[i].endCycle, spans[i - 1].endCycle);
  EXPECT_LE(spans.back().endCycle, record.counters.cycles);
  // No engine has more counted cycles than the job took.
  uint64_t booked = record.counters.busyCycles[2];
  for (uint64_t stall : record.counters.stallCycles[2])
    booked += stall;
  EXPECT_LE(booked, record.counters.cycles);
}

TEST_P(ControlTest, SpansLieInTheRunOfTheirSection) {
  ones(kOuter, 3);
  ones(kSaved, 2);
  run(nestedStreams(), nested());
  const std::vector<SectionSpan> &runs = driver_.profile().sections;
  if (!GetParam().trace) {
    EXPECT_TRUE(runs.empty());
    return;
  }
  ASSERT_EQ(runs.size(), 3u * 3 + 6u * 2);
  for (size_t i = 1; i < runs.size(); ++i)
    EXPECT_LE(runs[i - 1].endCycle, runs[i].startCycle);
  std::vector<uint32_t> commands(runs.size());
  for (const CommandSpan &span : driver_.profile().spans) {
    ASSERT_LT(span.run, runs.size());
    EXPECT_GE(span.startCycle, runs[span.run].startCycle);
    EXPECT_LE(span.endCycle, runs[span.run].endCycle);
    EXPECT_EQ(span.command, commands[span.run]++);
  }
}

TEST_P(ControlTest, SemaphoresStartAtZeroInEachSection) {
  // The second section waits for a signal of the first one.
  TestStream signals = stream(kDma, {SignalCommand{3}}), waits = stream(kDma, {WaitCommand{3, 1}});
  waits.section = 1;
  const CompletionRecord record = run({signals, waits}, {RunInstruction{0}, RunInstruction{1}, EndInstruction{}});
  EXPECT_EQ(faultOf(record), FaultCode::Deadlock);
  EXPECT_EQ(record.faultSection, 1u);
  EXPECT_EQ(record.faultCommand, 0u);
}

TEST_P(ControlTest, EndlessLoopsTimeOut) {
  data_.data()[kOuter] = 1;
  const Program endless = {LoopEnterInstruction{0}, LoopCheckInstruction{0}, JumpIfFalseInstruction{1, kOuter, 5},
                           RunInstruction{0},       JumpInstruction{1},      EndInstruction{}};
  JobDescriptor descriptor = job({note('x', 0)}, endless);
  descriptor.loopTimeoutNs = 200'000; // 100000 cycles at 500 MHz
  const CompletionRecord record = driver_.run(descriptor);
  EXPECT_EQ(faultOf(record), FaultCode::LoopTimeout);
  EXPECT_EQ(record.faultCommand, 1u);
  EXPECT_EQ(record.faultEngineKind, kNoIndex);
  if (GetParam().timing) {
    EXPECT_GT(record.counters.cycles, 100'000u);
    EXPECT_LT(record.counters.cycles, 110'000u);
  }
  EXPECT_EQ(faultOf(run({note('A', 0), note('B', 1), note('C', 2)}, branch())), FaultCode::None);
}

/// The clock of a loop starts at its entry: many short loops in a row do not add up.
TEST_P(ControlTest, LoopClockStartsAtEntry) {
  ones(kOuter, 12);
  ones(kSaved, 3);
  JobDescriptor descriptor = job(nestedStreams(), nested());
  descriptor.loopTimeoutNs = kMaxLoopTimeoutNs;
  const uint64_t whole = driver_.run(descriptor).counters.cycles;
  if (!GetParam().timing)
    return;
  // Enough for each inner loop (three turns of 12 * 4 in all), too little for the outer one.
  ones(kOuter, 12);
  descriptor.loopTimeoutNs = whole; // half of it: 2 ns for each cycle
  const CompletionRecord record = driver_.run(descriptor);
  EXPECT_EQ(faultOf(record), FaultCode::LoopTimeout);
  EXPECT_EQ(record.faultCommand, 1u); // the check of the outer loop
}

/// Loops have limits of their own, and a prediction of their turns does not exist.
TEST_P(ControlTest, WatchdogCountsSectionsDeadlineTheJob) {
  data_.data()[kOuter] = 1;
  const Program endless = {LoopEnterInstruction{0}, LoopCheckInstruction{0}, RunInstruction{0}, JumpInstruction{1},
                           EndInstruction{}};
  JobDescriptor descriptor = job({note('x', 0)}, endless);
  descriptor.watchdogCycles = 2'000; // one turn takes a few hundred cycles
  descriptor.loopTimeoutNs = 100'000;
  EXPECT_EQ(faultOf(driver_.run(descriptor)), FaultCode::LoopTimeout);
  descriptor.watchdogCycles = 1;
  const CompletionRecord record = driver_.run(descriptor);
  EXPECT_EQ(faultOf(record), FaultCode::Watchdog);
  EXPECT_EQ(record.faultSection, 0u);
  if (!GetParam().timing)
    return;
  descriptor.watchdogCycles = 0;
  descriptor.deadlineNs = 2 * (record.endCycle + 30'000);
  EXPECT_EQ(faultOf(driver_.run(descriptor)), FaultCode::DeadlineMissed);
  EXPECT_EQ(driver_.recordOf(descriptor).counters.cycles, 30'000u);
}

/// The device polls its mailbox between short sections too.
TEST_P(ControlTest, EndlessLoopIsCancelled) {
  const Program endless = {LoopEnterInstruction{0}, LoopCheckInstruction{0}, RunInstruction{0}, JumpInstruction{1},
                           EndInstruction{}};
  JobDescriptor descriptor = job({note('x', 0)}, endless);
  descriptor.loopTimeoutNs = kMaxLoopTimeoutNs;
  driver_.push(descriptor);
  const uint32_t tail = driver_.ringHeader().tail;
  driver_.ring();
  std::thread device([&] { driver_.device().run(); });
  while (std::atomic_ref(driver_.ringHeader().head).load(std::memory_order_acquire) != tail)
    std::this_thread::yield();
  driver_.post(MessageKind::Cancel, CancelRequest{TestDriver::kContext, TestDriver::kRing, descriptor.sequence});
  device.join();
  driver_.device().run(); // for a bell that came too late for the thread
  EXPECT_EQ(faultOf(driver_.recordOf(descriptor)), FaultCode::Cancelled);
}

TEST_P(ControlTest, BadConditionAddressesFault) {
  const std::vector<TestStream> streams = {note('A', 0), note('B', 1), note('C', 2)};
  auto at = [&](uint64_t offset, uint32_t access) {
    Program program = branch();
    program[0] = JumpIfFalseInstruction{1, offset, 3};
    JobDescriptor descriptor = driver_.makeJob(streams, {{data_.address(), data_.size(), access}});
    driver_.setControl(descriptor, encodeControl(program));
    const CompletionRecord record = driver_.run(descriptor);
    EXPECT_EQ(record.faultCommand, 0u);
    EXPECT_EQ(record.faultRegion, 1u);
    return faultOf(record);
  };
  EXPECT_EQ(at(data_.size(), access::kRead | access::kWrite), FaultCode::RegionOutOfBounds);
  EXPECT_EQ(at(UINT64_MAX, access::kRead | access::kWrite), FaultCode::RegionOutOfBounds);
  EXPECT_EQ(at(0, access::kWrite), FaultCode::RegionUnbound);
  JobDescriptor descriptor = driver_.makeJob(streams, {{1 << 20, 4096}});
  driver_.setControl(descriptor, encodeControl(branch()));
  EXPECT_EQ(faultOf(driver_.run(descriptor)), FaultCode::PageFault);
}

TEST_P(ControlTest, BadProgramsAndTablesAreRefused) {
  const std::vector<TestStream> streams = {note('A', 0), note('B', 1), note('C', 2)};
  EXPECT_EQ(faultOf(run(streams, {RunInstruction{3}, EndInstruction{}})), FaultCode::MalformedStream);
  EXPECT_EQ(faultOf(run(streams, {JumpInstruction{0}, EndInstruction{}})), FaultCode::MalformedStream);
  EXPECT_EQ(faultOf(run(streams, {JumpIfFalseInstruction{2, 0, 1}, EndInstruction{}})), FaultCode::MalformedStream);
  auto faultWith = [&](auto change) {
    JobDescriptor descriptor = job(streams, branch());
    change(descriptor);
    return faultOf(driver_.run(descriptor));
  };
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.controlWords = kMaxControlWords + 1; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.controlProgram += 4; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.loopTimeoutNs = kMaxLoopTimeoutNs + 1; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.controlProgram = 8; }), FaultCode::PageFault);
  // Without a control program there is only section 0.
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.controlWords = 0; }), FaultCode::BadDescriptor);
  std::vector<TestStream> twice = {note('A', 1), note('B', 1)};
  EXPECT_EQ(faultOf(run(twice, {RunInstruction{1}, EndInstruction{}})), FaultCode::BadDescriptor);
  EXPECT_EQ(faultOf(run({note('A', kMaxSections)}, {EndInstruction{}})), FaultCode::BadDescriptor);
}

/// The same streams with another program or other regions are another image.
TEST_P(ControlTest, ImageDependsOnProgramAndRegions) {
  const std::vector<TestStream> streams = {note('A', 0), note('B', 1)};
  EXPECT_EQ(faultOf(run(streams, {RunInstruction{0}, EndInstruction{}})), FaultCode::None);
  EXPECT_EQ(faultOf(run(streams, {RunInstruction{1}, EndInstruction{}})), FaultCode::None);
  std::vector<TestStream> swapped = streams;
  std::swap(swapped[0].section, swapped[1].section);
  EXPECT_EQ(faultOf(run(swapped, {RunInstruction{0}, EndInstruction{}})), FaultCode::None);
  EXPECT_EQ(log(), "ABB");
  const Program reads = {JumpIfFalseInstruction{1, 0, 1}, EndInstruction{}};
  EXPECT_EQ(faultOf(run(streams, reads)), FaultCode::None);
  JobDescriptor unbound = driver_.makeJob(streams, {});
  driver_.setControl(unbound, encodeControl(reads));
  EXPECT_EQ(faultOf(driver_.run(unbound)), FaultCode::MalformedStream);
}

TEST_P(ControlTest, DamagedProgramsEndTheirJobs) {
  std::mt19937 random(3);
  const std::vector<uint32_t> good = encodeControl(nested());
  uint32_t faults = 0, runs = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint32_t> words = good;
    for (uint32_t n = 1 + random() % 3; n != 0; --n) {
      uint32_t &word = words[random() % words.size()];
      word = random() % 3 == 0 ? static_cast<uint32_t>(random()) : (word & ~0xFFu) | random() % 16;
    }
    ones(kOuter, 2);
    ones(kSaved, 2);
    JobDescriptor descriptor = driver_.makeJob(nestedStreams(), {{data_.address(), data_.size()}});
    driver_.setControl(descriptor, words);
    descriptor.loopTimeoutNs = 100'000;
    const CompletionRecord record = driver_.run(descriptor);
    ASSERT_NE(record.state, static_cast<uint32_t>(JobState::Pending));
    faults += record.faultCode != 0;
    runs += record.faultCode == 0;
  }
  EXPECT_GT(faults, 500u);
  EXPECT_GT(runs, 50u);
}

INSTANTIATE_TEST_SUITE_P(Modes, ControlTest,
                         testing::Values(DeviceOptions{true, true, true, true},
                                         DeviceOptions{true, false, false, false}));

} // namespace
} // namespace avocet::sim::test
