//===- Measured.h - A network on one target ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles and simulates a network for targets that differ in one figure. The answers are measured, not estimated.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_MEASURED_H
#define AVOCET_DOCUMENTS_MEASURED_H

#include "avocet/analysis/CommandTimes.h"
#include "avocet/analysis/Report.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/network/ModelSource.h"

namespace avocet::documents {

/// A compiled model with the figures of a simulated run, with random inputs if they decide what runs.
struct Measured {
  session::LoadedModel model;
  analysis::Report report;
  firmware::JobProfile profile;
};
/// Compiles and simulates once. Unsupported: the target refuses operators, which refusedOperators() lists.
Result<Measured> measure(const network::ModelChoice &choice, network::Observer &observer);

/// Why the array or the DSP waited for a command: for what the command did.
struct WaitCause {
  enum class Kind { Constants, Reload, Input, Result, Store };
  Kind kind = Kind::Result;
  uint32_t layer = firmware::kNoLayer; ///< whose constants or result it is; kNoLayer: unknown
  auto operator<=>(const WaitCause &) const = default;
};

/// Cycles in which the commands of a layer on array and DSP waited, in all runs of their section, by cause, the longest
/// first.
std::vector<std::pair<WaitCause, uint64_t>> waitsOf(const analysis::SourceMap &map, const analysis::CommandTimes &times,
                                                    uint32_t layer);

/// How the compiler cut a layer, and what it moves.
struct LayerPlan {
  analysis::LayerTiles tiles;
  uint64_t constantBytes = 0; ///< loaded in one run of its section
  uint32_t section = 0;
};
LayerPlan planOf(const analysis::SourceMap &map, uint32_t layer);

struct WhatIf {
  enum class Figure { Bandwidth, Latency, Channels, SramPort, SramBytes };
  Figure figure = Figure::Bandwidth;
  std::string change; ///< "512 KiB of SRAM"
  uint64_t cycles = 0;
  uint64_t layerCycles = 0; ///< of the layer asked for; 0: no layer, or it has another name there
};

/// The network with one figure of its target changed: twice the SRAM port, the off-chip bandwidth and the DMA channels,
/// half of the off-chip latency, and sizes of SRAM up to the first at which more memory brings less than 1 %. Changes
/// that the network or the target's rules refuse are left out.
Result<std::vector<WhatIf>> tryChanges(const network::ModelChoice &choice, const Measured &base,
                                       const std::string &layer, network::Observer &observer);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_MEASURED_H
