//===- BlockChain.h - Blocks of tiles that follow each other ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile can fill while the one before it computes, as soon as the rows that its first block reads are complete. The
// best block of a tile alone often has all rows of a few columns, so its reader waits until it has drained. For short
// tiles this wait is a large part of their time. Here blocks of short tiles are chosen together: the candidates of each
// tile are played after those of the tile before it, and the fastest chain is kept.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_BLOCKCHAIN_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_BLOCKCHAIN_H

#include "avocet/compiler/Schedule/Core/Sequence.h"
#include "avocet/kernels/BlockChoice.h"

#include <span>

namespace avocet::compiler::schedule {

struct ChainTile {
  uint32_t step = 0;
  uint32_t operation = 0;
};

/// Changes blocks and times of the given tiles, in ascending order of steps, where other blocks make chains of them
/// faster. Weights are taken as loaded, and the port as free.
void chooseChainedBlocks(kernels::BlockChooser &chooser, const Problem &problem, Sequence &sequence,
                         std::span<const ChainTile> tiles);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_BLOCKCHAIN_H
