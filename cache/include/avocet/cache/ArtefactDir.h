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

/// Writes both files into a directory, which is made when it is missing. They appear complete or not at all, also over
/// a power cut. An older model cache is removed first, then the data cache takes its name, and the model cache comes
/// last: a directory with a model cache always holds the data that belong to it. After a failure no temporary file is
/// left, and the directory is gone again when this call made it. InvalidArgument: one of the names is taken by
/// something other than a regular file, which stays as it is.
Status writeArtefacts(const std::string &directory, std::span<const uint8_t> model, std::span<const uint8_t> data);

/// Loads and verifies both. NotFound when one is missing.
Result<Artefacts> readArtefacts(const std::string &directory);

} // namespace avocet::cache

#endif // AVOCET_CACHE_ARTEFACTDIR_H
