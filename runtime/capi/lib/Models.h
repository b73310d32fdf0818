//===- Models.h - Compiled networks -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_MODELS_H
#define AVOCET_RUNTIME_CAPI_LIB_MODELS_H

#include "Objects.h"

#include <span>

namespace avocet::capi {

/// Compiles a network or loads artefacts, and keeps what its runs need.
Result<AvocetModel *> loadModel(const network::ModelChoice &choice, const Options &options,
                                network::Observer &observer);

/// Of one role. A state is described as the network's input.
size_t tensorCount(const cache::ModelCache &model, AvocetRole role);
cache::OperandView tensorView(const cache::ModelCache &model, AvocetRole role, size_t index);

/// InvalidArgument: there is no such role or index.
Status checkTensor(const cache::ModelCache &model, AvocetRole role, size_t index);
/// NotFound lists the names.
Result<size_t> findTensor(const cache::ModelCache &model, AvocetRole role, std::string_view name);

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_MODELS_H
