//===- Device.cpp - The kernel driver's calls, as they are --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <time.h>

namespace avocet::uapi {

int64_t afterNow(std::chrono::nanoseconds time) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec + time.count();
}

static bool isOurs(const std::string &node) {
  const FileDescriptor file(::open(node.c_str(), O_RDWR | O_CLOEXEC));
  char name[16] = {};
  DrmVersion version{};
  version.nameBytes = sizeof(name) - 1;
  version.name = name;
  return ::ioctl(file.get(), kVersion, &version) == 0 && std::strcmp(name, "avocet") == 0;
}

std::string findNode() {
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator("/dev/accel", none))
    if (isOurs(entry.path()))
      return entry.path();
  return {};
}

Device::Device() : file_(::open(findNode().c_str(), O_RDWR | O_CLOEXEC)) {
  EXPECT_TRUE(file_.isValid()) << "no device of the driver in /dev/accel";
}

uint64_t Device::parameter(uint32_t number) const {
  avocet_get_param call{.param = number, .pad = 0, .value = 0};
  EXPECT_EQ(this->call(AVOCET_IOCTL_GET_PARAM, call), 0);
  return call.value;
}

int Device::closeHandle(uint32_t handle) const {
  DrmGemClose call{handle, 0};
  return this->call(kGemClose, call);
}

int Device::exportHandle(uint32_t handle, FileDescriptor &dmaBuf) const {
  DrmPrimeHandle call{handle, O_CLOEXEC | O_RDWR, -1};
  const int error = this->call(kHandleToFd, call);
  dmaBuf = FileDescriptor(error ? -1 : call.fd);
  return error;
}

int Device::importDmaBuf(int dmaBuf, uint32_t &handle) const {
  DrmPrimeHandle call{0, 0, dmaBuf};
  const int error = this->call(kFdToHandle, call);
  handle = call.handle;
  return error;
}

Buffer::Buffer(const Device &device, uint64_t bytes) : device_(device) {
  avocet_bo_create call{.size = bytes, .flags = 0, .handle = 0, .mmap_offset = 0};
  EXPECT_EQ(device.call(AVOCET_IOCTL_BO_CREATE, call), 0);
  handle_ = call.handle;
  Result<Mapping> memory = Mapping::map(device.fd(), bytes, Mapping::Access::ReadWrite, call.mmap_offset);
  EXPECT_TRUE(memory.isOk()) << memory.status().toString();
  if (memory)
    memory_ = std::move(*memory);
}

Buffer::~Buffer() { device_.closeHandle(handle_); }

} // namespace avocet::uapi
