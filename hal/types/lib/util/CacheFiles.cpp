//===- CacheFiles.cpp - Cache files of a client ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/CacheFiles.h"

#include "avocet/base/Checksum.h"
#include "avocet/base/File.h"

namespace avocet::hal {
namespace {

/// Hashes of the name; each word of the token has another basis.
CacheToken tokenOf(const std::string &name) {
  const std::span bytes(reinterpret_cast<const uint8_t *>(name.data()), name.size());
  CacheToken token = {};
  for (size_t i = 0; i < token.size(); i += 8) {
    const uint64_t hash = Fnv1a(Fnv1a::kBasis + i).add(bytes).value();
    for (size_t byte = 0; byte < 8; ++byte)
      token[i + byte] = static_cast<uint8_t>(hash >> (8 * byte));
  }
  return token;
}

Status addFiles(std::vector<SharedHandle> &files, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("conformanceCache", 0));
    files.push_back(std::make_shared<const FileDescriptor>(std::move(file)));
  }
  return Status::ok();
}

} // namespace

avocet::Result<CacheFiles> makeCacheFiles(const IDevice &device, const std::string &name) {
  const NumberOfCacheFiles needed = device.numberOfCacheFilesNeeded();
  CacheFiles files;
  AVOCET_RETURN_IF_ERROR(addFiles(files.modelCache, needed.numModelCache));
  AVOCET_RETURN_IF_ERROR(addFiles(files.dataCache, needed.numDataCache));
  files.token = tokenOf(name);
  return files;
}

} // namespace avocet::hal
