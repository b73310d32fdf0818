//===- Footprint.h - Which bytes a command touches --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that a command reads and writes, as byte ranges. The compiler orders streams by it, the device checks every
// range before it starts a command: both must see the same, so it stands with the encoding.
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

/// Appends the ranges of one command; arithmetic saturates, so that hostile sizes give a huge range and not a small
/// one.
void appendFootprint(const CommandBody &command, std::vector<ByteRange> &ranges);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_FOOTPRINT_H
