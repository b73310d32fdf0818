//===- Pins.h - What a schedule must have -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hints of an engineer (compiler/docs/Hints.md), by the numbers of a problem. The planner makes only plans that follow
// them; what they leave open it chooses as ever. checkPins() refuses what no plan can follow.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PINS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PINS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/BlockChoice.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace avocet::compiler::schedule {

struct Cascade;
struct Plan;
struct Problem;
class TensorUses;

struct TransferOptions {
  bool prefetch = true;    ///< false: constants live from the step before their first use on
  uint32_t slackSteps = 3; ///< extra life of buffers that transfers fill or drain
  bool isSpread = true;    ///< among the channels, if one does not saturate the port; false: one loads, another stores
  bool operator==(const TransferOptions &) const = default;
};

/// Operations [first, end) are a cascade. What is not set is free, except that a height without parts means one part.
struct CascadePin {
  uint32_t first = 0, end = 0;
  std::optional<uint32_t> stripeRows, channelParts;
  std::optional<bool> ahead;
  std::optional<uint64_t> pieceBytes;          ///< as Cascade::pieceBytes
  std::optional<std::vector<uint32_t>> spills; ///< the results that go to DRAM although later operations read them
  uint32_t hint = 0;                           ///< that it comes from

  bool admits(const Cascade &cascade) const;
};

/// A tensor that cascades pass on is in DRAM, or in SRAM as a whole.
struct MemoryPin {
  bool inDram = false;
  uint32_t hint = 0;
};

struct BlockPin {
  firmware::Block block; ///< of each tile, cut to its size
  uint32_t hint = 0;
};

struct ShiftPin {
  kernels::BlockShift shift; ///< as Plan::blocks
  uint32_t hint = 0;
};

struct OrderPin {
  TransferOptions order;
  uint32_t hint = 0;
};

struct Pins {
  std::map<uint32_t, CascadePin> cascades; ///< by first operation; disjoint
  std::map<uint32_t, uint32_t> cuts;       ///< hints by border at which a cascade ends
  std::map<uint32_t, MemoryPin> memories;  ///< by tensor
  std::map<uint32_t, BlockPin> blocks;     ///< by operation
  std::map<uint32_t, ShiftPin> shifts;     ///< by operation
  std::optional<OrderPin> order;

  bool isEmpty() const;
  const CascadePin *cascadeAt(uint32_t first) const;
  /// The pin of a cascade that has the operation, if there is one.
  const CascadePin *cascadeWith(uint32_t operation) const;
};

/// Whether the operations may be a cascade: if a pin is about one of them, exactly its operations; no cut and no tensor
/// with a pinned memory is inside.
bool mayBeCascade(const Pins &pins, const TensorUses &uses, uint32_t first, uint32_t end);

/// Results of the cascade that the plan has in DRAM although later operations read them, in order.
std::vector<uint32_t> spillsOf(const TensorUses &uses, const Plan &plan, const Cascade &cascade);

/// Whether the plan and the order of its transfers have all that is pinned. Blocks are set when a plan is lowered.
bool followsPins(const Pins &pins, const TensorUses &uses, const Plan &plan, const TransferOptions &order);

/// The cascades that a pin names by numbers: one for each value of what it leaves open of rows, parts and `ahead`,
/// which the planner would not try. None if it leaves the height of the stripes open.
std::vector<Cascade> pinnedCascades(const Problem &problem, const CascadePin &pin);

/// A pin that no plan can follow.
struct PinError {
  uint32_t hint = 0;
  uint32_t operation = 0; ///< at which to report it
  std::string message;    ///< what is wrong, the limit, and what is possible
};

/// Requires pins with valid numbers. In order of operations.
std::vector<PinError> checkPins(const Problem &problem);
/// Pinned cascades that need more than the SRAM by the planner's sums, for problems without a schedule: the sums are
/// too high if buffers follow each other at one place. Requires checked pins.
std::vector<PinError> pinsTooLarge(const Problem &problem);
/// What pins say about an operation, and about what is in SRAM meanwhile.
std::vector<PinError> pinsAbout(const Problem &problem, uint32_t operation);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PINS_H
