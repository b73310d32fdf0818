//===- SafetyTest.cpp - Callers that must not get what they ask for -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "avocet/firmware_iface/Version.h"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace avocet::kmod {
namespace {

constexpr uint32_t kBytes = 4096;
constexpr uint64_t kOwnRange = uint64_t{1} << 41;

/// Shares a buffer with another file; its handle there.
uint32_t share(const Driver &from, uint32_t handle, uint32_t mode, const Driver &to) {
  DrmPrimeHandle exported{handle, O_CLOEXEC | mode, -1};
  EXPECT_EQ(from.call(kHandleToFd, &exported), 0);
  const FileDescriptor file(exported.fd);
  DrmPrimeHandle imported{0, 0, file.get()};
  EXPECT_EQ(to.call(kFdToHandle, &imported), 0);
  return imported.handle;
}

uint32_t flagsOf(const Driver &driver, uint32_t handle) {
  avocet_bo_info info{};
  info.handle = handle;
  EXPECT_EQ(driver.call(AVOCET_IOCTL_BO_INFO, &info), 0);
  return info.flags;
}

TEST(SafetyTest, ReadOnlyDescriptorGivesNoWriteAccess) {
  Driver owner, guest;
  const uint32_t handle = share(owner, owner.makeBuffer(kBytes), O_RDONLY, guest);
  const uint32_t context = guest.makeContext();
  uint64_t address = 0;
  EXPECT_TRUE(flagsOf(guest, handle) & AVOCET_BO_READ_ONLY);
  EXPECT_EQ(guest.map(context, handle, AVOCET_ACCESS_READ | AVOCET_ACCESS_WRITE, address), EACCES);
  EXPECT_EQ(guest.map(context, handle, AVOCET_ACCESS_READ, address), 0);
}

TEST(SafetyTest, WritableDescriptorSharesThePages) {
  Driver owner, guest;
  const uint32_t buffer = owner.makeBuffer(kBytes);
  const uint32_t handle = share(owner, buffer, O_RDWR, guest);
  EXPECT_FALSE(flagsOf(guest, handle) & AVOCET_BO_READ_ONLY);
  CopyJob job(guest, kBytes);
  uint64_t address = 0;
  ASSERT_EQ(guest.map(job.context(), handle, AVOCET_ACCESS_WRITE, address), 0);
  job.writeTo(address);
  ASSERT_EQ(job.run().state, AVOCET_JOB_COMPLETE);
  EXPECT_TRUE(std::ranges::equal(owner.memory(buffer), job.input()));
}

TEST(SafetyTest, DeviceWritesABufferOfAnotherDriver) {
  const FileDescriptor memory(::memfd_create("pool", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(memory.get(), kBytes), 0);
  ASSERT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  const FileDescriptor maker(::open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
  udmabuf_create create{static_cast<uint32_t>(memory.get()), UDMABUF_FLAGS_CLOEXEC, 0, kBytes};
  const FileDescriptor buffer(::ioctl(maker.get(), UDMABUF_CREATE, &create));
  ASSERT_TRUE(buffer.isValid());
  Driver driver;
  CopyJob job(driver, kBytes);
  DrmPrimeHandle imported{0, 0, buffer.get()};
  ASSERT_EQ(driver.call(kFdToHandle, &imported), 0);
  uint64_t address = 0;
  ASSERT_EQ(driver.map(job.context(), imported.handle, AVOCET_ACCESS_WRITE, address), 0);
  job.writeTo(address);
  ASSERT_EQ(job.run().state, AVOCET_JOB_COMPLETE);
  Result<Mapping> seen = Mapping::map(memory.get(), kBytes, Mapping::Access::ReadWrite);
  ASSERT_TRUE(seen.isOk());
  EXPECT_TRUE(std::ranges::equal(seen->bytes(), job.input()));
}

TEST(SafetyTest, JobsCannotNameTheDriversMemory) {
  Driver driver;
  CopyJob job(driver, kBytes);
  job.writeTo(kOwnRange);
  avocet_submit call = job.submission();
  EXPECT_EQ(job.submit(call), EINVAL);
  job.writeTo(kOwnRange - 1);
  call = job.submission();
  EXPECT_EQ(job.submit(call), EINVAL);
  CopyJob other(driver, kBytes);
  other.stream().device_address = kOwnRange + 64;
  call = other.submission();
  EXPECT_EQ(other.submit(call), EINVAL);
  call = CopyJob(driver, kBytes).submission();
  call.control_program = kOwnRange;
  call.control_words = 1;
  EXPECT_EQ(driver.call(AVOCET_IOCTL_SUBMIT, &call), EINVAL);
}

TEST(SafetyTest, BufferLargerThanTheMachineIsRefused) {
  Driver driver;
  avocet_bo_create create{};
  create.size = uint64_t{1} << 37;
  EXPECT_EQ(driver.call(AVOCET_IOCTL_BO_CREATE, &create), ENOMEM);
}

TEST(SafetyTest, QueryOfUnknownDataIsRefused) {
  Driver driver;
  for (const uint32_t what : {1U, 3U, UINT32_MAX}) {
    avocet_query query{.what = what, .pad = 0, .data = 0, .size = 0};
    EXPECT_EQ(driver.call(AVOCET_IOCTL_QUERY, &query), EINVAL) << what;
  }
  avocet_counters counters{};
  avocet_query query{
      .what = AVOCET_QUERY_COUNTERS, .pad = 0, .data = reinterpret_cast<uintptr_t>(&counters), .size = 8};
  EXPECT_EQ(driver.call(AVOCET_IOCTL_QUERY, &query), ENOSPC);
}

std::string kernelMessages() {
  std::string text(1 << 18, '\0');
  const int bytes = ::klogctl(3 /* read all */, text.data(), static_cast<int>(text.size()));
  text.resize(std::max(bytes, 0));
  return text;
}

// The registers are plain memory, so that another version can be written there while no driver is bound.
TEST(SafetyTest, OtherFirmwareVersionIsRefusedWithBothVersions) {
  const std::filesystem::path device = std::filesystem::canonical("/sys/class/accel/accel0/device");
  const std::string bus = "/sys/bus/pci/drivers/avocet-ivshmem/", name = device.filename();
  writeText(bus + "unbind", name);
  const FileDescriptor file(::open((device / "resource2").c_str(), O_RDWR | O_CLOEXEC));
  auto *words =
      static_cast<volatile uint32_t *>(::mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
  ASSERT_NE(words, MAP_FAILED);
  volatile uint32_t &version = words[48 + 1]; // struct avocet_ivshmem: registers[1]
  const uint32_t found = version;
  version = 9u << 16 | 4;
  const FileDescriptor bind(::open((bus + "bind").c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_LT(::write(bind.get(), name.data(), name.size()), 0);
  EXPECT_THAT(kernelMessages(), testing::HasSubstr("the firmware has interface 9.4 and command encoding " +
                                                   std::to_string(firmware::kEncodingVersion) +
                                                   ", but this driver accepts interface 1.0 and higher"));
  version = found;
  writeText(bus + "bind", name);
  Driver driver;
  EXPECT_EQ(CopyJob(driver, kBytes).run().state, AVOCET_JOB_COMPLETE);
}

} // namespace
} // namespace avocet::kmod
