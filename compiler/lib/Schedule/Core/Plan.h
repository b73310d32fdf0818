//===- Plan.h - What the scheduler decides ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions of a schedule, before they become commands. A cascade is a contiguous range of operations that run in
// horizontal stripes. The last operation makes `stripeRows` rows at a time, and every earlier operation makes only the
// rows that these need. A result that is read only inside the cascade is kept in a ring of a few rows.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLAN_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLAN_H

#include "Problem.h"
#include "avocet/kernels/BlockChoice.h"

#include <cstdint>
#include <map>
#include <vector>

namespace avocet::compiler::schedule {

struct Cascade {
  uint32_t first = 0, end = 0; ///< operations [first, end)
  uint32_t stripeRows = 0;     ///< rows of the last operation's output per stripe, at least 1
  /// Cascades of one convolution, or of several with the same constants that do not read each other's results, in one
  /// stripe: parts of the output channels, weights loaded part by part.
  uint32_t channelParts = 1;
  /// Operations before the last run one stripe ahead of their readers, so that no tile reads the output of the tile
  /// just before it. Costs one more stripe in each ring.
  bool ahead = false;
  /// Nonzero: the cascade is one operation in pieces cut along any axes, with operands outside SRAM; bytes of SRAM that
  /// the pieces may use. stripeRows and channelParts are then ignored.
  uint64_t pieceBytes = 0;
  bool operator==(const Cascade &) const = default;
};

/// Where a tensor is stored between the cascades that write and read it.
enum class Residency : uint8_t {
  Ring, ///< only inside one cascade, in a ring of rows
  Sram, ///< whole in SRAM
  Dram, ///< network input, network output or scratch; cascades that access it stage it through a ring of rows
};

struct Plan {
  std::vector<Cascade> cascades;      ///< cover all operations in order
  std::vector<Residency> residencies; ///< by tensor
  /// By operation: a change of the blocks of its tiles, where they fit. Empty: none.
  std::vector<kernels::BlockShift> blocks = {};
  /// By operation: the first one with the same constants, whose cascade loads them for all of these. kNone: the own
  /// cascade loads them. Empty: so do all.
  std::vector<uint32_t> keptConstants = {};
};

/// The residencies for given cascades if nothing is spilled: Ring for tensors that only one cascade writes and reads,
/// Dram for network inputs and for network outputs that no other cascade reads or that nothing reads, Sram for the
/// rest.
std::vector<Residency> residenciesOf(const Problem &problem, const std::vector<Cascade> &cascades);

/// Whether the cascade makes some but not all parts of a tensor and reads what it makes. With the tensor in DRAM such a
/// cascade would have to wait for its own stores; plans must have the tensor in SRAM.
bool readsOwnStores(const Problem &problem, const Cascade &cascade, uint32_t tensor);

/// A way to run the operations at one place of a plan.
struct CascadeChoice {
  Cascade cascade;
  std::vector<uint32_t> spills; ///< results that go to DRAM although later operations read them; tensors
  /// Predicted change of the network's cycles if only this choice changes, against the plan. Operations that the plan's
  /// cascade has and this one lacks then run one by one. 0 for the plan's own choice.
  int64_t moreCycles = 0;
  uint64_t neededBytes = 0; ///< of SRAM
  bool fits = true;         ///< neededBytes is at most PlanDecisions::limitBytes
};

struct CascadeDecision {
  CascadeChoice taken;
  /// Fewest cycles first; those that do not fit last. Each with another range of operations or other spills, except for
  /// those that differ from `taken` in stripes or parts only.
  std::vector<CascadeChoice> others;
};

/// The block of the largest tile of an operation of the MAC array.
struct BlockDecision {
  uint32_t operation = 0;
  kernels::BlockChoice taken;
  std::vector<kernels::BlockChoice> others; ///< fewest cycles first
};

/// Why a schedule is as it is: at each place of its plan, what else could have been done there, and what it would have
/// cost; and which layers its predicted time belongs to. Made after the search, for the schedule that it returns.
struct PlanDecisions {
  uint64_t limitBytes = 0; ///< of SRAM, that the plan may use
  std::vector<CascadeDecision> cascades;
  std::vector<BlockDecision> blocks;
  std::vector<kernels::BlockShift> shifts; ///< as Plan::blocks
  TransferOptions order;
  std::map<uint32_t, uint64_t> layerCycles; ///< predicted, by layer; they add up to those of the schedule
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLAN_H
