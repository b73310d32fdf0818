//===- FileMemory.cpp - A memory of a descriptor --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/FileMemory.h"

#include "memory/Memory.h"

#include "avocet/base/File.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::nnapi {
namespace {

ApiError unmappable(std::string message) { return {ANEURALNETWORKS_UNMAPPABLE, std::move(message)}; }

/// Maps the range once, as a device will do later.
ApiOutcome checkMappable(int fd, size_t size, int protection, size_t offset) {
  struct stat status{};
  // The kernel maps beyond the end of a file, where an access is a SIGBUS. Other kinds have no size to compare with.
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) < offset + size)
    return unmappable(fmt::format("{} bytes at offset {} of a file of {} bytes", size, offset, status.st_size));
  const long page = sysconf(_SC_PAGESIZE);
  const size_t lead = offset % static_cast<size_t>(page);
  void *address = mmap(nullptr, size + lead, protection, MAP_SHARED, fd, static_cast<off_t>(offset - lead));
  if (address == MAP_FAILED)
    return unmappable(fmt::format("{} bytes at offset {} of descriptor {} cannot be mapped", size, offset, fd));
  munmap(address, size + lead);
  return success();
}

} // namespace

ApiResult<std::shared_ptr<Memory>> FileMemory::fromDescriptor(size_t size, int protection, int fd, size_t offset) {
  if (size == 0 || fd < 0)
    return badData(fmt::format("a memory of {} bytes of descriptor {}; it needs at least 1 byte and an open descriptor",
                               size, fd));
  if (protection == 0 || (protection & ~(PROT_READ | PROT_WRITE)) != 0)
    return badData(fmt::format("protection {}; it must be PROT_READ, PROT_WRITE or both", protection));
  if (!hal::checkedAdd(offset, size).has_value() || offset + size > static_cast<size_t>(INT64_MAX) - 0xFFFF)
    return badData(fmt::format("{} bytes at offset {} are beyond the largest file", size, offset));
  AVOCET_ASSIGN_OR_RETURN(hal::SharedHandle handle, duplicateDescriptor(fd));
  AVOCET_RETURN_IF_ERROR(checkMappable(handle->get(), size, protection, offset));
  auto memory = std::make_shared<const hal::Memory>(hal::Memory{hal::MappableFile{handle, offset, size, protection}});
  return std::shared_ptr<Memory>(std::make_shared<FileMemory>(std::move(memory)));
}

ApiResult<std::shared_ptr<Memory>> FileMemory::fromHardwareBuffer(const AHardwareBuffer *buffer) {
  const auto &stand = *reinterpret_cast<const AvocetHardwareBuffer *>(buffer);
  if (stand.magic != AVOCET_HARDWARE_BUFFER_MAGIC || stand.reserved != 0)
    return badData("the pointer names no AvocetHardwareBuffer");
  if (stand.size == 0 || stand.fd < 0)
    return badData(fmt::format("a hardware buffer of {} bytes of descriptor {}", stand.size, stand.fd));
  AVOCET_ASSIGN_OR_RETURN(hal::SharedHandle handle, duplicateDescriptor(stand.fd));
  AVOCET_RETURN_IF_ERROR(checkMappable(handle->get(), stand.size, PROT_READ | PROT_WRITE, 0));
  auto memory = std::make_shared<const hal::Memory>(hal::Memory{hal::HardwareBuffer{handle, true, stand.size}});
  return std::shared_ptr<Memory>(std::make_shared<FileMemory>(std::move(memory)));
}

uint64_t FileMemory::size() const { return hal::sizeOf(*memory_); }

ApiOutcome FileMemory::checkUse(const MemoryUse & /*use*/, const std::vector<uint32_t> & /*dimensions*/,
                                uint64_t offset, uint64_t length) const {
  return checkConstant(offset, length);
}

ApiOutcome FileMemory::checkConstant(uint64_t offset, uint64_t length) const {
  return checkRange(size(), offset, length);
}

ApiOutcome FileMemory::copyFrom(const Memory &source) { return source.copyTo(memory_); }

ApiOutcome FileMemory::copyTo(const hal::SharedMemory &destination) const { return copyBytes(memory_, destination); }

} // namespace avocet::nnapi
