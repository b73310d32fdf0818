//===- LayerCycles.h - Predicted cycles by layer ------------*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_LAYERCYCLES_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_LAYERCYCLES_H

#include "Transfers.h"

#include <map>

namespace avocet::compiler::schedule {

/// Predicted cycles of each layer of the problem. They add up to those of the sequence. A tile gets the cycles since
/// the end of the tile that ended before it, waits included; the last one also those after its end. Reports of runs
/// divide measured cycles by the same rule, so that both can be compared layer by layer.
std::map<uint32_t, uint64_t> layerCyclesOf(const Problem &problem, const OrderedSequence &ordered);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_LAYERCYCLES_H
