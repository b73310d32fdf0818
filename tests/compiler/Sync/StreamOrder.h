//===- StreamOrder.h - The order that semaphores enforce --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle of the stream tests. It uses no intervals and no clocks: it compares all byte ranges of two commands, and
// computes the transitive closure of "before" over all commands.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_SYNC_STREAMORDER_H
#define AVOCET_TESTS_COMPILER_SYNC_STREAMORDER_H

#include "Sync/StreamSync.h"

#include <map>
#include <vector>

namespace avocet::compiler {

/// Whether both touch a byte and one of them writes it.
bool conflict(const firmware::CommandBody &a, const firmware::CommandBody &b);

/// The order of commands, derived from the streams alone. Edges: within a stream, and from the signal that brings a
/// semaphore to a wait's value to that wait. Only one stream may signal a semaphore, because otherwise the value does
/// not determine a signal; isSound() checks this. `source` names commands other than waits and signals.
class StreamOrder {
public:
  /// `skipStream`, `skipCommand`: a wait to ignore; SIZE_MAX: none.
  explicit StreamOrder(const std::vector<Stream> &streams, size_t skipStream = SIZE_MAX, size_t skipCommand = SIZE_MAX);

  /// Whether each semaphore has one signaling stream, every wait can be satisfied, and there is no cycle.
  bool isSound() const { return sound_; }

  bool isBefore(uint32_t first, uint32_t second) const;

private:
  using Set = std::vector<uint64_t>; ///< a bit for each node

  void addSignals(const std::vector<Stream> &streams);
  void addEdges(const std::vector<Stream> &streams, size_t skipStream, size_t skipCommand);
  void close();
  bool merge(size_t node, size_t predecessor);
  static bool contains(const Set &set, size_t node) { return set[node / 64] >> (node % 64) & 1; }

  std::vector<std::vector<size_t>> predecessors_;
  std::map<uint32_t, std::vector<size_t>> signals_; ///< nodes by semaphore
  std::vector<Set> before_;
  std::map<uint32_t, size_t> nodeOfSource_;
  bool sound_ = true;
};

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_SYNC_STREAMORDER_H
