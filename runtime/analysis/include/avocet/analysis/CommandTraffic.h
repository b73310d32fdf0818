//===- CommandTraffic.h - Bytes that each command moved -*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_COMMANDTRAFFIC_H
#define AVOCET_ANALYSIS_COMMANDTRAFFIC_H

#include "avocet/analysis/CommandStreams.h"

#include <array>

namespace avocet::analysis {

/// Ways over which bytes move.
enum Way : size_t { SramPort, DramRead, DramWrite };
inline constexpr size_t kNumWays = 3;
using WayBytes = std::array<double, kNumWays>;

/// Bytes that a transfer takes from its source, if it has one, to its destination.
uint64_t movedBytes(const firmware::DmaCommand &dma);

/// Bytes by span of the profile. The device counts them by layer: the layer's transfers have the bytes that they move,
/// and the rest is divided among its other commands by the bytes that they touch. So the sums are those that were
/// counted. 0 for spans whose command is not known.
std::vector<WayBytes> commandTraffic(const CommandStreams &streams, const firmware::JobProfile &profile);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_COMMANDTRAFFIC_H
