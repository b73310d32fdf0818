//===- Work.h - How long operations take on a processor ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device's figures are relative to a processor (Capabilities.h), so the cost of an operation has no unit. Multiplied
// by the time that a processor would take for it, it can be compared with the time of a transfer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PLAN_WORK_H
#define AVOCET_HAL_PARTITION_LIB_PLAN_WORK_H

#include "avocet/hal/types/Types.h"

#include <optional>

namespace avocet::hal::partition {

/// Nanoseconds that one thread of a processor takes for an operation; for an IF or WHILE without the operations of its
/// subgraphs, but with the work that its figures are relative to. None if an extent is unknown.
std::optional<double> processorTime(const Subgraph &subgraph, const Operation &operation);

/// Nanoseconds that one more value between two devices takes: a step has to be started, and the value copied. None if
/// its size is unknown.
std::optional<double> transferTime(const Operand &operand);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PLAN_WORK_H
