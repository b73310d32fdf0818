//===- ConstantGroup.h - Constants transferred together ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_CONSTANTGROUP_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_CONSTANTGROUP_H

#include "TileCommand.h"

#include "Sequence.h"

namespace avocet::compiler::schedule {

/// The constants of a tile, packed into one buffer in the order in which the engine reads them.
struct ConstantGroup {
  ConstantOffsets offsets;
  std::vector<Segment> contents;
  uint64_t bytes = 0;

  /// Both return the offset in the buffer.
  uint32_t add(uint32_t constant, uint64_t source, uint64_t size);
  uint32_t addWeights(const Operation &op, uint32_t begin, uint32_t end);
};

/// The constants of output channels [begin, end) of an operation; `withOperands`: including constant feature maps.
ConstantGroup constantGroup(const Problem &problem, const Operation &op, uint32_t begin, uint32_t end,
                            bool withOperands);

/// The operation of [first, operation) whose constants are also those of `operation`, which a cascade of both has once;
/// kNone if there is none.
uint32_t sharedConstants(const Problem &problem, uint32_t first, uint32_t operation);

/// Whether an operation of [first, end) reads what another one makes.
bool readsOwnResults(const Problem &problem, uint32_t first, uint32_t end);

/// Whether the operations are convolutions that can make the same part of their channels one after the other
/// (Cascade::channelParts).
bool canShareParts(const Problem &problem, uint32_t first, uint32_t end);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_CONSTANTGROUP_H
