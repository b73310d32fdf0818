//===- Evaluation.h - Results of one operation ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_EVALUATION_H
#define AVOCET_VALIDATION_RANDOM_EVALUATION_H

#include "Graph.h"
#include "avocet/hal/types/Interfaces.h"

namespace avocet::hal::conformance {

/// Most elements of a result. Results of more are refused.
inline constexpr uint64_t kMaxResultElements = uint64_t{1} << 18;

/// Most iterations of a loop. Loops with more are refused.
inline constexpr uint32_t kMaxIterations = 16;

/// Runs the last operation of `graph` alone on `reference`, which finds the extents of the results, and stores extents
/// and bytes. The operands must be known. Refuses what the device refuses, empty results, and values that would hide
/// differences later: NaN, infinity, and magnitudes above one million.
///
/// Of an IF or WHILE, the operations of the subgraphs run alone, in each iteration again. So the reference never
/// computes a subgraph as a whole. Values in a subgraph must keep their extents.
Outcome evaluateLast(Graph &graph, IDevice &reference);

/// The same for all operations, in order: computes the results of changed inputs or operations.
Outcome evaluateAll(Graph &graph, IDevice &reference);

/// The last operation with its operands as inputs, as a graph of its own. Its values must be known.
Graph lastAlone(const Graph &graph);

/// Whether `device` supports the last operation of `graph` alone; else why not. All values must be known.
hal::Result<Unsupported> supportOfLast(const Graph &graph, const IDevice &device);

/// Whether `device` supports all operations of a graph with outputs.
bool isSupported(const Graph &graph, const IDevice &device);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_EVALUATION_H
