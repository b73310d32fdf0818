//===- FirmwareTest.cpp - Hand-shake, contexts, rings and registers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestClient.h"
#include "TestCommands.h"
#include "TestDriver.h"

#include "avocet/firmware_iface/Version.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace avocet::sim::test {
namespace {

using namespace firmware;

HelloReply helloReplyOf(const Mailbox &reply) {
  HelloReply hello;
  std::memcpy(&hello, reply.body, sizeof(hello));
  return hello;
}

TEST(FirmwareTest, RegistersIdentifyDevice) {
  TestDriver driver("m512");
  EXPECT_EQ(driver.readRegister(Register::Magic), kDeviceMagic);
  EXPECT_EQ(driver.readRegister(Register::InterfaceVersion), kInterfaceVersion);
  EXPECT_EQ(driver.readRegister(Register::EncodingVersion), kEncodingVersion);
  const uint64_t fingerprint = driver.readRegister(Register::TargetFingerprintLow) |
                               uint64_t{driver.readRegister(Register::TargetFingerprintHigh)} << 32;
  EXPECT_EQ(fingerprint, driver.target().fingerprint());
  EXPECT_EQ(driver.readRegister(Register::Status), static_cast<uint32_t>(DeviceState::Ready));
  EXPECT_EQ(driver.device().readRegister(0xFFC), 0u);
  driver.device().writeRegister(0xFFC, 1);
}

TEST(FirmwareTest, HelloReturnsLimits) {
  TestDriver driver;
  auto hello = helloReplyOf(
      driver.send(MessageKind::Hello, HelloRequest{kInterfaceVersion, kInterfaceVersion, kEncodingVersion, 0}));
  EXPECT_EQ(hello.code, static_cast<uint32_t>(ReplyCode::Ok));
  EXPECT_EQ(hello.interfaceVersion, kInterfaceVersion);
  EXPECT_EQ(hello.sramBytes, driver.target().sram().bytes);
  EXPECT_STREQ(hello.targetName, "e256");
  EXPECT_NE(hello.features & feature::kDeadlines, 0u);
}

TEST(FirmwareTest, HelloRefusesOtherVersions) {
  TestDriver driver;
  auto code = [&](uint32_t low, uint32_t high, uint32_t encoding) {
    return static_cast<ReplyCode>(
        helloReplyOf(driver.send(MessageKind::Hello, HelloRequest{low, high, encoding, 0})).code);
  };
  const uint32_t next = packVersion(kInterfaceMajor + 1, 0);
  EXPECT_EQ(code(next, next, kEncodingVersion), ReplyCode::VersionMismatch);
  EXPECT_EQ(code(kInterfaceVersion, kInterfaceVersion, kEncodingVersion + 1), ReplyCode::VersionMismatch);
  EXPECT_EQ(code(kInterfaceVersion + 1, kInterfaceVersion + 2, kEncodingVersion), ReplyCode::VersionMismatch);
  EXPECT_EQ(code(kInterfaceVersion, kInterfaceVersion + 2, kEncodingVersion), ReplyCode::Ok);
}

TEST(FirmwareTest, RefusesMessagesThatBreakRules) {
  TestDriver driver;
  auto code = [&](MessageKind kind, const auto &body) { return TestDriver::codeOf(driver.send(kind, body)); };
  EXPECT_EQ(code(static_cast<MessageKind>(99), ContextRequest{}), ReplyCode::BadMessage);
  EXPECT_EQ(code(MessageKind::CreateContext, MapRequest{}), ReplyCode::BadMessage);
  EXPECT_EQ(code(MessageKind::CreateContext, ContextRequest{0, 0, {}}), ReplyCode::OutOfContexts);
  EXPECT_EQ(code(MessageKind::CreateContext, ContextRequest{100000, 0, {}}), ReplyCode::OutOfContexts);
  EXPECT_EQ(code(MessageKind::DestroyContext, ContextRequest{7, 0, {}}), ReplyCode::NoSuchContext);
  EXPECT_EQ(code(MessageKind::Map, MapRequest{7, access::kRead, 0, 0, 4096}), ReplyCode::NoSuchContext);
  EXPECT_EQ(code(MessageKind::Map, MapRequest{1, access::kRead, 100, 0, 4096}), ReplyCode::BadMessage);
  EXPECT_EQ(code(MessageKind::Map, MapRequest{1, 0, 0, 0, 4096}), ReplyCode::BadMessage);
  EXPECT_EQ(code(MessageKind::Map, MapRequest{1, access::kRead, ~uint64_t{4095}, 0, 8192}), ReplyCode::BadMessage);
  EXPECT_EQ(code(MessageKind::Map, MapRequest{1, access::kRead, 4096, 0, 8192}), ReplyCode::Ok);
  EXPECT_EQ(code(MessageKind::Map, MapRequest{1, access::kRead, 8192, 0, 4096}), ReplyCode::AlreadyMapped);
  EXPECT_EQ(code(MessageKind::Unmap, MapRequest{1, 0, 8192, 0, 4096}), ReplyCode::NotMapped);
  EXPECT_EQ(code(MessageKind::Unmap, MapRequest{1, 0, 4096, 0, 8192}), ReplyCode::Ok);
  EXPECT_EQ(code(MessageKind::CreateRing, RingRequest{1, 1, 64, 3, 0}), ReplyCode::BadMessage);
  EXPECT_EQ(code(MessageKind::CreateRing, RingRequest{1, 1, 64, 4, 0}), ReplyCode::BadMessage); // no header at the
                                                                                                // address
  EXPECT_EQ(code(MessageKind::DestroyRing, RingRequest{1, 9, 0, 0, 0}), ReplyCode::NoSuchRing);
  EXPECT_EQ(code(MessageKind::Cancel, CancelRequest{1, 0, 12345}), ReplyCode::NoSuchJob);
}

TEST(FirmwareTest, BadDescriptorsFault) {
  TestDriver driver;
  auto faultWith = [&](auto &&change) {
    JobDescriptor job = driver.makeJob({stream(kMac, {})});
    change(job);
    return static_cast<FaultCode>(driver.run(job).faultCode);
  };
  EXPECT_EQ(faultWith([](JobDescriptor &) {}), FaultCode::None);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { ++d.encodingVersion; }), FaultCode::VersionMismatch);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { ++d.targetFingerprint; }), FaultCode::TargetMismatch);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { ++d.context; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.priority = kMaxPriority + 1; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.flags = 1; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.streamCount = 0; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.regionCount = kMaxRegions + 1; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.streamTable += 4; }), FaultCode::BadDescriptor);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.streamTable = 8; }), FaultCode::PageFault);
  EXPECT_EQ(faultWith([](JobDescriptor &d) { d.reserved = 1; }), FaultCode::BadDescriptor);
}

