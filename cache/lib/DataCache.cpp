//===- DataCache.cpp - The constants of a model, mapped ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/DataCache.h"

#include "DataFile.h"
#include "avocet/base/BoundedReader.h"
#include "avocet/base/File.h"

#include <fmt/format.h>

#include <cerrno>

#include <fcntl.h>

namespace avocet::cache {
namespace {

constexpr std::string_view kClientsFile = "the data cache file";

Status checkSize(const FileDescriptor &file, uint64_t expectedBytes, const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(uint64_t bytes, fileSize(file, name));
  if (bytes != expectedBytes)
    return dataLoss(fmt::format("{}: is {} bytes long, its model cache requires {}; compile the model again", name,
                                bytes, expectedBytes));
  return Status::ok();
}

/// Private memory. System calls fill it: a write through a mapping would clear each page first. Its size is sealed,
/// because constants that shrink would read as zeros, and results would be wrong without an error.
template <typename Fill> Result<FileDescriptor> makeMemory(uint64_t bytes, Fill &&fill) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor memory, createMemoryFile("avocet-data", bytes));
  AVOCET_RETURN_IF_ERROR(fill(memory));
  AVOCET_RETURN_IF_ERROR(seal(memory, F_SEAL_SHRINK | F_SEAL_GROW, "avocet-data"));
  return memory;
}

} // namespace

bool DataCache::isImmutable(const FileDescriptor &file) { return isSealed(file, F_SEAL_WRITE | F_SEAL_SHRINK); }

Result<std::shared_ptr<const DataCache>> DataCache::map(FileDescriptor file, const std::string &name,
                                                        const Checksum &identity, uint64_t expectedBytes) {
  AVOCET_RETURN_IF_ERROR(checkDataFile(file, name, identity, expectedBytes));
  return mapStart(std::move(file), expectedBytes, name, {{}, identity});
}

/// Kernels before 6.7 cannot map a descriptor opened for writing if its file is sealed: then the bytes are copied.
Result<std::shared_ptr<const DataCache>> DataCache::fromFile(const FileDescriptor &file, uint64_t expectedBytes) {
  const std::string name(kClientsFile);
  AVOCET_RETURN_IF_ERROR(checkSize(file, expectedBytes, name));
  if (isImmutable(file)) {
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor own, file.duplicate());
    if (auto mapped = mapStart(std::move(own), expectedBytes, name, {}))
      return mapped;
  }
  Checksum checksum;
  auto copy = [&](const FileDescriptor &memory) {
    AVOCET_ASSIGN_OR_RETURN(checksum, copyFromStart(file, memory, expectedBytes, name));
    return Status::ok();
  };
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor memory, makeMemory(expectedBytes, copy));
  return mapStart(std::move(memory), expectedBytes, name, {checksum, {}});
}

Result<std::shared_ptr<const DataCache>> DataCache::fromPart(const FileDescriptor &file, uint64_t offset,
                                                             uint64_t bytes) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> copy, BoundedReader(file, bytes, kClientsFile, offset).bytes());
  return fromBytes(copy);
}

Result<std::shared_ptr<const DataCache>> DataCache::mapStart(FileDescriptor file, uint64_t bytes,
                                                             const std::string &name, const Known &known) {
  Result<Mapping> mapping = Mapping::map(file.get(), bytes, Mapping::Access::Read);
  if (!mapping)
    return mapping.status().withContext(name);
  return std::shared_ptr<const DataCache>(new DataCache(std::move(file), std::move(*mapping), known));
}

Result<std::shared_ptr<const DataCache>> DataCache::fromBytes(std::span<const uint8_t> bytes) {
  auto write = [&](const FileDescriptor &memory) { return writeFromStart(memory, bytes, "the memory of constants"); };
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor memory, makeMemory(bytes.size(), write));
  return mapStart(std::move(memory), bytes.size(), "the memory of constants", {});
}

} // namespace avocet::cache
