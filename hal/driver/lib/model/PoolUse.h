//===- PoolUse.h - Operations and the pools that they read ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_POOLUSE_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_POOLUSE_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <map>
#include <optional>
#include <string>

namespace avocet::hal {

/// Pools of a model that cannot be opened or are shorter than its constants need, by number, with the reason.
using UnreadablePools = std::map<uint32_t, std::string>;
UnreadablePools unreadablePools(const Model &model);

/// The number of such a pool that an operation of the main subgraph reads, itself or in its subgraphs; empty if none.
/// The model must be valid.
std::optional<uint32_t> poolReadBy(const Model &model, const Operation &operation, const UnreadablePools &pools);

/// The model with other memory instead of such pools, of a stated size large enough for its constants, so that the rest
/// can be validated. The memory's file is empty.
Result<Model> withStandIns(const Model &model, const UnreadablePools &pools);

/// Makes constants in such pools omitted operands, in all subgraphs. No operation may read them.
void dropConstants(Model &model, const UnreadablePools &pools);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_POOLUSE_H
