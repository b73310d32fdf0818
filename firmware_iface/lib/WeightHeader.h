//===- WeightHeader.h - Header of compressed weights ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_WEIGHTHEADER_H
#define AVOCET_FIRMWARE_IFACE_LIB_WEIGHTHEADER_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::firmware {

/// What precedes the index of a slice.
struct WeightHeader {
  uint8_t runValue = 0;
  std::vector<uint8_t> lengths; ///< of the codes, by symbol
  uint64_t bytes = 0;           ///< of the header

  static Result<WeightHeader> read(std::span<const uint8_t> slice, uint32_t elementSize);
  void write(uint32_t elementSize, std::vector<uint8_t> &out) const;
};

/// DataLoss: "compressed weights: ...".
Status damagedWeights(const std::string &what);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_WEIGHTHEADER_H
