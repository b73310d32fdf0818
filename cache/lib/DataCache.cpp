//===- DataCache.cpp - The constants of a model, mapped ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/DataCache.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::cache {

Result<std::shared_ptr<const DataCache>> DataCache::open(const std::string &path, uint64_t expectedBytes) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, openForReading(path));
  return map(std::move(file), expectedBytes, path);
}

Result<std::shared_ptr<const DataCache>> DataCache::fromFile(const FileDescriptor &file, uint64_t expectedBytes) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor own, file.duplicate());
  return map(std::move(own), expectedBytes, "the data cache file");
}

Result<std::shared_ptr<const DataCache>> DataCache::map(FileDescriptor file, uint64_t expectedBytes,
                                                        const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(uint64_t bytes, fileSize(file, name));
  if (bytes != expectedBytes)
    return dataLoss(fmt::format("{}: is {} bytes long, its model cache says {}", name, bytes, expectedBytes));
  Result<Mapping> mapping = Mapping::map(file.get(), bytes, Mapping::Access::Read);
  if (!mapping)
    return mapping.status().withContext(name);
  return std::shared_ptr<const DataCache>(new DataCache(std::move(file), std::move(*mapping)));
}

Result<std::shared_ptr<const DataCache>> DataCache::fromBytes(std::span<const uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-data", bytes.size()));
  AVOCET_ASSIGN_OR_RETURN(Mapping mapping, Mapping::map(file.get(), bytes.size(), Mapping::Access::ReadWrite));
  std::copy(bytes.begin(), bytes.end(), mapping.bytes().begin());
  return std::shared_ptr<const DataCache>(new DataCache(std::move(file), std::move(mapping)));
}

} // namespace avocet::cache
