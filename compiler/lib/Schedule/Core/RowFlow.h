//===- RowFlow.h - Order of the stripes of a cascade ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the rows of a cascade without making commands: determines which operation makes, or which load brings, which
// rows when, and how many rows of each tensor must be kept. Demand driven: before an operation runs, the rows that it
// needs are made. Chains, residual additions and other branches therefore all stay in rings.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_ROWFLOW_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_ROWFLOW_H

#include "Plan.h"

#include <unordered_map>

namespace avocet::compiler::schedule {

class TensorUses;

/// Rows of input number `index`, in the operand's own shape, that output rows `rows` of `op` read.
Rows inputRows(const Operation &op, uint32_t index, Rows rows);

/// The rows of the tensor from the first to the last of the operand's rows `rows`. All rows of the tensor if the
/// operand's rows are not rows of it.
Rows tensorRows(const Problem &problem, const Operand &operand, Rows rows);

enum class FlowKind : uint8_t {
  Load,
  Tile,  ///< its results are stored after it, if they leave SRAM and no Store does it
  Store, ///< of whole rows that several operations have made (TensorUses::Range::hasShortRuns)
};

struct FlowEvent {
  FlowKind kind = FlowKind::Tile;
  uint32_t id = 0; ///< map of a load or store, operation of a tile
  Rows rows;       ///< of the map, or of the operation's output
};

/// The rows of a map that a cascade keeps.
struct FlowMap {
  uint32_t ringRows = 0; ///< rows in SRAM at the same time, at most the map's height
  bool loaded = false;   ///< is loaded from DRAM
  bool stored = false;   ///< is stored to DRAM
};

/// A map is a tensor, by its index, or a part of a tensor in DRAM that the cascade loads or stores by itself; the
/// numbers of parts begin after those of the tensors.
struct RowFlow {
  std::vector<FlowEvent> events;
  std::unordered_map<uint32_t, FlowMap> maps; ///< of the cascade that are not wholly in SRAM
  std::vector<Operand> parts;

  /// The map that contains an operand of the cascade.
  uint32_t mapOf(const Problem &problem, const Operand &operand) const;
  bool isPart(const Problem &problem, uint32_t map) const { return map >= problem.tensors.size(); }
  uint32_t tensorOf(const Problem &problem, uint32_t map) const;
  const MapShape &shapeOf(const Problem &problem, uint32_t map) const;
};

/// The flow of a cascade for the plan's residencies. `lookAhead`: rings of loaded and stored tensors hold one more
/// stripe, so that transfers overlap computation; those of stored ones at least what moves in the latency of a store.
RowFlow flowCascade(const Problem &problem, const TensorUses &uses, const Plan &plan, const Cascade &cascade,
                    bool lookAhead);

/// Bytes of SRAM for the rows that the cascade keeps of its tensors.
uint64_t ringBytes(const Problem &problem, const RowFlow &flow);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_ROWFLOW_H