TEST(FirmwareTest, BadStreamTablesFault) {
  TestDriver driver;
  auto faultOfStreams = [&](const std::vector<TestStream> &streams) {
    return static_cast<FaultCode>(driver.run(streams).faultCode);
  };
  EXPECT_EQ(faultOfStreams({stream(kMac, {}), stream(kMac, {})}), FaultCode::BadDescriptor);
  EXPECT_EQ(faultOfStreams({stream({EngineKind::Dma, 1}, {})}), FaultCode::BadDescriptor); // e256 has one channel
  EXPECT_EQ(faultOfStreams({stream({static_cast<EngineKind>(3), 0}, {})}), FaultCode::BadDescriptor);
  EXPECT_EQ(faultOfStreams({TestStream{kMac, {}}}), FaultCode::BadDescriptor);
}

TEST(FirmwareTest, CompletionRaisesEnabledInterrupt) {
  TestDriver driver;
  int calls = 0;
  driver.device().setInterruptHandler([&] {
    ++calls;
    EXPECT_EQ(driver.readRegister(Register::InterruptStatus) & interrupt::kCompletion, interrupt::kCompletion);
    driver.writeRegister(Register::InterruptClear, interrupt::kCompletion);
  });
  driver.run({stream(kMac, {})});
  EXPECT_EQ(calls, 0); // not enabled
  driver.writeRegister(Register::InterruptClear, ~0u);
  driver.writeRegister(Register::InterruptEnable, interrupt::kCompletion);
  driver.run({stream(kMac, {})});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(driver.readRegister(Register::InterruptStatus), 0u);
}

TEST(FirmwareTest, HigherPriorityAndEarlierDeadlineGoFirst) {
  TestDriver driver;
  std::vector<uint64_t> order;
  driver.device().setJobObserver([&](const JobProfile &profile) { order.push_back(profile.record.sequence); });
  // Three more rings of the same context, each with one job; then all bells.
  std::vector<Pages> rings;
  std::vector<uint64_t> sequences;
  const uint32_t priorities[] = {1, 5, 5};
  const uint64_t deadlines[] = {kNoDeadline, 9'000'000'000, 8'000'000'000};
  for (uint32_t i = 0; i < 3; ++i) {
    Pages &pages = rings.emplace_back(4096);
    driver.map(pages);
    auto &header = *reinterpret_cast<RingHeader *>(pages.data());
    header.magic = kRingMagic, header.entries = 4, header.entryBytes = sizeof(JobDescriptor);
    ASSERT_EQ(TestDriver::codeOf(driver.send(MessageKind::CreateRing,
                                             RingRequest{TestDriver::kContext, i + 1, pages.address(), 4, 0})),
              ReplyCode::Ok);
    JobDescriptor job = driver.makeJob({stream(kMac, {})});
    job.priority = priorities[i], job.deadlineNs = deadlines[i];
    std::memcpy(pages.data() + sizeof(RingHeader), &job, sizeof(job));
    header.tail = 1;
    sequences.push_back(job.sequence);
  }
  for (uint32_t i = 0; i < 3; ++i)
    driver.writeRegister(Register::RingBell, i + 1);
  driver.device().run();
  EXPECT_EQ(order, (std::vector<uint64_t>{sequences[2], sequences[1], sequences[0]}));
}

