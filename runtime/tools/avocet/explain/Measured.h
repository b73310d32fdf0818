//===- Measured.h - A network on one target ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_MEASURED_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_MEASURED_H

#include "ModelSource.h"
#include "Report.h"
#include "commands/CommandTimes.h"
#include "commands/LayerTiles.h"
#include "sources/SourceMap.h"

namespace avocet::tool {

/// A compiled model with the figures of a simulated run, with random inputs if they decide what runs.
struct Measured {
  LoadedModel model;
  Report report;
  firmware::JobProfile profile;
};
/// Compiles and simulates once. Unsupported: the target refuses operators, which refusedOperators() lists.
Result<Measured> measure(const ModelChoice &choice, Progress &progress);

/// Why the array or the DSP waited for a command: for what the command did.
struct WaitCause {
  enum class Kind { Constants, Reload, Input, Result, Store };
  Kind kind = Kind::Result;
  uint32_t layer = firmware::kNoLayer; ///< whose constants or result it is; kNoLayer: unknown
  auto operator<=>(const WaitCause &) const = default;
};

/// Cycles in which the commands of a layer on array and DSP waited, in all runs of their section, by cause, the longest
/// first.
std::vector<std::pair<WaitCause, uint64_t>> waitsOf(const SourceMap &map, const CommandTimes &times, uint32_t layer);

/// How the compiler cut a layer, and what it moves.
struct LayerPlan {
  LayerTiles tiles;
  uint64_t constantBytes = 0; ///< loaded in one run of its section
  uint32_t section = 0;
};
LayerPlan planOf(const SourceMap &map, uint32_t layer);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_MEASURED_H
