//===- Preparation.h - Prepares models, also from cache files ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_PREPARATION_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_PREPARATION_H

#include "model/ClientFiles.h"
#include "model/PreparedModel.h"

namespace avocet::hal {

using Prepared = Result<std::shared_ptr<IPreparedModel>>;

/// See IDevice::prepareModel() and prepareModelFromCache().
Prepared prepareModel(const std::shared_ptr<ClientState> &client, const Model &model, const PrepareOptions &options);
Prepared prepareModelFromCache(const std::shared_ptr<ClientState> &client, const OptionalTimePoint &deadline,
                               const CacheFiles &cache);

/// Checks the rules of model and options, before any work starts.
Outcome checkPreparation(const Model &model, const PrepareOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_PREPARATION_H
