//===- SimplerControlFlow.h - Steps of the reducer --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_SIMPLERCONTROLFLOW_H
#define AVOCET_VALIDATION_RANDOM_SIMPLERCONTROLFLOW_H

#include "Graph.h"

namespace avocet::hal::conformance {

/// Graphs that differ from `graph` by one change to an IF or WHILE. Their results must be computed again, and a loop
/// may not end. Changes:
///  - a branch instead of the IF, one run of the condition or of the body instead of the loop, at any depth;
///  - an inner result of a subgraph, at any depth, becomes an input that is passed to it, or an output instead of one
///  of
///    the same type and extents;
///  - one output less; a state of a loop that keeps its first value;
///  - a branch of one operation for each output, or an inner result as the only output of an IF and of the graph, with
///    such a branch beside it;
///  - an inner result of the body as the only state of a loop, except those that the condition reads.
std::vector<Graph> withSimplerControlFlow(const Graph &graph);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_SIMPLERCONTROLFLOW_H
