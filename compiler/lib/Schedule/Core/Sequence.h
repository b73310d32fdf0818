//===- Sequence.h - A schedule as a list of commands ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scheduler's result: buffers, and commands in one order that is correct when they run one after the other.
// Addresses in the commands are offsets into the step's buffers, in the order of firmware_iface/Addresses.h.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEQUENCE_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEQUENCE_H

#include "Problem.h"
#include "avocet/compiler/Yield/TilePlace.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace avocet::compiler::schedule {

enum class BufferSpace : uint8_t { Sram, Input, Output, Constants, Scratch };

/// `size` bytes of a constant from byte `source`, stored at byte `offset` of a buffer.
struct Segment {
  uint32_t constant = kNone;
  uint64_t source = 0, size = 0, offset = 0;
};

inline constexpr uint64_t kUnplaced = UINT64_MAX;

struct Buffer {
  BufferSpace space = BufferSpace::Sram;
  uint32_t index = 0; ///< number of the network input or output
  uint64_t bytes = 0;
  std::string name;
  std::vector<Segment> contents; ///< constants only
  uint64_t address = kUnplaced;  ///< SRAM: address from the scheduler's own allocation
  uint32_t tensor = kNone;       ///< that it holds
  uint32_t operation = kNone;    ///< whose constants it holds
};

/// Of a tile, for the source map.
struct StepOrigin {
  uint32_t operation = kNone; ///< kNone: a transfer
  TilePlace place;            ///< in the operation's first output
};

/// Estimated time of a tile without contention.
struct StepTime {
  uint64_t cycles = 0;     ///< from issue until the results are in SRAM
  uint64_t fill = 0;       ///< part of them: before the engine computes
  uint64_t drain = 0;      ///< part of them: after the engine has computed
  uint64_t last = 0;       ///< in which the last block computes; the next tile can fill in this time
  uint64_t portBytes = 0;  ///< bytes that the tile moves through the SRAM port
  uint64_t edgeBytes = 0;  ///< part of them: while it fills or drains
  uint64_t sharedBusy = 0; ///< busy() while off-chip transfers use the SRAM port at their full rate
  uint64_t output = 0;     ///< cycles of the output stage
  uint64_t busy() const { return cycles - fill - drain; }
  /// Cycles after which the next tile's results need not wait for those of this one in the output stage.
  uint64_t occupied() const { return std::max(busy(), std::min(output, cycles - fill)); }
};

struct Step {
  firmware::CommandBody command;
  std::vector<uint32_t> buffers;
  uint32_t layer = firmware::kNoLayer;
  uint32_t channel = 0;   ///< DMA channel
  StepTime time;          ///< of a tile
  double waits = 0;       ///< share of the engine's tile before it that must be done before the tile can fill
  uint32_t after = kNone; ///< the last tile of the other engine that must be done before; tiles count from 0 in order
  StepOrigin origin = {};
  bool isDma() const { return std::holds_alternative<firmware::DmaCommand>(command); }
  bool isDsp() const { return std::holds_alternative<firmware::DspCommand>(command); }
};

struct Sequence {
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  uint64_t cycles = 0; ///< prediction, from the start on an idle device

  /// Internal if a step has an invalid buffer, accesses bytes outside its buffers, or reads SRAM bytes that no earlier
  /// step has written; if the placed SRAM buffers overlap while both are in use, or exceed the SRAM.
  Status verify(const Problem &problem) const;
};

/// The best sequence that the planner finds for a checked problem, or the reason why there is none.
std::variant<Sequence, Misfit> makeSchedule(const Problem &problem);

/// First and last step in which a buffer is in use, [first, last]; first > last: never used.
struct Lifetime {
  uint32_t first = kNone, last = 0;
  bool used() const { return first != kNone; }
};
std::vector<Lifetime> lifetimesOf(const Sequence &sequence);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEQUENCE_H
