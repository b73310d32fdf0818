//===- DiskCache.h - Results of the compiler in a folder of the application - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Judgements, by a hash of the network, for one version of the device. (An embedded device keeps compiled networks in
// the folder itself, a service in its own.) Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_DEVICE_DISKCACHE_H
#define AVOCET_HAL_DELEGATE_LIB_DEVICE_DISKCACHE_H

#include "avocet/cache/BlobCache.h"
#include "device/Judgement.h"

#include <memory>

namespace avocet::delegate {

class DiskCache {
public:
  /// The folder is made if its parent exists. Judgements of another generation are removed. FailedPrecondition: another
  /// user can change the folder; the message states the remedy.
  static Result<std::unique_ptr<DiskCache>> open(const std::string &folder, std::string_view generation);

  cache::BlobKey keyOf(std::span<const uint8_t> file) const { return judgements_->keyOf(std::span(&file, 1)); }
  std::optional<Judgement> find(const cache::BlobKey &key) const;
  void keep(const cache::BlobKey &key, const Judgement &judgement) const;

private:
  explicit DiskCache(std::shared_ptr<cache::BlobCache> judgements) : judgements_(std::move(judgements)) {}

  std::shared_ptr<cache::BlobCache> judgements_;
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_DEVICE_DISKCACHE_H
