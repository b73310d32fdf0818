//===- SecureFiles.cpp - Compilations in files of a client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/SecureFiles.h"

#include "FileLock.h"
#include "avocet/base/BoundedReader.h"
#include "avocet/base/File.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::cache {
namespace {

constexpr std::string_view kModelName = "the model cache file";
constexpr std::string_view kDataName = "the data cache file";

Result<struct stat> examine(const FileDescriptor &file, std::string_view name) {
  struct stat info;
  if (!file.isValid() || ::fstat(file.get(), &info) != 0)
    return invalidArgument(std::string(name) + ": the descriptor is not open");
  if (!S_ISREG(info.st_mode))
    return invalidArgument(std::string(name) + ": is not a regular file");
  int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) != O_RDWR || (flags & O_PATH) != 0)
    return invalidArgument(std::string(name) + ": is not open for reading and writing");
  return info;
}

Status truncate(const FileDescriptor &file, std::string_view name) {
  return ::ftruncate(file.get(), 0) == 0 ? Status::ok() : errnoStatus(errno, "cannot truncate " + std::string(name));
}

/// Whether the file holds exactly these bytes. Compared in pieces, so that no second copy is needed.
bool holds(const FileDescriptor &file, std::span<const uint8_t> bytes, uint64_t size) {
  if (size != bytes.size())
    return false;
  std::vector<uint8_t> piece(std::min<size_t>(bytes.size(), size_t(1) << 20));
  const BoundedReader reader(file, size, "a cache file");
  for (size_t offset = 0; offset < bytes.size(); offset += piece.size()) {
    const std::span<uint8_t> part = std::span(piece).first(std::min(piece.size(), bytes.size() - offset));
    if (!reader.copy(offset, part).isOk() || std::memcmp(part.data(), bytes.data() + offset, part.size()) != 0)
      return false;
  }
  return true;
}

/// Writes the model file last: until it is complete, its hash is wrong and the pair is invalid.
Status writeFiles(std::span<const uint8_t> model, std::span<const uint8_t> data, const CacheFilePair &files,
                  uint64_t dataSize) {
  AVOCET_RETURN_IF_ERROR(truncate(files.model, kModelName));
  if (!holds(files.data, data, dataSize)) {
    AVOCET_RETURN_IF_ERROR(truncate(files.data, kDataName));
    AVOCET_RETURN_IF_ERROR(writeFromStart(files.data, data, std::string(kDataName)));
  }
  // O_APPEND appends positional writes. The file was truncated, so that its end is the right place.
  Status written = writeFromStart(files.model, model, std::string(kModelName));
  if (!written.isOk())
    (void)truncate(files.model, kModelName);
  return written;
}

Result<std::vector<uint8_t>> readModel(const CacheFilePair &files) {
  AVOCET_ASSIGN_OR_RETURN(uint64_t size, fileSize(files.model, std::string(kModelName)));
  if (size > kMaxReadBytes)
    return dataLoss(fmt::format("{}: is {} bytes long, at most {} are allowed", kModelName, size, kMaxReadBytes));
  return BoundedReader(files.model, size, kModelName).bytes();
}

/// The model file, if it is what was saved under the token. The caller holds its lock.
Result<std::vector<uint8_t>> checkedModel(const TokenStore &store, const Token &token, const CacheFilePair &files) {
  AVOCET_ASSIGN_OR_RETURN(Digest expected, store.find(token));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readModel(files));
  if (!isEqual(store.digestOf(bytes), expected))
    return dataLoss(std::string(kModelName) + ": is not what was saved under the token " + toHex(token));
  return bytes;
}

Result<FileLock> lockForWriting(const CacheFilePair &files) {
  return FileLock::acquire(files.model, FileLock::Kind::Exclusive, std::string(kModelName));
}

/// The caller holds the lock for writing.
Status save(TokenStore &store, const Token &token, const Digest &digest, std::span<const uint8_t> model,
            std::span<const uint8_t> data, const CacheFilePair &files) {
  AVOCET_RETURN_IF_ERROR(store.put(token, digest));
  AVOCET_ASSIGN_OR_RETURN(uint64_t modelSize, fileSize(files.model, std::string(kModelName)));
  AVOCET_ASSIGN_OR_RETURN(uint64_t dataSize, fileSize(files.data, std::string(kDataName)));
  if (holds(files.model, model, modelSize) && holds(files.data, data, dataSize))
    return Status::ok();
  return writeFiles(model, data, files, dataSize);
}

} // namespace

Status checkCacheFiles(const CacheFilePair &files) {
  AVOCET_ASSIGN_OR_RETURN(struct stat model, examine(files.model, kModelName));
  AVOCET_ASSIGN_OR_RETURN(struct stat data, examine(files.data, kDataName));
  if (model.st_dev == data.st_dev && model.st_ino == data.st_ino)
    return invalidArgument("the model cache and the data cache are the same file");
  return Status::ok();
}

Status saveCompilation(TokenStore &store, const Token &token, std::span<const uint8_t> model,
                       std::span<const uint8_t> data, const CacheFilePair &files) {
  AVOCET_RETURN_IF_ERROR(checkCacheFiles(files));
  const Digest digest = store.digestOf(model);
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, lockForWriting(files));
  return save(store, token, digest, model, data, files);
}

Status replaceCompilation(TokenStore &store, const Token &token, const Replace &replace, const CacheFilePair &files) {
  AVOCET_RETURN_IF_ERROR(checkCacheFiles(files));
  AVOCET_ASSIGN_OR_RETURN(FileLock lock, lockForWriting(files));
  const Result<std::vector<uint8_t>> saved = checkedModel(store, token, files);
  if (!saved)
    return failedPrecondition(std::string(kModelName) + ": does not hold the compilation any more that was to be "
                                                        "replaced");
  AVOCET_ASSIGN_OR_RETURN(const Replacement made, replace(*saved));
  return save(store, token, store.digestOf(made.model), made.model, made.data, files);
}

Result<LoadedCompilation> loadCompilation(const TokenStore &store, const Token &token, const CacheFilePair &files) {
  AVOCET_RETURN_IF_ERROR(checkCacheFiles(files));
  AVOCET_ASSIGN_OR_RETURN(FileLock lock,
                          FileLock::acquire(files.model, FileLock::Kind::Shared, std::string(kModelName)));
  // The record is read under the lock too: a writer changes record and files together.
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, checkedModel(store, token, files));
  return LoadedCompilation{std::move(bytes), std::make_shared<const FileLock>(std::move(lock))};
}

} // namespace avocet::cache
