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
Result<CompiledModel> compileThroughBlobs(ClientState &client, const Model &model, const PrepareOptions &options);

/// The programs that one model needed for executions, in the driver's own cache. Another model with equal bytes has the
/// same ones. Thread-safe.
class ProgramBlobs {
public:
  /// `blobs` must outlive it.
  ProgramBlobs(cache::BlobCache &blobs, std::shared_ptr<const ModelBytes> source)
      : blobs_(blobs), source_(std::move(source)) {}

  std::optional<KeptProgram> find(const Facts &facts);
  /// Without effect if the cache has no room for it.
  void put(const KeptProgram &program);

private:
  cache::BlobKey keyOf(const Facts &facts);

  cache::BlobCache &blobs_;
  const std::shared_ptr<const ModelBytes> source_;
  std::once_flag hashed_; ///< the first key hashes the model
  cache::BlobKey model_ = {};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_BLOBSTORE_H
