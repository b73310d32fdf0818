//===- Footprint.h - The bytes that a command accesses ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that a command reads and writes, as byte ranges. The compiler orders streams by them, and the device checks
// every range before it starts a command. Both must use the same ranges, so this code is part of the encoding library.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_FOOTPRINT_H
#define AVOCET_FIRMWARE_IFACE_FOOTPRINT_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <vector>

namespace avocet::firmware {

/// Bytes [begin, end) of a region. Ranges are covers: a strided box or rolling window is given as one range per
/// contiguous piece where that is cheap (rows of a dense tensor merge), else as the smallest range around it.
struct ByteRange {
  uint32_t region = kSramRegion;
  uint64_t begin = 0;
  uint64_t end = 0;
  bool write = false;
  bool operator==(const ByteRange &) const = default;
};

/// Appends the ranges of one command. Arithmetic saturates, so that hostile sizes give a huge range and not a small
/// one.
void appendFootprint(const CommandBody &command, std::vector<ByteRange> &ranges);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_FOOTPRINT_H
