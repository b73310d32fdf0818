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

#include "../../runtime/CopyProgram.h"
#include "avocet/base/File.h"
#include "avocet_accel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>

namespace avocet::test {
namespace {

constexpr uint32_t kBytes = 64;
constexpr uint32_t kHardwareError = 17;
constexpr uint64_t kPage = AVOCET_PAGE_BYTES;

/// The device obeys before its next write or interrupt. "" ends all faults.
void setFaults(const std::string &plan) {
  constexpr off_t kPort = 0xe9;
  const FileDescriptor ports(::open("/dev/port", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(ports.isValid()) << "this test runs in scripts/kernelGuest only";
  for (const char byte : plan + "\n")
    ASSERT_EQ(::pwrite(ports.get(), &byte, 1, kPort), 1);
}

/// An open device with a context that can copy.
class Client {
public:
  Client() : file_(::open("/dev/accel/accel0", O_RDWR | O_CLOEXEC)) {}

  template <typename T> int call(unsigned long request, T &argument) const {
    int result;
    do
      result = ::ioctl(file_.get(), request, &argument);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
  }

  /// The error of the first call that failed, or 0.
  int prepare() {
    avocet_context_create context{};
    if (const int error = call(AVOCET_IOCTL_CONTEXT_CREATE, context); error != 0)
      return error;
    context_ = context.context;
    const std::vector<uint32_t> program = runtime::test::copyProgram(kBytes);
    words_ = static_cast<uint32_t>(program.size());
    return fill(code_, program.data(), program.size() * sizeof(uint32_t));
  }

  /// The first part of prepare() once more, for a buffer of its own.
  int mapPage(uint64_t &address) {
    avocet_bo_create buffer{kPage, 0, 0, 0};
    if (const int error = call(AVOCET_IOCTL_BO_CREATE, buffer); error != 0)
      return error;
    avocet_map map{context_, buffer.handle, AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE, 0, 0};
    const int error = call(AVOCET_IOCTL_MAP, map);
    address = map.device_address;
    return error;
  }

  int submit(uint64_t &job, int *fence = nullptr) {
    if (data_ == 0)
      if (const int error = mapPage(data_); error != 0)
        return error;
    const avocet_stream stream{AVOCET_ENGINE_DMA, 0, code_, words_, 0};
    const avocet_region regions[] = {{data_, kBytes, AVOCET_ACCESS_READ, 0},
                                     {data_ + kBytes, kBytes, AVOCET_ACCESS_WRITE, 0}};
    avocet_submit args{};
    args.context = context_;
    args.flags = fence ? AVOCET_SUBMIT_OUT_FENCE : 0;
    args.streams = reinterpret_cast<uint64_t>(&stream);
    args.regions = reinterpret_cast<uint64_t>(regions);
    args.stream_count = 1;
    args.region_count = 2;
    args.target_fingerprint = param(AVOCET_PARAM_TARGET_FINGERPRINT);
    args.encoding_version = static_cast<uint32_t>(param(AVOCET_PARAM_ENCODING_VERSION));
    const int error = call(AVOCET_IOCTL_SUBMIT, args);
    job = args.job;
    if (fence)
      *fence = args.out_fence;
    return error;
  }

  int wait(uint64_t job, avocet_wait &result) {
    result = {};
    result.context = context_;
    result.job = job;
    result.timeout_ns = -1;
    return call(AVOCET_IOCTL_WAIT, result);
  }

  /// How a job ended: AVOCET_JOB_, or nothing if a call failed.
  std::optional<uint32_t> runJob() {
    uint64_t job = 0;
    avocet_wait result;
    if (submit(job) != 0 || wait(job, result) != 0)
      return std::nullopt;
    return result.state;
  }

  int reset() {
    avocet_reset args{};
    return call(AVOCET_IOCTL_RESET, args);
  }

private:
  int fill(uint64_t &address, const void *data, size_t bytes) {
    avocet_bo_create buffer{kPage, 0, 0, 0};
    if (const int error = call(AVOCET_IOCTL_BO_CREATE, buffer); error != 0)
      return error;
    void *memory =
        ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), static_cast<off_t>(buffer.mmap_offset));
    if (memory == MAP_FAILED)
      return errno;
    std::memcpy(memory, data, bytes);
    ::munmap(memory, kPage);
    avocet_map map{context_, buffer.handle, AVOCET_ACCESS_READ, 0, 0};
    const int error = call(AVOCET_IOCTL_MAP, map);
    address = map.device_address;
    return error;
  }

  uint64_t param(uint32_t number) const {
    avocet_get_param args{number, 0, 0};
    return call(AVOCET_IOCTL_GET_PARAM, args) == 0 ? args.value : 0;
  }

  FileDescriptor file_;
  uint32_t context_ = 0, words_ = 0;
  uint64_t code_ = 0, data_ = 0;
};

int statusOfFence(int fence) {
  struct {
    char name[32];
    int32_t status;
    uint32_t flags, count, pad;
    uint64_t fences;
  } info{};
  return ::ioctl(fence, _IOWR('>', 4, info), &info) == 0 ? info.status : -errno;
}

const std::filesystem::path kDriver = "/sys/bus/pci/drivers/avocet-ivshmem";

/// One write: a stream would repeat one that failed.
bool writeText(const std::filesystem::path &path, const std::string &text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.isValid() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string boundDevice() {
  for (const auto &entry : std::filesystem::directory_iterator(kDriver))
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front())))
      return entry.path().filename();
  return "";
}

