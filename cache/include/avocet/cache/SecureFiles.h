//===- SecureFiles.h - Compilations in files of a client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two cache files of the NN HAL belong to the client: it opens and keeps them, and it can change them at any time,
// also while they are read. The rules, after nnapi-notes "Compilation caching" (HAL 1.2 IDevice.hal, prepareModel_1_2):
//
//   save: hash the model cache in memory, put {token, hash} into the store, then truncate and write the files.
//   load: copy the model file into memory, hash the copy, compare with the store, and only then parse the copy.
//
// Both hold a lock on the model file, a reader until it has read the data file as well: it never gets the data of one
// compilation and the model of another.
//
// The data file holds constants, which can change results, and nothing else. These functions do not hash it: the driver
// keeps its checksum in the model file and compares it (hal/driver). See DataCache.h for the effect of later changes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_SECUREFILES_H
#define AVOCET_CACHE_SECUREFILES_H

#include "avocet/base/File.h"
#include "avocet/cache/TokenStore.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace avocet::cache {

/// Two open files, at any offset and of any size, open for reading and writing. Borrowed for the call.
struct CacheFilePair {
  const FileDescriptor &model;
  const FileDescriptor &data;
};

/// InvalidArgument unless both are open regular files (or memory files) for reading and writing, and not the same file.
Status checkCacheFiles(const CacheFilePair &files);

/// Saves a compilation. File locks exclude other writers and readers; the wait for a lock ends after about two seconds.
/// A writer that dies leaves a model file that loadCompilation() refuses. Files that already hold exactly these bytes
/// are not written. After an error the model file is invalid.
Status saveCompilation(TokenStore &store, const Token &token, std::span<const uint8_t> model,
                       std::span<const uint8_t> data, const CacheFilePair &files);

/// What a compilation is replaced by.
struct Replacement {
  std::span<const uint8_t> model, data;
  std::shared_ptr<const void> owner; ///< of the bytes
};

/// Makes the new pair from the saved model file. Called under the lock, so that it may read the data file, and no
/// change of another writer is lost. An error ends the call and changes nothing.
using Replace = std::function<Result<Replacement>(std::span<const uint8_t> savedModel)>;

/// The same for files that hold a compilation saved under this token, which is replaced: a reader gets the old pair or
/// the new one. FailedPrecondition: the files hold something else by now; nothing was changed.
Status replaceCompilation(TokenStore &store, const Token &token, const Replace &replace, const CacheFilePair &files);

/// A checked model file.
struct LoadedCompilation {
  std::vector<uint8_t> model;
  /// As long as it exists no writer that uses this library changes the pair. Not to be held across other calls.
  std::shared_ptr<const void> lock;
};

/// Checks and reads the model file of a token: the bytes returned are exactly those that saveCompilation() got.
/// InvalidArgument: see checkCacheFiles(). NotFound: nothing was saved under the token. DataLoss: the file differs from
/// what was saved. The time depends only on the size of the model file.
Result<LoadedCompilation> loadCompilation(const TokenStore &store, const Token &token, const CacheFilePair &files);

} // namespace avocet::cache

#endif // AVOCET_CACHE_SECUREFILES_H
