//===- RandomGraphs.h - Random graphs against a reference -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of random operations, shapes and values, computed by a device and compared with the reference device. The
// reference computes each operation alone, one after the other; the device gets the graph as a whole. So a difference
// is an error of what a driver does with whole networks: fusions, placement, tiling, memory, order. Results must be
// equal to the bit.
//
// A graph depends only on the seed, its number, and on the operations that the device supports. A graph with a
// difference is reduced: operations are removed from both ends while the difference stays, and branches and loops are
// replaced by their parts.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOMGRAPHS_H
#define AVOCET_VALIDATION_RANDOMGRAPHS_H

#include "avocet/validation/Runner.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace avocet::hal::conformance {

struct RandomGraphOptions {
  uint64_t seed = 1;
  uint64_t firstGraph = 0;
  uint64_t numGraphs = 100;
  std::optional<std::chrono::seconds> timeLimit; ///< no graph is started after it
  bool stopsAtFailure = false;                   ///< no graph is started after one that failed
  uint32_t maxOperations = 20;                   ///< of a graph
  unsigned jobs = 1;                             ///< threads, at least 1
  RunnerOptions runner;                          ///< kinds of run, limit of a case, bursts; its `jobs` is not used
  std::string saveDirectory;                     ///< of failing graphs as .nntv files; empty: none are written
  /// Called after each graph, by one thread at a time; must be quick.
  std::function<void(uint64_t done, uint64_t failed)> progress;
};

/// What happened to an operation that was drawn.
struct OperationDraws {
  uint64_t taken = 0;    ///< part of a graph, or of a subgraph for one
  uint64_t refused = 0;  ///< the device does not support it with these operands
  uint64_t rejected = 0; ///< the reference refused it, or its results are useless (not finite, empty, too large)
  uint64_t computed = 0; ///< by the reference, with useful results
  uint64_t compared = 0; ///< of those, with its definition, which is not defined for all operands
};

struct RandomGraphFailure {
  uint64_t graph = 0;
  std::string reason; ///< as RunResult::reason
  std::string detail;
  size_t operations = 0;
  std::vector<std::string> reduced; ///< names of the operations that remain, with those of subgraphs
  std::string file;                 ///< the reduced graph; empty: not written
};

struct RandomGraphSummary {
  uint64_t graphs = 0;
  uint64_t operations = 0;  ///< with those of subgraphs
  uint64_t unsupported = 0; ///< graphs that the device refuses although it supports each operation
  std::map<OperationType, OperationDraws> draws;
  std::vector<RandomGraphFailure> failures; ///< by number
};

/// Errors of files: as writeFile().
avocet::Result<RandomGraphSummary> runRandomGraphs(const std::shared_ptr<IDevice> &device, IDevice &reference,
                                                   const RandomGraphOptions &options);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOMGRAPHS_H
