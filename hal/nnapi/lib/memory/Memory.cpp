//===- Memory.cpp - A memory of the application -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/Memory.h"

#include "avocet/base/File.h"
#include "avocet/hal/types/Utils.h"

#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::nnapi {

ApiOutcome checkRange(uint64_t size, uint64_t offset, uint64_t length) {
  auto end = hal::checkedAdd(offset, length);
  if (length == 0 || !end.has_value() || *end > size)
    return badData(fmt::format("{} bytes at offset {} of a memory of {} bytes", length, offset, size));
  return success();
}

namespace {

struct Place {
  int fd = -1;
  uint64_t offset = 0;
  uint64_t size = 0;
  int protection = PROT_READ | PROT_WRITE;
};

struct PlaceOf {
  Place operator()(const hal::Ashmem &memory) const { return {memory.fd->get(), 0, memory.size}; }
  Place operator()(const hal::MappableFile &file) const {
    return {file.fd->get(), file.offset, file.size, file.protection};
  }
  Place operator()(const hal::HardwareBuffer &buffer) const { return {buffer.fd->get(), 0, buffer.size}; }
  Place operator()(const hal::UnknownHandle & /*handle*/) const { return {}; }
};

/// Maps a place, whose offset need not be that of a page.
Result<std::pair<Mapping, uint64_t>> map(const Place &place, Mapping::Access access) {
  const uint64_t lead = place.offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  AVOCET_ASSIGN_OR_RETURN(Mapping mapping, Mapping::map(place.fd, place.size + lead, access, place.offset - lead));
  return std::pair(std::move(mapping), lead);
}

ApiError unmappable(const Status &status) { return {ANEURALNETWORKS_UNMAPPABLE, status.message()}; }

} // namespace

ApiOutcome copyBytes(const hal::SharedMemory &from, const hal::SharedMemory &to) {
  const Place source = std::visit(PlaceOf(), from->handle), target = std::visit(PlaceOf(), to->handle);
  if (source.size != target.size)
    return badData(fmt::format("a memory of {} bytes cannot be copied to one of {}", source.size, target.size));
  if ((source.protection & PROT_READ) == 0 || (target.protection & PROT_WRITE) == 0)
    return badData("the source is not readable, or the destination not writable");
  auto input = map(source, Mapping::Access::Read);
  if (!input)
    return unmappable(input.error());
  auto output = map(target, Mapping::Access::ReadWrite);
  if (!output)
    return unmappable(output.error());
  std::memmove(output->first.bytes().data() + output->second, input->first.bytes().data() + input->second, source.size);
  if (input->first.isDamaged() || output->first.isDamaged())
    return ApiError{ANEURALNETWORKS_UNMAPPABLE, "a file became shorter than its memory"};
  return success();
}

} // namespace avocet::nnapi
