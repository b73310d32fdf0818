//===- SecureFiles.h - Compilations in files of a client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two cache files of the NN HAL belong to the client: it opens them, keeps them, and may have changed them, also
// while they are being read. The rules, after nnapi-notes "Compilation caching" (HAL 1.2 IDevice.hal,
// prepareModel_1_2):
//
//   save: hash the model cache in memory, note {token, hash} in the store, then truncate and write the files.
//   load: copy the model file into memory, hash the copy, compare with the store, and only then parse the copy.
//
// The data file holds constants. It is not hashed: what stands there at the load can change numbers, and nothing else.
// See DataCache.h for what happens to it later.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_SECUREFILES_H
#define AVOCET_CACHE_SECUREFILES_H

#include "avocet/base/File.h"
#include "avocet/cache/TokenStore.h"

#include <cstdint>
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

/// Saves a compilation. Writers exclude each other and readers by file locks, for which they wait about two seconds. A
/// writer that dies leaves a model file that no loadCompilation() accepts. Files that hold exactly these bytes already
/// are left alone, which saves the write. On an error the model file is void.
Status saveCompilation(TokenStore &store, const Token &token, std::span<const uint8_t> model,
                       std::span<const uint8_t> data, const CacheFilePair &files);

/// Checks and reads the model file of a token: the bytes returned are exactly those that saveCompilation() was given.
/// InvalidArgument: see checkCacheFiles(). NotFound: nothing was saved under the token. DataLoss: the file is not what
/// was saved. Time grows with the model file alone.
Result<std::vector<uint8_t>> loadCompilation(const TokenStore &store, const Token &token, const CacheFilePair &files);

} // namespace avocet::cache

#endif // AVOCET_CACHE_SECUREFILES_H
