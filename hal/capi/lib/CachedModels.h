//===- CachedModels.h - Models by the cache files they were saved to --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_CACHEDMODELS_H
#define AVOCET_HAL_CAPI_LIB_CACHEDMODELS_H

#include "Api.h"
#include "avocet/hal/types/Interfaces.h"

#include <map>
#include <mutex>

namespace avocet::hal::capi {

/// The C library loads a model from cache files only if it gets the model too. A model is kept as long as the caller
/// holds its first cache file. Thread-safe.
class CachedModels {
public:
  void add(const CacheFiles &files, const Model &model);
  /// Null: no model was saved to these files.
  std::shared_ptr<const Model> find(const CacheFiles &files) const;

private:
  struct Entry {
    std::weak_ptr<const FileDescriptor> file;
    std::shared_ptr<const Model> model;
  };
  mutable std::mutex mutex_;
  std::map<CacheToken, Entry> entries_;
};

/// Tells whether files were written between two moments.
class WriteWatch {
public:
  /// Sets the times of the files to the past, so that any write changes them.
  static Result<WriteWatch> begin(const CacheFiles &files);
  Result<bool> wasWritten() const;

private:
  explicit WriteWatch(std::vector<SharedHandle> files) : files_(std::move(files)) {}
  std::vector<SharedHandle> files_;
};

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_CACHEDMODELS_H
