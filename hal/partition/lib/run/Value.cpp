//===- Value.cpp - Values of operands -------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/Value.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <unistd.h>

namespace avocet::hal::partition {
namespace {

struct FileRange {
  SharedHandle fd;
  uint64_t offset = 0;
};

FileRange fileOf(const Memory &memory) {
  if (const auto *ashmem = std::get_if<Ashmem>(&memory.handle))
    return {ashmem->fd, 0};
  if (const auto *file = std::get_if<MappableFile>(&memory.handle))
    return {file->fd, file->offset};
  if (const auto *buffer = std::get_if<HardwareBuffer>(&memory.handle); buffer != nullptr && buffer->isBlob)
    return {buffer->fd, 0};
  return {};
}

/// The bytes of a location while the object lives.
class MappedLocation {
public:
  static Result<MappedLocation> map(const RequestPool &pool, const DataLocation &location, Mapping::Access access) {
    const auto *memory = std::get_if<SharedMemory>(&pool);
    const FileRange file = memory != nullptr && *memory != nullptr ? fileOf(**memory) : FileRange();
    if (file.fd == nullptr)
      return generalFailure("control flow on the host needs memory that can be mapped, not a buffer of a device");
    const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    const uint64_t begin = file.offset + location.offset;
    MappedLocation result;
    result.skipped_ = begin % page;
    auto mapping = Mapping::map(file.fd->get(), location.length + result.skipped_, access, begin - result.skipped_);
    if (!mapping)
      return fromStatus(mapping.status());
    result.mapping_ = std::move(mapping).value();
    return result;
  }

  std::span<uint8_t> bytes() { return mapping_.bytes().subspan(skipped_); }
  bool isDamaged() const { return mapping_.isDamaged(); }

private:
  Mapping mapping_;
  uint64_t skipped_ = 0;
};

} // namespace

Result<uint8_t> firstByte(const Value &value) {
  if (value.state != Value::State::Set || value.location.length == 0)
    return generalFailure("a condition has no value");
  AVOCET_ASSIGN_OR_RETURN(MappedLocation mapped,
                          MappedLocation::map(value.pool, value.location, Mapping::Access::Read));
  return mapped.bytes().front();
}

Outcome copyTo(const Destination &destination, const Value &value) {
  DataLocation target = destination.location;
  target.length = value.location.length;
  AVOCET_ASSIGN_OR_RETURN(MappedLocation from, MappedLocation::map(value.pool, value.location, Mapping::Access::Read));
  AVOCET_ASSIGN_OR_RETURN(MappedLocation to, MappedLocation::map(destination.pool, target, Mapping::Access::ReadWrite));
  std::ranges::copy(from.bytes(), to.bytes().begin());
  return from.isDamaged() || to.isDamaged() ? Outcome(generalFailure("a memory is shorter than stated")) : success();
}

} // namespace avocet::hal::partition
