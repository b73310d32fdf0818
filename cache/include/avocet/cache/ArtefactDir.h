//===- ArtefactDir.h - The two artefacts in one directory -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A writer makes both files durable under temporary names that carry the identity of the data, renames the model cache
// (from then on readers get the new pair), then the data cache. A reader whose data cache has another identity than its
// model cache takes the temporary file with the right one. So readers get the old pair or the new one at any time, also
// after a writer was killed or the power was cut. The next writer removes the temporary files of killed ones.
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

/// Writes both files into a directory, which is created if it is missing, and replaces an older pair. Several threads
/// and processes may write into one directory; the last one's pair stays. After a failure the older pair is whole, no
/// temporary file is left, and a directory that this call created is removed. InvalidArgument: one of the names belongs
/// to something other than a regular file, which stays unchanged. ResourceExhausted: no space, or others replaced
/// artefacts in the directory for half a minute.
Status writeArtefacts(const std::string &directory, std::span<const uint8_t> model, std::span<const uint8_t> data);

/// How readArtefacts() finds damaged constants. The identities of both files are compared in any case.
enum class DataCheck {
  Hash,    ///< all constants are read once, about 0.1 ms per MiB, and compared with the identity
  Identity ///< none are read: damage changes results without an error
};

/// Loads and verifies both. NotFound when one is missing. DataLoss: one is damaged, or they are of two compilations.
Result<Artefacts> readArtefacts(const std::string &directory, DataCheck check = DataCheck::Hash);

} // namespace avocet::cache

#endif // AVOCET_CACHE_ARTEFACTDIR_H
