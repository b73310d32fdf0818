//===- CachedModels.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CachedModels.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace avocet::hal::capi {
namespace {

/// The year 2001, in seconds.
constexpr time_t kPast = 1'000'000'000;

SharedHandle firstFile(const CacheFiles &files) {
  const auto &list = files.modelCache.empty() ? files.dataCache : files.modelCache;
  return list.empty() ? nullptr : list.front();
}

} // namespace

void CachedModels::add(const CacheFiles &files, const Model &model) {
  auto kept = std::make_shared<const Model>(model);
  std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto &entry) { return entry.second.file.expired(); });
  entries_[files.token] = {firstFile(files), std::move(kept)};
}

std::shared_ptr<const Model> CachedModels::find(const CacheFiles &files) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(files.token);
  if (found == entries_.end() || found->second.file.lock() != firstFile(files))
    return nullptr;
  return found->second.model;
}

Result<WriteWatch> WriteWatch::begin(const CacheFiles &files) {
  std::vector<SharedHandle> all = files.modelCache;
  all.insert(all.end(), files.dataCache.begin(), files.dataCache.end());
  const std::array<timespec, 2> times = {timespec{kPast, 0}, timespec{kPast, 0}};
  for (const SharedHandle &file : all)
    if (!file || ::futimens(file->get(), times.data()) != 0)
      return invalidArgument("a cache file is closed, or its times cannot be set");
  return WriteWatch(std::move(all));
}

Result<bool> WriteWatch::wasWritten() const {
  for (const SharedHandle &file : files_) {
    struct stat facts = {};
    if (::fstat(file->get(), &facts) != 0)
      return generalFailure("a cache file cannot be examined");
    if (facts.st_mtim.tv_sec != kPast)
      return true;
  }
  return false;
}

} // namespace avocet::hal::capi
