//===- Losses.h - Why a network takes longer than its bound -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound of a network is all its computation, or all bytes that must cross the off-chip port, whichever takes
// longer. That one is its limit. Cycles without work at the limit are lost: of a network whose limit is computation,
// the cycles of a layer above its compute cycles; of the others, the cycles of a layer in which the port moved none of
// the bytes that it must move. So the losses of all rows are at least the cycles above the bound. They are more by what
// was saved: work at the limit that took no cycles of its own, because the DSP computed while the array did.
//
// A part of a loss is missing overlap: the layer takes no more than its own bound, but others could have used the limit
// meanwhile. An example is a layer that computes while the port is idle, in a network that the port limits. The rest is
// the layer's own.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_LOSSES_H
#define AVOCET_ANALYSIS_LOSSES_H

#include "avocet/analysis/CommandStreams.h"
#include "avocet/analysis/Report.h"

namespace avocet::analysis {

struct Loss {
  uint64_t own = 0;     ///< cycles above the layer's bound
  uint64_t overlap = 0; ///< lost cycles within it
  uint64_t total() const { return own + overlap; }
};

struct Losses {
  bool isPortLimit = false; ///< else computation
  uint64_t gap = 0;         ///< cycles of the network above its bound
  std::vector<Loss> layers; ///< by number; one more at the end for cycles of no layer
  uint64_t total = 0;       ///< of all rows, at least `gap`
};

/// `report` is that of the job of `profile`, with spans, which ran `streams`.
Losses findLosses(const Report &report, const CommandStreams &streams, const firmware::JobProfile &profile,
                  const firmware::Target &target);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_LOSSES_H
