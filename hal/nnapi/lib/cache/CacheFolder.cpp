//===- CacheFolder.cpp - Cache files of an application ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/CacheFolder.h"

#include "avocet/base/Log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace avocet::nnapi {

/// By the names of the extensions, since their prefixes differ between processes.
static void addHints(ItemHash &hasher, const CompilationOptions &options) {
  std::map<std::pair<std::string, uint16_t>, std::vector<uint8_t>> values;
  for (const hal::TokenValuePair &hint : options.hints) {
    const auto prefix = static_cast<uint16_t>(static_cast<uint32_t>(hint.token) >> 16);
    for (const hal::ExtensionNameAndPrefix &extension : options.extensions)
      if (extension.prefix == prefix)
        values[{extension.name, static_cast<uint16_t>(hint.token)}] = hint.value;
  }
  for (const auto &[attribute, value] : values) {
    hasher.add(attribute.first);
    hasher.addNumber(attribute.second);
    hasher.add(value);
  }
}

hal::CacheToken tokenFor(const CompilationOptions &options, const hal::IDevice &device,
                         std::span<const hal::SourceOperation> step) {
  ItemHash hasher;
  hasher.add(options.cache->token);
  hasher.addNumber(step.size());
  for (const auto &[model, operation] : step) {
    hasher.addNumber(model);
    hasher.addNumber(operation);
  }
  hasher.add(device.name());
  hasher.add(device.versionString());
  hasher.addNumber(static_cast<uint64_t>(options.preference));
  hasher.addNumber(static_cast<uint64_t>(options.priority));
  addHints(hasher, options);
  return hasher.take();
}

std::string cacheFileName(const hal::CacheToken &token, bool isData, uint32_t index) {
  std::string name;
  for (uint8_t byte : token) {
    name += static_cast<char>('A' + (byte & 0xF));
    name += static_cast<char>('A' + (byte >> 4));
  }
  return fmt::format("{}{}{}", name, isData ? 2 : 1, index);
}

namespace {

/// Null: the file cannot be used.
hal::SharedHandle openFile(const std::string &path, CacheAccess access) {
  const bool mayCreate = access == CacheAccess::Created;
  // Without O_NONBLOCK a FIFO of this name would wait for a reader.
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (mayCreate ? O_CREAT : 0);
  FileDescriptor file(open(path.c_str(), flags, S_IRUSR | S_IWUSR));
  struct stat status{};
  if (!file.isValid() || fstat(file.get(), &status) != 0) {
    if (mayCreate || errno != ENOENT)
      logMessage(LogLevel::Warning, "nnapi", "{}: {}", path, errnoStatus(errno, "cache file").message());
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    logMessage(LogLevel::Warning, "nnapi", "{} is no regular file; the cache is not used", path);
    return nullptr;
  }
  if (flock(file.get(), (mayCreate ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0)
    return nullptr;
  return std::make_shared<const FileDescriptor>(std::move(file));
}

bool openAll(const std::string &folder, const hal::CacheToken &token, bool isData, uint32_t count, CacheAccess access,
             std::vector<hal::SharedHandle> &files) {
  for (uint32_t i = 0; i < count; ++i) {
    files.push_back(openFile(folder + "/" + cacheFileName(token, isData, i), access));
    if (files.back() == nullptr)
      return false;
  }
  return true;
}

} // namespace

std::optional<hal::CacheFiles> openCacheFiles(const CachePlace &place, const hal::CacheToken &token,
                                              const hal::NumberOfCacheFiles &needed, CacheAccess access) {
  hal::CacheFiles files = place.files.value_or(hal::CacheFiles());
  files.token = token;
  if (place.files.has_value())
    return files;
  if (needed.numModelCache + needed.numDataCache == 0 ||
      !openAll(place.folder, token, false, needed.numModelCache, access, files.modelCache) ||
      !openAll(place.folder, token, true, needed.numDataCache, access, files.dataCache))
    return {};
  return files;
}

} // namespace avocet::nnapi
