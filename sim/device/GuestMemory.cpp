//===- GuestMemory.cpp - Memory of a virtual machine -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuestMemory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace avocet::sim {

namespace {

/// QEMU's machine q35 has the rest of a larger memory above 4 GiB.
constexpr uint64_t kLowBytes = uint64_t{2} << 30;
constexpr uint64_t kHighAddress = uint64_t{4} << 30;

} // namespace

Result<GuestMemory> GuestMemory::open(const std::string &path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.isValid())
    return errnoStatus(errno, "cannot open the guest's memory " + path);
  AVOCET_ASSIGN_OR_RETURN(const uint64_t bytes, fileSize(file, path));
  if (bytes == 0)
    return invalidArgument("the guest's memory " + path + " is empty");
  GuestMemory memory;
  AVOCET_ASSIGN_OR_RETURN(memory.memory_, Mapping::map(file.get(), bytes, Mapping::Access::ReadWrite));
  return memory;
}

Status GuestMemory::attachTo(Device &device) {
  const std::span<uint8_t> all = memory_.bytes();
  const size_t low = std::min<size_t>(all.size(), kLowBytes);
  AVOCET_RETURN_IF_ERROR(device.attachMemory(0, all.first(low)));
  return low == all.size() ? Status::ok() : device.attachMemory(kHighAddress, all.subspan(low));
}

std::span<uint8_t> GuestMemory::at(uint64_t address, uint64_t bytes) {
  const std::span<uint8_t> all = memory_.bytes();
  const size_t low = std::min<size_t>(all.size(), kLowBytes);
  const bool isHigh = address >= kHighAddress;
  const std::span<uint8_t> part = isHigh ? all.subspan(low) : all.first(low);
  const uint64_t offset = isHigh ? address - kHighAddress : address;
  return offset < part.size() && bytes <= part.size() - offset ? part.subspan(offset, bytes) : std::span<uint8_t>();
}

} // namespace avocet::sim
