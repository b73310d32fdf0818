//===- DmaBufTest.cpp - Memory of other drivers, and of other files and processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaBuf.h"
#include "Child.h"
#include "Client.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace avocet::uapi {
namespace {

constexpr auto kComplete = uint32_t(AVOCET_JOB_COMPLETE);
constexpr uint64_t kSize = 4 * AVOCET_PAGE_BYTES;

using Maker = DmaBuf (*)(uint64_t);

class DmaBufTest : public testing::TestWithParam<Maker> {
protected:
  uint32_t import(const DmaBuf &buffer) {
    uint32_t handle = 0;
    EXPECT_EQ(device_.importDmaBuf(buffer.fd(), handle), 0);
    return handle;
  }

  Device device_;
  Client client_{device_};
};

TEST_P(DmaBufTest, JobReadsWhatHostWrote) {
  DmaBuf input = GetParam()(kSize);
  const uint32_t handle = import(input);
  input.write(0x5a);
  client_.regions[0].device_address = client_.map(handle, AVOCET_ACCESS_READ);
  EXPECT_EQ(client_.wait(client_.submit(Program::Copy).job).state, kComplete);
  EXPECT_TRUE(client_.hasCopied(0x5a));
  // Written after the import and the mapping, so a copy would be visible as the old value.
  input.write(0xa5);
  EXPECT_EQ(client_.wait(client_.submit(Program::Copy).job).state, kComplete);
  EXPECT_TRUE(client_.hasCopied(0xa5));
  EXPECT_EQ(device_.closeHandle(handle), 0);
}

TEST_P(DmaBufTest, HostReadsWhatJobWrote) {
  DmaBuf output = GetParam()(kSize);
  output.write(0);
  const uint32_t handle = import(output);
  // Across the end of the first page: the pages need not be neighbors in memory.
  client_.regions[1].device_address = client_.map(handle, AVOCET_ACCESS_WRITE) + AVOCET_PAGE_BYTES - 500;
  client_.fill(0x77);
  EXPECT_EQ(client_.wait(client_.submit(Program::Copy).job).state, kComplete);
  const std::vector<uint8_t> bytes = output.read();
  const auto first = bytes.begin() + AVOCET_PAGE_BYTES - 500, last = first + Client::kBytes;
  EXPECT_TRUE(std::all_of(bytes.begin(), first, [](uint8_t byte) { return byte == 0; }));
  EXPECT_TRUE(std::all_of(first, last, [](uint8_t byte) { return byte == 0x77; }));
  EXPECT_TRUE(std::all_of(last, bytes.end(), [](uint8_t byte) { return byte == 0; }));
  EXPECT_EQ(device_.closeHandle(handle), 0);
}

TEST_P(DmaBufTest, ImportedBufferTellsItsSize) {
  const DmaBuf buffer = GetParam()(kSize);
  const uint32_t handle = import(buffer);
  EXPECT_EQ(import(buffer), handle) << "one buffer, one handle";
  avocet_bo_info info{.handle = handle, .flags = 0, .size = 0, .mmap_offset = 0};
  EXPECT_EQ(device_.call(AVOCET_IOCTL_BO_INFO, info), 0);
  EXPECT_EQ(info.size, kSize);
  EXPECT_EQ(info.flags, AVOCET_BO_IMPORTED);
  EXPECT_EQ(info.mmap_offset, 0u);
  EXPECT_EQ(device_.closeHandle(handle), 0);
}

TEST_P(DmaBufTest, BufferStaysUntilJobHasEnded) {
  DmaBuf output = GetParam()(kSize);
  const uint32_t handle = import(output);
  client_.regions[1].device_address = client_.map(handle, AVOCET_ACCESS_WRITE);
  client_.fill(0x21);
  const Submitted gate = client_.submit(Program::Gate);
  EXPECT_EQ(device_.closeHandle(handle), 0);
  output.closeDescriptor();
  client_.openGate();
  EXPECT_EQ(client_.wait(gate.job).state, kComplete);
  EXPECT_EQ(output.read()[0], 0x21);
}

INSTANTIATE_TEST_SUITE_P(Exporters, DmaBufTest, testing::Values(&makeUdmabuf, &makeFromHeap),
                         [](const auto &info) { return info.index == 0 ? "Udmabuf" : "DmaHeap"; });

class PrimeTest : public testing::Test {
protected:
  Device device_;
  Client client_{device_};
  Buffer buffer_{device_, kSize};
};

TEST_F(PrimeTest, OwnBufferComesBackUnderItsHandle) {
  FileDescriptor file;
  uint32_t handle = 0;
  ASSERT_EQ(device_.exportHandle(buffer_.handle(), file), 0);
  EXPECT_EQ(device_.importDmaBuf(file.get(), handle), 0);
  EXPECT_EQ(handle, buffer_.handle());
}

TEST_F(PrimeTest, AnotherFileSharesTheMemory) {
  FileDescriptor file;
  ASSERT_EQ(device_.exportHandle(buffer_.handle(), file), 0);
  const Device other;
  Client consumer(other);
  uint32_t handle = 0;
  ASSERT_EQ(other.importDmaBuf(file.get(), handle), 0);
  consumer.regions[0].device_address = consumer.map(handle, AVOCET_ACCESS_READ);
  client_.regions[1].device_address = client_.map(buffer_.handle(), AVOCET_ACCESS_WRITE);
  client_.fill(0x3c);
  const Submitted produced = client_.submit(Program::Copy);
  const Submitted consumed = consumer.submit(Program::Copy, {produced.fence.get()});
  EXPECT_EQ(consumer.wait(consumed.job).state, kComplete);
  EXPECT_TRUE(consumer.hasCopied(0x3c));
  EXPECT_EQ(other.closeHandle(handle), 0);
}

TEST_F(PrimeTest, AnotherProcessWritesOurBuffer) {
  FileDescriptor file;
  ASSERT_EQ(device_.exportHandle(buffer_.handle(), file), 0);
  Child child([](int socket) {
    const FileDescriptor theirs = receiveDescriptor(socket);
    const Device device;
    Client client(device);
    uint32_t handle = 0;
    if (device.importDmaBuf(theirs.get(), handle) != 0)
      return 1;
    client.regions[1].device_address = client.map(handle, AVOCET_ACCESS_WRITE);
    client.fill(0x44);
    return client.wait(client.submit(Program::Copy).job).state == kComplete ? 0 : 2;
  });
  sendDescriptor(child.socket(), file.get());
  EXPECT_EQ(child.join(), 0);
  EXPECT_EQ(buffer_.bytes()[0], 0x44);
  EXPECT_EQ(buffer_.bytes()[Client::kBytes - 1], 0x44);
  EXPECT_EQ(buffer_.bytes()[Client::kBytes], 0);
}

TEST_F(PrimeTest, ExportedMemoryOutlivesItsFile) {
  FileDescriptor file;
  {
    const Device owner;
    Buffer theirs(owner, kSize);
    theirs.bytes()[0] = 0x99;
    ASSERT_EQ(owner.exportHandle(theirs.handle(), file), 0);
  }
  uint32_t handle = 0;
  ASSERT_EQ(device_.importDmaBuf(file.get(), handle), 0);
  client_.regions[0].device_address = client_.map(handle, AVOCET_ACCESS_READ);
  EXPECT_EQ(client_.wait(client_.submit(Program::Copy).job).state, kComplete);
  EXPECT_EQ(client_.output().bytes()[0], 0x99);
  EXPECT_EQ(device_.closeHandle(handle), 0);
}

TEST_F(PrimeTest, MemoryOfCallerIsUsedInPlace) {
  Result<FileDescriptor> file = createMemoryFile("pool", kSize);
  Mapping memory = std::move(*Mapping::map(file->get(), kSize, Mapping::Access::ReadWrite));
  avocet_bo_import import{
      .address = reinterpret_cast<uintptr_t>(memory.bytes().data()), .size = kSize, .flags = 0, .handle = 0};
  ASSERT_EQ(device_.call(AVOCET_IOCTL_BO_IMPORT, import), 0);
  client_.regions[1].device_address = client_.map(import.handle, AVOCET_ACCESS_WRITE);
  client_.fill(0x66);
  EXPECT_EQ(client_.wait(client_.submit(Program::Copy).job).state, kComplete);
  EXPECT_EQ(memory.bytes()[0], 0x66);
  FileDescriptor exported;
  EXPECT_EQ(device_.exportHandle(import.handle, exported), EPERM);
  EXPECT_EQ(device_.closeHandle(import.handle), 0);
}

TEST_F(PrimeTest, DescriptorsThatAreNoDmaBufsAreRefused) {
  Result<FileDescriptor> file = createMemoryFile("plain", kSize);
  uint32_t handle = 0;
  EXPECT_EQ(device_.importDmaBuf(file->get(), handle), EINVAL);
  EXPECT_EQ(device_.importDmaBuf(-1, handle), EBADF);
  FileDescriptor none;
  EXPECT_EQ(device_.exportHandle(54321, none), ENOENT);
}

} // namespace
} // namespace avocet::uapi
