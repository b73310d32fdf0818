//===- EnginePlay.h - Tiles of the array, block by block --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of tiles that follow each other on the array, with its double buffers and with the rows that one reads of
// the other, for the comparison of blocks. No other engine uses the port.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_ENGINEPLAY_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_ENGINEPLAY_H

#include "avocet/compiler/Schedule/Core/Sequence.h"
#include "avocet/kernels/BlockChoice.h"

#include <array>
#include <optional>

namespace avocet::compiler::schedule {

/// What a tile reads of the output of the tile before it.
struct RowReads {
  bool input = false, addend = false; ///< which of its maps; neither: nothing
  std::optional<int64_t> shift;       ///< row y is row y + shift of the output; nothing: it waits for all rows
};
RowReads readsOf(const Step &reader, const Step &writer);

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

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_ENGINEPLAY_H
