//===- PlanSteps.h - What a cascade adds to a partial plan ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a plan at a border between operations is the set of crossing tensors that are in DRAM. From a state, a
// cascade run in one way, with a choice of results to spill, needs bytes of SRAM and gives a load of the plan's clock.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANSTEPS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANSTEPS_H

#include "CascadeWays.h"
#include "TensorUses.h"
#include "avocet/firmware_iface/Target.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace avocet::compiler::schedule {

/// What a cascade needs.
struct CascadeLoad {
  uint64_t cycles = 0;              ///< of its tiles
  uint64_t lastCycles = 0;          ///< of the tiles that need the last constants
  uint64_t loadedBytes = 0;         ///< constants that cross the port
  uint64_t firstBytes = 0;          ///< constants before the first tile
  uint64_t aheadBytes = UINT64_MAX; ///< constants that have a place before the first tile
  uint64_t movedBytes = 0;          ///< other bytes that cross the port while it runs
  uint64_t edgeLoads = 0;           ///< part of them: loads before the first tile
  uint64_t edgeStores = 0;          ///< part of them: stores after the last tile
  uint64_t rowLoads = 0;            ///< transfers of rows that wait until earlier rows have been read
  uint64_t rowBytes = 0;            ///< that they load
  uint64_t rowsAhead = 1;           ///< so many of them are under way while tiles compute
  uint64_t freeBytes = 0;           ///< SRAM that the cascade leaves to constants of later cascades
};

/// Plays a plan with one step per cascade. Two times describe a partial plan: when the last tile ends, and the position
/// of the off-chip port, which is the time at which its transfers end if it works without a pause. A position before
/// the end of the last tile means that the port is ahead: it has loaded constants of later cascades, at most as many
/// bytes as each cascade leaves free in SRAM.
class PlanClock {
public:
  void add(const firmware::Target &target, const CascadeLoad &load);

  uint64_t computed() const { return computed_; } ///< end of the last tile
  uint64_t position() const { return position_; } ///< of the port
  uint64_t cycles() const { return std::max(computed_, position_); }

private:
  uint64_t computed_ = 0, position_ = 0;
};

/// The crossing tensors of a border that are in DRAM. A set of bits: hundreds of plans at each border have one, and
/// thousands of tensors may be in it.
class Spills {
public:
  bool contains(uint32_t tensor) const;
  /// `bytes`: what the tensor would need in SRAM. Without effect if the tensor is in the set already, or is not.
  void insert(uint32_t tensor, uint64_t bytes);
  void erase(uint32_t tensor, uint64_t bytes);

  /// That all of them would need in SRAM.
  uint64_t bytes() const { return bytes_; }

  bool operator==(const Spills &) const = default;

private:
  uint64_t bytes_ = 0;          ///< compared first
  uint64_t hash_ = 0;           ///< of the tensors
  std::vector<uint64_t> words_; ///< a bit for each tensor; the last word is not 0
};

struct PlanStep {
  uint64_t neededBytes = 0; ///< of SRAM while the cascade runs: its rings and constants, and what stays there
  CascadeLoad load;         ///< freeBytes is not set
};

class PlanSteps {
public:
  /// Both must outlive the object.
  PlanSteps(const Problem &problem, const TensorUses &uses) : problem_(problem), uses_(uses) {}

  /// A cascade from the state `from` at its first operation; `newSpills` of its results go to DRAM. nullopt: a tensor
  /// would be in DRAM that the cascade needs in SRAM.
  std::optional<PlanStep> step(const CascadeRange &range, const CascadeWay &way, const Spills &from,
                               const std::vector<uint32_t> &newSpills) const;

  /// The state after the cascade of operations [first, end), from the state before `first`.
  Spills after(const Spills &from, const std::vector<uint32_t> &newSpills, uint32_t first, uint32_t end) const;

private:
  void addTransfers(const BorderTensor &border, const CascadeWay &way, const CascadeWay::Border &bytes, bool inDram,
                    CascadeLoad &load) const;
  uint64_t sharedPort(const CascadeWay &way, uint64_t bytes) const;
  bool isInDram(const BorderTensor &border, const Spills &from, const std::vector<uint32_t> &newSpills,
                uint32_t end) const;
  bool takesPlace(const Spills &from, const CascadeRange &range, const CascadeWay &way, size_t result,
                  bool resultInDram) const;

  const Problem &problem_;
  const TensorUses &uses_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANSTEPS_H
