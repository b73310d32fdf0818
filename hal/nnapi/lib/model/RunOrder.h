//===- RunOrder.h - Sorts operations -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_RUNORDER_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_RUNORDER_H

#include "api/ApiResult.h"

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <vector>

namespace avocet::nnapi {

/// Sorts the operations of a subgraph so that each reads only what earlier ones wrote; keeps the given order where it
/// can. Returns the old number of each. BAD_DATA: there is no such order. Requires indices in range.
ApiResult<std::vector<uint32_t>> sortIntoRunOrder(hal::Subgraph &subgraph);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_RUNORDER_H
