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

#include "Sequence.h"
#include "avocet/kernels/BlockChoice.h"

#include <array>
#include <optional>
#include <span>

namespace avocet::compiler::schedule {

/// What a tile reads of the output of the tile before it.
struct RowReads {
  bool input = false, addend = false; ///< which of its maps; neither: nothing
  std::optional<int64_t> shift;       ///< row y is row y + shift of the output; nothing: it waits for all rows
};
RowReads readsOf(const Step &reader, const Step &writer);

/// The time of tiles that follow each other on the array, with its double buffers and with the rows that one reads of
/// the other, for the comparison of blocks. No other engine uses the port.
class EnginePlay {
public:
  explicit EnginePlay(const firmware::Target &target) : target_(&target) {}

  /// The next tile.
  void play(const kernels::WalkedBlock &tile, const RowReads &reads);
  uint64_t outputEnd() const { return outputEnd_; }

private:
  struct RowsDone {
    uint32_t rows;
    uint64_t time;
  };
  uint64_t readyTime(const kernels::BlockRun &run, const RowReads &reads) const;
  void playBlock(const kernels::BlockRun &run, uint64_t ready);
  uint64_t portCycles(uint64_t bytes) const;

  const firmware::Target *target_;
  uint64_t issued_ = 0, computeStart_ = 0, computeEnd_ = 0, outputEnd_ = 0, portEnd_ = 0;
  std::array<uint64_t, 2> slotFree_{}, resultsFree_{};
  uint32_t slot_ = 0, results_ = 0;
  std::vector<RowsDone> done_; ///< of the last tile
};

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
