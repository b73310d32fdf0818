//===- WhatIf.h - What a change of the target would bring -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles and simulates a network for targets that differ in one figure. The answers are measured, not estimated.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_WHATIF_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_WHATIF_H

#include "Measured.h"

namespace avocet::tool {

struct WhatIf {
  std::string change; ///< "512 KiB of SRAM"
  uint64_t cycles = 0;
  uint64_t layerCycles = 0; ///< of the layer asked for; 0: no layer, or it has another name there
};

/// The network with one figure of its target changed: twice the SRAM port, the off-chip bandwidth and the array's
/// rates, half of the off-chip latency, and sizes of SRAM up to the first at which more memory brings less than 1 %.
/// Changes that the network or the target's rules refuse are left out.
Result<std::vector<WhatIf>> tryChanges(const ModelChoice &choice, const Measured &base, const std::string &layer,
                                       Progress &progress);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_WHATIF_H
