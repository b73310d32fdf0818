//===- FlowGraph.h - Operations and maps of a cascade ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph says which operations of a cascade write and read each map, and where the rows of an operand are in it.
// RowFlow.cpp asks this for every tile. The planner tries many heights of stripes, and a cascade has up to thousands of
// tiles, so the graph is made once for a range of operations.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_FLOWGRAPH_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_FLOWGRAPH_H

#include "RowFlow.h"

namespace avocet::compiler::schedule {

struct MapState;

/// An operand of the cascade that is not constant.
struct FlowLink {
  uint32_t operation = 0; ///< counted from the cascade's first
  uint32_t index = 0;     ///< among the operation's inputs or outputs; kNone: the dynamic scale, which is read whole
  uint32_t map = 0;
  uint32_t height = 0;                           ///< of the operand
  std::optional<RowPlaces> places = RowPlaces(); ///< of the operand's rows, if they are rows of the map
  MapState *state = nullptr;                     ///< of the map
  std::vector<const FlowLink *> writers = {};    ///< of what an input reads
};

/// A map of the cascade: a tensor, or a part of one.
struct MapState {
  std::vector<const FlowLink *> writers, readers;
  uint32_t height = 0;
  bool isWhole = true;   ///< the map is wholly in SRAM, so `ring` has no meaning
  bool isRing = false;   ///< rows can wrap
  uint32_t ringUnit = 1; ///< the rows of a ring that wraps are a multiple of it, so that all rows of an operand are at
                         ///< one distance
  FlowMap ring;
  bool storesRows = false; ///< whole rows are stored once all writers have made them
  uint32_t have = 0;       ///< rows made or loaded so far
  uint32_t step = 0;       ///< most rows that arrived at once
  uint32_t stored = 0;     ///< rows stored so far, if `storesRows`
};

/// An operation of the cascade.
struct FlowNode {
  const Operation *op = nullptr;
  uint32_t made = 0;   ///< output rows so far
  uint32_t steady = 0; ///< output rows of a tile in the steady state
  std::vector<FlowLink> inputs, outputs;
  bool isEnd = false;        ///< no other operation of the cascade reads a result
  bool leaves = false;       ///< a result is read, or stored, outside the cascade
  bool makesWeights = false; ///< rows of the result are sets of weights of an operation of the cascade
  uint32_t height() const { return op->outputs[0].shape.height; }
};

struct FlowGraph {
  /// Operations [first, end) with the plan's residencies. The problem must outlive the graph.
  FlowGraph(const Problem &problem, const TensorUses &uses, const Plan &plan, uint32_t first, uint32_t end);
  FlowGraph(const FlowGraph &) = delete; // links point into it

  /// Forgets the rows that a flow has made.
  void reset();

  const Problem &problem;
  uint32_t first;
  std::vector<FlowNode> nodes;
  std::unordered_map<uint32_t, MapState> states; ///< by map
  RowFlow flow;                                  ///< without events and rows
};

/// The flow of a cascade of all operations of the graph; see flowCascade().
RowFlow flowCascade(FlowGraph &graph, const Cascade &cascade, bool lookAhead);

/// Whether output rows depend on the same rows of the input: an operand of an element-wise operation, or an addend.
bool isElementwise(const Operation &op, uint32_t index);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_FLOWGRAPH_H