TEST(FirmwareTest, RingRunsManyJobsInOrder) {
  TestDriver driver;
  std::vector<uint64_t> order, expected;
  driver.device().setJobObserver([&](const JobProfile &profile) { order.push_back(profile.record.sequence); });
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < TestDriver::kEntries; ++i) {
      JobDescriptor job = driver.makeJob({stream(kMac, {})});
      expected.push_back(job.sequence);
      driver.push(job);
    }
    driver.ring();
    driver.device().run();
    EXPECT_EQ(driver.ringHeader().head, driver.ringHeader().tail);
  }
  EXPECT_EQ(order, expected);
}

TEST(FirmwareTest, RingWithBadTailIsIgnored) {
  TestDriver driver;
  driver.ringHeader().tail = 1000;
  driver.ring();
  driver.device().run();
  EXPECT_EQ(driver.ringHeader().head, 0u);
}

TEST(FirmwareTest, HaltedDeviceKeepsJobs) {
  TestDriver driver;
  driver.writeRegister(Register::Control, 0);
  EXPECT_EQ(driver.readRegister(Register::Status), static_cast<uint32_t>(DeviceState::Halted));
  JobDescriptor job = driver.makeJob({stream(kMac, {})});
  driver.push(job);
  driver.ring();
  driver.device().run();
  EXPECT_EQ(driver.recordOf(job).state, static_cast<uint32_t>(JobState::Pending));
  driver.writeRegister(Register::Control, control::kRun);
  driver.device().run();
  EXPECT_EQ(driver.recordOf(job).state, static_cast<uint32_t>(JobState::Complete));
}

TEST(FirmwareTest, ResetRequiresNewHandShake) {
  TestDriver driver;
  driver.writeRegister(Register::Control, control::kRun | control::kReset);
  EXPECT_EQ(driver.readRegister(Register::Status), static_cast<uint32_t>(DeviceState::Resetting));
  driver.device().run();
  EXPECT_EQ(driver.readRegister(Register::Status), static_cast<uint32_t>(DeviceState::Ready));
  EXPECT_EQ(TestDriver::codeOf(driver.send(MessageKind::CreateContext, ContextRequest{5, 0, {}})),
            ReplyCode::VersionMismatch);
  driver.send(MessageKind::Hello, HelloRequest{kInterfaceVersion, kInterfaceVersion, kEncodingVersion, 0});
  EXPECT_EQ(TestDriver::codeOf(driver.send(MessageKind::CreateContext, ContextRequest{5, 0, {}})), ReplyCode::Ok);
}

TEST(FirmwareTest, AccessToForeignContextMemoryFaults) {
  TestDriver driver;
  Pages secret(4096);
  secret.data()[0] = 42;
  ASSERT_EQ(TestDriver::codeOf(driver.send(MessageKind::CreateContext, ContextRequest{2, 0, {}})), ReplyCode::Ok);
  driver.map(secret, access::kRead | access::kWrite, 2);
  auto record = driver.run({stream(kDma, {load(1, 0, 0, 16)})}, {{secret.address(), 4096}});
  EXPECT_EQ(record.faultCode, static_cast<uint32_t>(FaultCode::PageFault));
}

/// Context numbers are reused for other clients.
TEST(FirmwareTest, ReusedContextNumberStartsWithClearedSram) {
  TestDriver driver;
  TestClient former(driver, 2, 1);
  std::fill_n(former.data(), 256, uint8_t{42});
  former.submit(former.makeJob({stream(kDma, {load(1, 0, 512, 256)})}));
  driver.device().run();
  ASSERT_EQ(former.destroy(), ReplyCode::Ok);

  TestClient client(driver, 2, 2);
  std::fill_n(client.data(), 256, uint8_t{1});
  const JobDescriptor job = client.makeJob({stream(kDma, {store(1, 0, 512, 256)})});
  client.submit(job);
  driver.device().run();
  ASSERT_EQ(client.recordOf(job).state, static_cast<uint32_t>(JobState::Complete));
  EXPECT_EQ(std::count(client.data(), client.data() + 256, 0), 256);
}

