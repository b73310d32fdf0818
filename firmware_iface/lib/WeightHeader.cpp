//===- WeightHeader.cpp - Header of compressed weights ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightHeader.h"

#include "WeightBits.h"
#include "WeightCode.h"
#include "avocet/firmware_iface/WeightStream.h"

namespace avocet::firmware {

static constexpr size_t kFixedBytes = 3;

Status damagedWeights(const std::string &what) { return Status(StatusCode::DataLoss, "compressed weights: " + what); }

/// Each length as its difference to the one before.
static uint32_t nextLength(BitReader &bits, uint32_t before) {
  if (!bits.take(1))
    return before;
  if (!bits.take(1))
    return before + 1;
  if (!bits.take(1))
    return before - 1; // wraps to a length that is refused
  return bits.take(1) ? bits.take(4) : 0;
}

static void putLength(BitWriter &bits, uint32_t length, uint32_t before) {
  if (length == before)
    bits.put(0, 1);
  else if (length == before + 1)
    bits.put(0b10, 2);
  else if (length + 1 == before)
    bits.put(0b110, 3);
  else if (length == 0)
    bits.put(0b1110, 4);
  else
    bits.put(0b1111u << 4 | length, 8);
}

Result<WeightHeader> WeightHeader::read(std::span<const uint8_t> slice, uint32_t elementSize) {
  if (slice.size() < kFixedBytes || slice[0] != kWeightStreamVersion || slice[1] != elementSize)
    return damagedWeights("the header is not one of version " + std::to_string(kWeightStreamVersion) +
                          " with elements of " + std::to_string(elementSize) + " bytes");
  WeightHeader header;
  header.runValue = slice[2];
  BitReader bits(slice.subspan(kFixedBytes));
  uint32_t length = 0;
  for (uint32_t symbol = 0; symbol < symbolsOf(elementSize); ++symbol) {
    length = nextLength(bits, length);
    if (length > kLongestCode)
      return damagedWeights("the code of symbol " + std::to_string(symbol) + " is longer than " +
                            std::to_string(kLongestCode) + " bits");
    header.lengths.push_back(static_cast<uint8_t>(length));
  }
  header.bytes = kFixedBytes + bits.bytesUsed();
  if (header.bytes > slice.size())
    return damagedWeights("the code lengths exceed the slice");
  if (!formCode(header.lengths))
    return damagedWeights("the code lengths do not form a code");
  return header;
}

void WeightHeader::write(uint32_t elementSize, std::vector<uint8_t> &out) const {
  out = {kWeightStreamVersion, static_cast<uint8_t>(elementSize), runValue};
  out.resize(kFixedBytes + lengths.size() + 8);
  BitWriter bits(std::span<uint8_t>(out).subspan(kFixedBytes));
  uint32_t before = 0;
  for (uint32_t length : lengths) {
    putLength(bits, length, before);
    before = length;
  }
  out.resize(static_cast<size_t>(bits.finish() - out.data()));
}

} // namespace avocet::firmware
