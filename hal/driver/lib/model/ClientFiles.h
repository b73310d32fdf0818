//===- ClientFiles.h - Compilations in a client's cache files ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_CLIENTFILES_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_CLIENTFILES_H

#include "client/Client.h"
#include "model/CompiledModel.h"

#include <memory>
#include <mutex>
#include <optional>

namespace avocet::hal {

/// Number of cache files of a preparation.
inline constexpr NumberOfCacheFiles kCacheFiles{1, 1};

/// What a write needs of the client.
struct FileOwner {
  explicit FileOwner(const ClientState &client);
  std::shared_ptr<cache::TokenStore> tokens;
  uint64_t maxBytes; ///< of both files
};

/// Writes the files. Errors: bad files, a full disk, a lock held by others, more bytes than the client may write.
Outcome writeClientFiles(const ClientState &client, const CompiledModel &model, const CacheFiles &files);

/// The compilation in the files, checked as described at read() in ClientFiles.cpp. The client's memory is charged.
Result<CompiledModel> readClientFiles(ClientState &client, const CacheFiles &files);

/// Keeps the files of one prepared model up to date with the programs of its executions. It shares the descriptors, so
/// that they stay open, and writes on the device's background thread; changes until then are one write. It does not
/// write once the files hold something else, such as another model under the same token. Programs that another process
/// has added for the same model stay in the files, after its own in the order of use. It keeps neither client nor
/// device alive: when the device is closed, all is written. Thread-safe.
class CacheFileWriter : public std::enable_shared_from_this<CacheFileWriter> {
public:
  /// `model` is what the files hold; it has a source.
  CacheFileWriter(const ClientState &client, CacheFiles files, CompiledModel model);

  /// The program for the facts, if the files hold it.
  std::optional<KeptProgram> find(const Facts &facts);

  /// Adds a program, or replaces that of the same facts. `client` is the one of the constructor.
  void add(ClientState &client, KeptProgram program);

  /// Replaces the model's own program, and all that goes with it, and writes the files. Only on the background thread.
  void set(CompiledModel model);

private:
  void request(ClientState &client);
  void save();

  const FileOwner owner_;
  const CacheFiles files_;
  const size_t mostPrograms_;
  const std::shared_ptr<const ModelBytes> source_; ///< of the model, also once a final program needs none
  std::mutex mutex_;                               ///< guards the members below; a leaf
  CompiledModel model_;
  KeptPrograms kept_;
  bool isQueued_ = false;
  bool isLost_ = false; ///< the files hold something else, or cannot be written
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_CLIENTFILES_H
