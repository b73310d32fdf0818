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

namespace avocet::hal {

/// compileModel(), unless the driver's own cache has the result of the same model already. A result is kept there if
/// the cache is on and has room for it.
Result<CompiledModel> compileThroughBlobs(ClientState &client, const Model &model, const PrepareOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_BLOBSTORE_H
