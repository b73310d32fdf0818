//===- BlobStore.h - Compilations in the driver's own cache -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_BLOBSTORE_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_BLOBSTORE_H

#include "client/Client.h"
#include "model/CompiledModel.h"

#include <memory>
#include <mutex>
#include <optional>

namespace avocet::hal {

/// compileModel(), unless the driver's own cache has the result of the same model already. A result is kept there if
/// the cache is on and has room for it.
/// Only results of the level that was asked for are kept.
Result<CompiledModel> compileThroughBlobs(ClientState &client, const Model &model, const PrepareOptions &options);

/// Keeps a model compiled later, at the level asked for, as compileThroughBlobs() does.
void keepInBlobs(cache::BlobCache &blobs, const ModelBytes &source, const CompiledModel &compiled);

/// The programs that one model needed for executions, in the driver's own cache. Another model with equal bytes has the
/// same ones. Thread-safe.
class ProgramBlobs {
public:
  /// `blobs` must outlive it.
  ProgramBlobs(cache::BlobCache &blobs, std::shared_ptr<const ModelBytes> source, uint32_t asked)
      : blobs_(blobs), source_(std::move(source)), asked_(asked) {}

  std::optional<KeptProgram> find(const Facts &facts);
  /// Without effect if the cache has no room for it, or it is of a lower level than asked for.
  void put(const KeptProgram &program);

private:
  cache::BlobKey keyOf(const Facts &facts);

  cache::BlobCache &blobs_;
  const std::shared_ptr<const ModelBytes> source_;
  const uint32_t asked_;  ///< level of the programs
  std::once_flag hashed_; ///< the first key hashes the model
  cache::BlobKey model_ = {};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_BLOBSTORE_H
