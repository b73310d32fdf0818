//===- ArtefactDir.h - The two artefacts in one directory -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_ARTEFACTDIR_H
#define AVOCET_CACHE_ARTEFACTDIR_H

#include "avocet/base/Status.h"
#include "avocet/cache/DataCache.h"
#include "avocet/cache/ModelCache.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace avocet::cache {

inline constexpr std::string_view kModelFileName = "model.avom";
inline constexpr std::string_view kDataFileName = "data.avod";

struct Artefacts {
  std::shared_ptr<const ModelCache> model;
  std::shared_ptr<const DataCache> data;
};

/// Whether the path is a directory that holds a model cache (which need not be a valid one).
bool isArtefactDir(const std::string &directory);

/// Writes both files into a directory, which is created if it is missing. Both appear complete or not at all, also
/// after a power cut. Order: remove the older model cache, rename the data cache, rename the model cache. A directory
/// with a model cache therefore always holds its data. After a failure no temporary file is left, and a directory that
/// this call created is removed. InvalidArgument: one of the names belongs to something other than a regular file,
/// which stays unchanged.
Status writeArtefacts(const std::string &directory, std::span<const uint8_t> model, std::span<const uint8_t> data);

/// Loads and verifies both. NotFound when one is missing.
Result<Artefacts> readArtefacts(const std::string &directory);

} // namespace avocet::cache

#endif // AVOCET_CACHE_ARTEFACTDIR_H
