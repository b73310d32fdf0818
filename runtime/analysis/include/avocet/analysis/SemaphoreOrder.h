//===- SemaphoreOrder.h - What waits wait for -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order that semaphores give to the commands of different streams. Each section has semaphores of its own. A wait
// for the value n ends with the n-th signal of its semaphore, and a signal is given when all commands before it in its
// stream have ended.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_SEMAPHOREORDER_H
#define AVOCET_ANALYSIS_SEMAPHOREORDER_H

#include "avocet/analysis/CommandTimes.h"

#include <map>

namespace avocet::analysis {

class SemaphoreOrder {
public:
  /// Signals of a semaphore count in the order of the cycles in which they were given, then of their places. Without
  /// times the places alone decide, which is the same order if one stream gives all signals of a semaphore, as in the
  /// streams of the compiler.
  explicit SemaphoreOrder(const CommandStreams &streams, const CommandTimes *times = nullptr);

  /// The signal that ends a wait. None: the value is 0, there are fewer signals, or the command is no wait.
  std::optional<CommandPlace> signalOf(const CommandPlace &wait) const;
  /// The waits that a signal ends, in the order of their places.
  std::vector<CommandPlace> waitsOf(const CommandPlace &signal) const;

  /// The work before a signal that ends last; without times the last one in the stream. None: no work is before it.
  std::optional<CommandPlace> workBefore(const CommandPlace &signal) const;
  /// The first work after a wait in its stream.
  std::optional<CommandPlace> workAfter(const CommandPlace &wait) const;

private:
  class Reader;
  struct Signal {
    std::optional<CommandPlace> work;
    std::vector<CommandPlace> waits;
  };
  struct Wait {
    std::optional<CommandPlace> signal, work;
  };

  std::map<CommandPlace, Signal> signals_;
  std::map<CommandPlace, Wait> waits_;
};

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_SEMAPHOREORDER_H
