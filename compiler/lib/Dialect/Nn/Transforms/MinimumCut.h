//===- MinimumCut.h - The cheapest division of a graph ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_MINIMUMCUT_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_MINIMUMCUT_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace avocet::compiler::nn {

/// Divides nodes into two sides so that the edges from side 0 to side 1 cost as little as possible: Dinic's algorithm,
/// deterministic, with a bound on its steps.
class MinimumCut {
public:
  using Node = uint32_t;
  static constexpr Node kSide0 = 0, kSide1 = 1; ///< nodes whose sides are given
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 4;

  MinimumCut() : edges_(2) {}

  Node addNode();
  /// A cost if `from` is on side 0 and `to` on side 1.
  void addCost(Node from, Node to, int64_t cost);

  /// The nodes on side 1; nullopt: the graph is too hard.
  std::optional<std::vector<bool>> solve();

private:
  struct Edge {
    Node to;
    int64_t capacity;
  };

  bool findLevels();
  void blockPaths(size_t mostSteps);
  /// The next edge of the node that leads to the next level, or none.
  std::optional<uint32_t> nextEdge(Node node);
  void augment(std::vector<uint32_t> &path);

  std::vector<Edge> all_;                    ///< each edge is followed by the one back
  std::vector<std::vector<uint32_t>> edges_; ///< of each node
  std::vector<uint32_t> levels_;             ///< distance from side 0 plus 1; 0: not reached
  std::vector<size_t> next_;                 ///< edge of each node that is tried next
  size_t steps_ = 0;
};

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_MINIMUMCUT_H
