//===- DramTraffic.h - Off-chip bytes of a run by their meaning -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the bytes that crossed the off-chip port were. The device counts bytes of each region; the commands tell how
// many different bytes of the constants they read.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DRAMTRAFFIC_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DRAMTRAFFIC_H

#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Profile.h"

#include <cstdint>
#include <vector>

namespace avocet::tool {

/// The parts add up to the bytes that crossed the port.
struct DramTraffic {
  uint64_t weights = 0;          ///< constants, each byte for the first time
  uint64_t refetchedWeights = 0; ///< constants, again
  uint64_t spills = 0;           ///< intermediate results, written and read; values between sections of a network
  uint64_t inputs = 0;           ///< of the network
  uint64_t outputs = 0;          ///< of the network

  uint64_t total() const { return weights + refetchedWeights + spills + inputs + outputs; }
};

/// With branches or loops: a byte that any section reads counts once as `weights`, whichever sections ran.
DramTraffic dramTraffic(const cache::ModelCache &model, const firmware::JobProfile &profile);

/// Appends the ranges of one region that a command reads or writes.
void appendRanges(const firmware::CommandBody &command, uint32_t region, std::vector<firmware::ByteRange> &ranges);

/// Bytes in the union of ranges of one region; sorts them.
uint64_t unionBytes(std::vector<firmware::ByteRange> &ranges);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DRAMTRAFFIC_H
