//===- MemoryRules.cpp - Rules of memories --------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <fmt/format.h>

#include <sys/mman.h>

namespace avocet::hal {

using enum Version;

static Outcome checkHandle(const SharedHandle &fd) {
  if (fd == nullptr || !fd->isValid())
    return invalidArgument("the handle has no descriptor");
  return success();
}

static Outcome checkSize(uint64_t size) { return size != 0 ? success() : invalidArgument("size 0, must be positive"); }

namespace {
/// One rule for each kind of handle.
struct HandleRules {
  bool mustBeMappable;

  Result<Version> operator()(const Ashmem &memory) const {
    AVOCET_RETURN_IF_ERROR(checkHandle(memory.fd));
    AVOCET_RETURN_IF_ERROR(checkSize(memory.size));
    return V1_0;
  }

  Result<Version> operator()(const MappableFile &file) const {
    AVOCET_RETURN_IF_ERROR(checkHandle(file.fd));
    AVOCET_RETURN_IF_ERROR(checkSize(file.size));
    if ((file.protection & ~(PROT_READ | PROT_WRITE)) != 0)
      return invalidArgument(fmt::format("protection {}, must be PROT_READ, PROT_WRITE or both", file.protection));
    if (!checkedAdd(file.offset, file.size))
      return invalidArgument(fmt::format("offset {} and size {} exceed 64 bits", file.offset, file.size));
    return V1_0;
  }

  Result<Version> operator()(const HardwareBuffer &buffer) const {
    AVOCET_RETURN_IF_ERROR(checkHandle(buffer.fd));
    if (!buffer.isBlob && mustBeMappable)
      return invalidArgument("a hardware buffer that is no blob");
    if (buffer.isBlob)
      AVOCET_RETURN_IF_ERROR(checkSize(buffer.size));
    return V1_2;
  }

  Result<Version> operator()(const UnknownHandle &handle) const {
    return invalidArgument(fmt::format("memory of the unknown kind '{}'", handle.name));
  }
};
} // namespace

Result<Version> validate(const SharedMemory &memory, bool mustBeMappable) {
  if (memory == nullptr)
    return invalidArgument("there is no memory");
  return std::visit(HandleRules{mustBeMappable}, memory->handle);
}

} // namespace avocet::hal
