//===- FaultTest.cpp - The kernel driver on a device that fails -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a virtual machine whose device reads its faults (scripts/kernelGuest --faults), with a job time-out of the driver
// of about a second. Each test makes the device fail in one way; the same device must work afterwards. The last test
// ends the device, so the order of the tests matters.
//
//===----------------------------------------------------------------------===//

#include "../uapi/Module.h"
#include "../uapi/SyncFile.h"
#include "Driver.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace avocet::kmod {
namespace {

using uapi::signals;
using uapi::statusOf;

constexpr uint32_t kBytes = 64;
constexpr uint32_t kHardwareError = 17;
constexpr std::chrono::milliseconds kPatience{60'000};

/// The device obeys before its next write or interrupt. "" ends all faults.
void setFaults(const std::string &plan) {
  constexpr off_t kPort = 0xe9;
  const FileDescriptor ports(::open("/dev/port", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(ports.isValid()) << "this test runs in scripts/kernelGuest only";
  for (const char byte : plan + "\n")
    ASSERT_EQ(::pwrite(ports.get(), &byte, 1, kPort), 1);
}

int createContext(const Driver &driver) {
  avocet_context_create create{};
  return driver.call(AVOCET_IOCTL_CONTEXT_CREATE, &create);
}

int reset(const Driver &driver) {
  avocet_reset args{};
  return driver.call(AVOCET_IOCTL_RESET, &args);
}

/// A file with a job that has run, and a buffer to map, which takes one message to the device.
struct Client {
  Driver driver;
  CopyJob job{driver, kBytes};
  uint32_t buffer = driver.makeBuffer(kBytes);

  Client() { EXPECT_EQ(job.run().state, AVOCET_JOB_COMPLETE); }

  int mapBuffer() const {
    uint64_t address = 0;
    return driver.map(job.context(), buffer, AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE, address);
  }

  uint64_t submit(FileDescriptor &fence) const {
    avocet_submit call = job.submission();
    call.flags = AVOCET_SUBMIT_OUT_FENCE;
    EXPECT_EQ(job.submit(call), 0);
    fence = FileDescriptor(call.out_fence);
    return call.job;
  }
};

/// Each test leaves a device that works.
class FaultTest : public testing::Test {
protected:
  /// The plan spoils the answer to one call. All calls fail then until a reset, which contexts survive.
  static void loseDeviceBy(const std::string &plan) {
    Client client;
    setFaults(plan);
    EXPECT_EQ(client.mapBuffer(), ENODEV);
    EXPECT_EQ(client.mapBuffer(), ENODEV);
    EXPECT_EQ(createContext(Driver()), ENODEV);
    ASSERT_EQ(reset(client.driver), 0);
    EXPECT_EQ(client.job.run().state, AVOCET_JOB_COMPLETE);
  }

  void TearDown() override {
    setFaults("");
    const Driver driver;
    if (createContext(driver) == ENODEV) // the device is lost
      ASSERT_EQ(reset(driver), 0);
    const Client works;
  }
};

TEST_F(FaultTest, LateInterruptsDelayOnly) {
  setFaults("late=100");
  const Client works;
}

TEST_F(FaultTest, JobWithLostInterruptCompletesAfterTimeout) {
  Client client;
  setFaults("lose-interrupts=1");
  EXPECT_EQ(client.job.run().state, AVOCET_JOB_COMPLETE);
}

TEST_F(FaultTest, JobWithLostBellRunsAfterTimeout) {
  Client client;
  setFaults("lose-bells=1");
  EXPECT_EQ(client.job.run().state, AVOCET_JOB_COMPLETE);
}

TEST_F(FaultTest, AnswerWithLostInterruptIsFound) {
  Client client;
  setFaults("lose-interrupts=1");
  EXPECT_EQ(client.mapBuffer(), 0);
}

TEST_F(FaultTest, WrongSequenceLosesDeviceUntilReset) { loseDeviceBy("wrong-sequences=1"); }
TEST_F(FaultTest, WrongLengthLosesDeviceUntilReset) { loseDeviceBy("wrong-lengths=1"); }
TEST_F(FaultTest, UnknownCodeLosesDeviceUntilReset) { loseDeviceBy("wrong-codes=1"); }
TEST_F(FaultTest, MissingAnswerLosesDeviceUntilReset) { loseDeviceBy("lose-messages=1"); }

TEST_F(FaultTest, LostDeviceKeepsPagesUntilReset) {
  Client client, other;
  setFaults("lose-messages=1");
  avocet_unmap unmap{client.job.context(), 0, client.job.outputAddress()};
  EXPECT_EQ(client.driver.call(AVOCET_IOCTL_UNMAP, &unmap), ENODEV);
  avocet_context_destroy destroy{other.job.context(), 0};
  EXPECT_EQ(other.driver.call(AVOCET_IOCTL_CONTEXT_DESTROY, &destroy), 0);
  EXPECT_THAT(readText(debugFolder() + "/mappings"), testing::HasSubstr("held"));
  EXPECT_THAT(readText(debugFolder() + "/contexts"), testing::HasSubstr("held"));
  ASSERT_EQ(reset(client.driver), 0);
  EXPECT_THAT(readText(debugFolder() + "/mappings"), testing::Not(testing::HasSubstr("held")));
  EXPECT_THAT(readText(debugFolder() + "/contexts"), testing::Not(testing::HasSubstr("held")));
}

TEST_F(FaultTest, GarbageRecordEndsItsJobOnly) {
  Client client;
  for (int round = 0; round < 20; ++round) {
    setFaults("garbage-records=1");
    FileDescriptor fence;
    const uint64_t job = client.submit(fence);
    const uint32_t state = client.driver.wait(client.job.context(), job).state;
    EXPECT_THAT(state, testing::AnyOf(AVOCET_JOB_COMPLETE, AVOCET_JOB_FAULTED));
    ASSERT_TRUE(signals(fence, kPatience));
    EXPECT_EQ(statusOf(fence) == 1, state == AVOCET_JOB_COMPLETE);
    EXPECT_EQ(client.job.run().state, AVOCET_JOB_COMPLETE);
  }
}

TEST_F(FaultTest, SilentDeviceEndsJobsWithHardwareError) {
  Client client;
  setFaults("silent=1");
  FileDescriptor fence;
  const uint64_t job = client.submit(fence);
  const avocet_wait result = client.driver.wait(client.job.context(), job);
  EXPECT_EQ(result.state, AVOCET_JOB_FAULTED);
  EXPECT_EQ(result.fault_code, kHardwareError);
  ASSERT_TRUE(signals(fence, kPatience));
  EXPECT_EQ(statusOf(fence), -EIO);
  avocet_submit call = client.job.submission();
  EXPECT_EQ(client.job.submit(call), ENODEV);
  EXPECT_EQ(reset(client.driver), ENODEV);
}

TEST_F(FaultTest, BindingFailsWhileDeviceDoesNotAnswer) {
  const std::string function = uapi::findFunction();
  ASSERT_TRUE(uapi::unbind(function));
  setFaults("lose-messages=1");
  EXPECT_FALSE(uapi::bind(function));
  EXPECT_EQ(uapi::findFunction(), "");
  setFaults("");
  EXPECT_TRUE(uapi::bind(function));
}

// The last one: the machine has no device any more. scripts/kernelGuest then unloads the driver.
TEST(LastFaultTest, EndOfDeviceGivesErrors) {
  Client client;
  setFaults("exit=1");
  EXPECT_EQ(client.job.run().state, AVOCET_JOB_FAULTED);
  EXPECT_EQ(client.mapBuffer(), ENODEV);
  EXPECT_EQ(reset(client.driver), ENODEV);
  EXPECT_EQ(createContext(Driver()), ENODEV);
}

} // namespace
} // namespace avocet::kmod
