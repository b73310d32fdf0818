//===- Exploration.h - Design points and their computation ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLORATION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLORATION_H

#include "DesignSpace.h"
#include "Record.h"
#include "avocet/compiler/Loader.h"
#include "model/Networks.h"
#include "output/Progress.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// One of `count` parts of all points, of about equal work.
struct Share {
  size_t number = 0;
  size_t count = 1;
};

/// What is explored, and where the results are.
struct Exploration {
  std::string directory;
  DesignSpace space;
  std::vector<Network> networks;
  std::string optimize; ///< as kOptimizeHelp says; empty: default
  std::string build;    ///< version of compiler and simulator

  size_t numPoints() const { return networks.size() * space.targets.size(); }
  std::string targetPath(size_t target) const;
  std::string resultFolder() const { return directory + "/results"; }

  /// Requires a target that breaks no rule.
  std::string keyOf(size_t network, size_t target) const;
};

/// The version of the compiler's library, and of the sources of compiler and simulator in this program.
std::string explorationBuild(const compiler::LoadedCompiler &compiler);

/// Writes the target files, each with its name.
Status writeTargets(const Exploration &exploration);

/// A point to be computed.
struct PendingPoint {
  size_t network;
  size_t target;
};

/// Points without a final record, by target, then network, so that the mean time of a point soon is that of all.
std::vector<PendingPoint> pendingPoints(const Exploration &exploration, const ResultStore &store);

/// The part of all points of the exploration that a share computes, whatever other shares have finished.
std::vector<PendingPoint> pendingPointsOf(const Exploration &exploration, const ResultStore &store, Share share);

/// Computes points with `jobs` threads and appends their records. A point that cannot be computed gets a record with
/// the reason; the error is that of the store.
Status computePoints(const Exploration &exploration, const compiler::LoadedCompiler &compiler,
                     const std::vector<PendingPoint> &points, unsigned jobs, ResultStore &store, Progress &progress);

/// "34 s", "5 min", "2 h 10 min".
std::string durationText(double seconds);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_EXPLORATION_H
