//===- Reducer.h - Smaller graphs with the same failure ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_REDUCER_H
#define AVOCET_VALIDATION_RANDOM_REDUCER_H

#include "Graph.h"

#include <functional>

namespace avocet::hal::conformance {

/// A graph from which no single step of the reducer can remove more while `fails` holds, for which the given graph must
/// hold. Steps: one output instead of all, an inner result as the only output, a result as an input; then those of
/// SimplerControlFlow.h, for which `evaluate` must compute all results again, or return false if it cannot. The number
/// of calls of `fails` is at most quadratic in that of the results.
Graph reduceGraph(Graph graph, const std::function<bool(const Graph &)> &fails,
                  const std::function<bool(Graph &)> &evaluate);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_REDUCER_H
