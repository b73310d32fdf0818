//===- Regions.h - Transfers in the choice of devices -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cheapest device of each operation alone may divide a model more than it saves. A region is a connected part of a
// subgraph on one device. It moves to the device of a neighbor if its operations then take less more time than the
// transfers that vanish.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PLAN_REGIONS_H
#define AVOCET_HAL_PARTITION_LIB_PLAN_REGIONS_H

#include "avocet/hal/types/Types.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace avocet::hal::partition {

/// By device and operation, in nanoseconds; none: the device does not support the operation.
using OperationTimes = std::vector<std::vector<std::optional<float>>>;

/// Moves regions of the main subgraph while that makes a run shorter. `devices`: of each operation; none: the host
/// interprets it. Regions with operands of unknown size stay.
void moveRegions(const Model &model, const OperationTimes &times, std::vector<std::optional<size_t>> &devices);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PLAN_REGIONS_H
