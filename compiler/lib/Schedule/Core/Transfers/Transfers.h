//===- Transfers.h - When and where data moves ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the transfers of a lowered sequence. Constants go as far ahead of their use as SRAM has room (concrete
// addresses, not sums), all others where a simple model of compute engines and off-chip port would start them.
//
// Time is counted in compute steps: a transfer at time t is placed before compute step t. SRAM buffers that transfers
// fill or drain live a few steps longer than their use, so that transfers need not keep exact pace with compute.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_TRANSFERS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_TRANSFERS_H

#include "Schedule/Core/Sequence.h"

#include <optional>

namespace avocet::compiler::schedule {

/// The sequence in its final order, with SRAM addresses, DMA channels and constants in pieces, and its estimated
/// cycles. orderTransfers() returns nullopt if the SRAM cannot hold it.
struct OrderedSequence {
  Sequence sequence;
  uint64_t cycles = 0;
  std::vector<uint64_t> tileEnds; ///< by step that is no transfer, in order: estimated cycle of its last result
};
std::optional<OrderedSequence> orderTransfers(const Problem &problem, const Sequence &lowered,
                                              const TransferOptions &options);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_TRANSFERS_H