TEST(FirmwareTest, DestroyedContextEndsItsQueuedJobs) {
  TestDriver driver;
  JobDescriptor first = driver.makeJob({stream(kMac, {})}), second = driver.makeJob({stream(kMac, {})});
  driver.push(first);
  driver.push(second);
  driver.ring();
  bool posted = false; // while the first job ends, the second is queued
  driver.device().setJobObserver([&](const JobProfile &) {
    if (!std::exchange(posted, true))
      driver.post(MessageKind::DestroyContext, ContextRequest{TestDriver::kContext, 0, {}});
  });
  driver.device().run();
  EXPECT_EQ(driver.recordOf(first).state, static_cast<uint32_t>(JobState::Complete));
  EXPECT_EQ(driver.recordOf(second).faultCode, static_cast<uint32_t>(FaultCode::Cancelled));
  EXPECT_EQ(TestDriver::codeOf(driver.send(MessageKind::DestroyContext, ContextRequest{TestDriver::kContext, 0, {}})),
            ReplyCode::NoSuchContext);
}

TEST(FirmwareTest, QueuedJobIsCancelled) {
  TestDriver driver;
  JobDescriptor first = driver.makeJob({stream(kMac, {})}), second = driver.makeJob({stream(kMac, {})});
  driver.push(first);
  driver.push(second);
  driver.ring();
  bool posted = false;
  driver.device().setJobObserver([&](const JobProfile &) {
    if (!std::exchange(posted, true))
      driver.post(MessageKind::Cancel, CancelRequest{TestDriver::kContext, TestDriver::kRing, second.sequence});
  });
  driver.device().run();
  EXPECT_EQ(driver.recordOf(first).state, static_cast<uint32_t>(JobState::Complete));
  EXPECT_EQ(driver.recordOf(second).faultCode, static_cast<uint32_t>(FaultCode::Cancelled));
}

/// A thread of the driver may cancel a job before the submitting thread has rung the bell.
TEST(FirmwareTest, JobIsCancelledBeforeItsBell) {
  TestDriver driver;
  const JobDescriptor job = driver.makeJob({stream(kMac, {})});
  driver.push(job);
  const CancelRequest cancel{TestDriver::kContext, TestDriver::kRing, job.sequence};
  EXPECT_EQ(TestDriver::codeOf(driver.send(MessageKind::Cancel, cancel)), ReplyCode::Ok);
  driver.ring();
  driver.device().run();
  EXPECT_EQ(driver.recordOf(job).faultCode, static_cast<uint32_t>(FaultCode::Cancelled));
}

/// A message that destroys the running job's context ends the job and is answered afterwards.
TEST(FirmwareTest, RunningJobEndsWithItsContext) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  std::vector<CommandBody> loads(100000, load(1, 0, 0, 4096));
  JobDescriptor job = driver.makeJob({stream(kDma, loads)}, {{data.address(), 4096}});
  driver.push(job);
  driver.ring();
  std::thread device([&] { driver.device().run(); });
  // The device takes the descriptor when it moves the head; it may write the word during this thread's read.
  while (std::atomic_ref(driver.ringHeader().head).load(std::memory_order_acquire) == 0)
    std::this_thread::yield();
  driver.post(MessageKind::DestroyContext, ContextRequest{TestDriver::kContext, 0, {}});
  device.join();
  driver.device().run(); // for a bell that came too late for the thread
  EXPECT_EQ(driver.recordOf(job).faultCode, static_cast<uint32_t>(FaultCode::Cancelled));
  EXPECT_EQ(TestDriver::codeOf(driver.send(MessageKind::DestroyContext, ContextRequest{TestDriver::kContext, 0, {}})),
            ReplyCode::NoSuchContext);
}

TEST(FirmwareTest, CyclesContinueAcrossJobs) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  auto first = driver.run({stream(kDma, {load(1, 0, 0, 1024)})}, {{data.address(), 4096}});
  auto second = driver.run({stream(kDma, {load(1, 0, 0, 1024)})}, {{data.address(), 4096}});
  EXPECT_EQ(first.endCycle - first.startCycle, first.counters.cycles);
  EXPECT_EQ(second.startCycle, first.endCycle);
  EXPECT_EQ(driver.readRegister(Register::CycleCountLow), second.endCycle);
  EXPECT_EQ(driver.readRegister(Register::CycleCountHigh), 0u);
}

} // namespace
} // namespace avocet::sim::test
