//===- Preparation.h - From models and cache files to prepared models ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_PREPARATION_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_PREPARATION_H

#include "model/PreparedModel.h"

namespace avocet::hal {

using Prepared = Result<std::shared_ptr<IPreparedModel>>;

/// See IDevice::prepareModel() and prepareModelFromCache().
Prepared prepareModel(const std::shared_ptr<ClientState> &client, const Model &model, const PrepareOptions &options);
Prepared prepareModelFromCache(const std::shared_ptr<ClientState> &client, const OptionalTimePoint &deadline,
                               const CacheFiles &cache);

/// The rules that can be checked before any work starts: model and options.
Outcome checkPreparation(const Model &model, const PrepareOptions &options);

/// Cache files that a preparation takes.
inline constexpr NumberOfCacheFiles kCacheFiles{1, 1};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_PREPARATION_H