/// Each test leaves a device that works.
class FaultTest : public testing::Test {
protected:
  /// The plan spoils the answer to one call. All calls fail then until a reset, which contexts survive.
  static void loseDeviceBy(const std::string &plan) {
    Client client;
    ASSERT_EQ(client.prepare(), 0);
    setFaults(plan);
    uint64_t address = 0;
    EXPECT_EQ(client.mapPage(address), ENODEV);
    EXPECT_EQ(client.mapPage(address), ENODEV);
    Client other;
    EXPECT_EQ(other.prepare(), ENODEV);
    ASSERT_EQ(client.reset(), 0);
    EXPECT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
  }

  void TearDown() override {
    setFaults("");
    Client client;
    if (client.prepare() != 0) { // the device is lost
      Client other;
      ASSERT_EQ(other.reset(), 0);
      Client fresh;
      ASSERT_EQ(fresh.prepare(), 0);
      EXPECT_EQ(fresh.runJob(), AVOCET_JOB_COMPLETE);
      return;
    }
    EXPECT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
  }
};

TEST_F(FaultTest, LateInterruptsDelayOnly) {
  setFaults("late=100");
  Client client;
  ASSERT_EQ(client.prepare(), 0);
  EXPECT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
}

TEST_F(FaultTest, JobWithLostInterruptCompletesAfterTimeout) {
  Client client;
  ASSERT_EQ(client.prepare(), 0);
  ASSERT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
  setFaults("lose-interrupts=1");
  EXPECT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
}

TEST_F(FaultTest, JobWithLostBellRunsAfterTimeout) {
  Client client;
  ASSERT_EQ(client.prepare(), 0);
  ASSERT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
  setFaults("lose-bells=1");
  EXPECT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
}

TEST_F(FaultTest, AnswerWithLostInterruptIsFound) {
  Client client;
  ASSERT_EQ(client.prepare(), 0);
  setFaults("lose-interrupts=1");
  uint64_t address = 0;
  EXPECT_EQ(client.mapPage(address), 0);
}

TEST_F(FaultTest, WrongSequenceLosesDeviceUntilReset) { loseDeviceBy("wrong-sequences=1"); }
TEST_F(FaultTest, WrongLengthLosesDeviceUntilReset) { loseDeviceBy("wrong-lengths=1"); }
TEST_F(FaultTest, UnknownCodeLosesDeviceUntilReset) { loseDeviceBy("wrong-codes=1"); }
TEST_F(FaultTest, MissingAnswerLosesDeviceUntilReset) { loseDeviceBy("lose-messages=1"); }

TEST_F(FaultTest, GarbageRecordEndsItsJobOnly) {
  Client client;
  ASSERT_EQ(client.prepare(), 0);
  for (int round = 0; round < 20; ++round) {
    setFaults("garbage-records=1");
    uint64_t job = 0;
    int fence = -1;
    ASSERT_EQ(client.submit(job, &fence), 0);
    const FileDescriptor owner(fence);
    avocet_wait result;
    ASSERT_EQ(client.wait(job, result), 0);
    EXPECT_THAT(result.state, testing::AnyOf(AVOCET_JOB_COMPLETE, AVOCET_JOB_FAULTED));
    pollfd polled{fence, POLLIN, 0};
    ASSERT_EQ(::poll(&polled, 1, 60'000), 1);
    EXPECT_EQ(statusOfFence(fence) == 1, result.state == AVOCET_JOB_COMPLETE);
    EXPECT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
  }
}

TEST_F(FaultTest, SilentDeviceEndsJobsWithHardwareError) {
  Client client;
  ASSERT_EQ(client.prepare(), 0);
  ASSERT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
  setFaults("silent=1");
  uint64_t job = 0;
  int fence = -1;
  ASSERT_EQ(client.submit(job, &fence), 0);
  const FileDescriptor owner(fence);
  avocet_wait result;
  ASSERT_EQ(client.wait(job, result), 0);
  EXPECT_EQ(result.state, AVOCET_JOB_FAULTED);
  EXPECT_EQ(result.fault_code, kHardwareError);
  EXPECT_EQ(statusOfFence(fence), -EIO);
  EXPECT_EQ(client.submit(job), ENODEV);
  EXPECT_EQ(client.reset(), ENODEV);
}

TEST_F(FaultTest, BindingFailsWhileDeviceDoesNotAnswer) {
  const std::string device = boundDevice();
  ASSERT_TRUE(writeText(kDriver / "unbind", device));
  setFaults("lose-messages=1");
  EXPECT_FALSE(writeText(kDriver / "bind", device));
  EXPECT_EQ(boundDevice(), "");
  setFaults("");
  EXPECT_TRUE(writeText(kDriver / "bind", device));
}

// The last one: the machine has no device any more. scripts/kernelGuest then unloads the driver.
TEST(LastFaultTest, EndOfDeviceGivesErrors) {
  Client client;
  ASSERT_EQ(client.prepare(), 0);
  ASSERT_EQ(client.runJob(), AVOCET_JOB_COMPLETE);
  setFaults("exit=1");
  uint64_t job = 0;
  avocet_wait result;
  ASSERT_EQ(client.submit(job), 0);
  ASSERT_EQ(client.wait(job, result), 0);
  EXPECT_EQ(result.state, AVOCET_JOB_FAULTED);
  uint64_t address = 0;
  EXPECT_EQ(client.mapPage(address), ENODEV);
  EXPECT_EQ(client.reset(), ENODEV);
  Client other;
  EXPECT_EQ(other.prepare(), ENODEV);
}

} // namespace
} // namespace avocet::test
