//===- Tracing.cpp - Spans in Android's notation --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Tracing.h"

#include <fmt/format.h>

#include <array>

namespace avocet::hal {

std::string traceName(TraceLayer layer, TracePhase phase, std::string_view detail, TraceKind kind) {
  static constexpr std::array<std::string_view, 7> kLayers = {"LA", "LR", "LI", "LD", "LC", "LO", "LU"};
  static constexpr std::array<std::string_view, 13> kPhases = {"PO", "PWU", "PBM", "PI",  "PP",  "PC", "PE",
                                                               "PT", "PU",  "PIO", "PTR", "PCO", "PR"};
  static constexpr std::array<std::string_view, 3> kPrefixes = {"", "[SW]", "[SUB]"};
  return fmt::format("{}[NN_{}_{}]{}", kPrefixes[static_cast<size_t>(kind)], kLayers[static_cast<size_t>(layer)],
                     kPhases[static_cast<size_t>(phase)], detail);
}

} // namespace avocet::hal
