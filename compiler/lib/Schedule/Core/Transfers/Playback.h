//===- Playback.h - Time of an ordered sequence -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays the tiles and transfers of a sequence in their final order, with the waits that the semaphores will cause, and
// with the SRAM port that they share. Between two events every tile and transfer moves at a constant rate:
//
//   a transfer     the rate of its channel (channelLoadRate()), or an even share of the off-chip port if that is less
//   a tile         its busy cycles, unless its bytes need more of the SRAM port than the transfers leave
//
// The next tile fills the engine while the current one computes, unless it reads what the current one finishes last.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_PLAYBACK_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_PLAYBACK_H

#include "Schedule/Core/Sequence.h"

#include <deque>
#include <vector>

namespace avocet::compiler::schedule {

/// A transfer in its final place in a channel's stream. Positions are those of tiles.
struct PlayedTransfer {
  uint64_t cycles = 0;    ///< of the channel, if no other uses the off-chip port
  uint32_t ready = 0;     ///< starts after all tiles before this one
  uint32_t need = 0;      ///< this tile starts after it
  uint32_t after = kNone; ///< starts after this transfer (a number in the list) has reached memory
  bool isStore = false;
  uint32_t channel = 0;
};

struct PlayedTimes {
  uint64_t cycles = 0;            ///< until the last tile and the last transfer have ended
  std::vector<uint64_t> tileEnds; ///< by tile: cycle in which its results were in SRAM
};

/// Times of the tiles `steps` (of `sequence`) and of the transfers, which are in the order of their start.
PlayedTimes playTimes(const firmware::Target &target, const Sequence &sequence, const std::vector<uint32_t> &steps,
                      const std::vector<PlayedTransfer> &transfers);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_PLAYBACK_H
