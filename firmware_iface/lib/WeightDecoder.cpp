//===- WeightDecoder.cpp - Decompression of weights -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightIndex.h"
#include "avocet/firmware_iface/WeightStream.h"

#include "WeightBits.h"
#include "WeightCode.h"
#include "WeightHeader.h"

#include <algorithm>
#include <string>

namespace avocet::firmware {

namespace {

/// Symbol and length of a code by its first bits.
struct Entry {
  uint16_t symbol = 0;
  uint8_t length = 1;
  uint8_t element = 0; ///< of a literal of 1 byte
};

/// Bits that are no code stand for symbol 0 with one bit, so that damaged payloads end.
std::vector<Entry> tableOf(std::span<const uint8_t> lengths, uint8_t runValue) {
  std::vector<Entry> table(1u << kLongestCode);
  const std::vector<uint16_t> codes = canonicalCodes(lengths);
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol)
    if (const uint8_t length = lengths[symbol]) {
      const uint32_t first = uint32_t{codes[symbol]} << (kLongestCode - length);
      std::fill_n(table.begin() + first, 1u << (kLongestCode - length),
                  Entry{static_cast<uint16_t>(symbol), length, static_cast<uint8_t>(runValue + symbol - 128)});
    }
  return table;
}

class GranuleDecoder {
public:
  GranuleDecoder(const WeightHeader &header, uint32_t elementSize)
      : table_(tableOf(header.lengths, header.runValue)), runValue_(header.runValue), elementSize_(elementSize),
        literals_(literalsOf(elementSize)) {}

  void decode(std::span<const uint8_t> payload, std::span<uint8_t> plain) const {
    if (payload.size() == plain.size()) {
      std::ranges::copy(payload, plain.begin());
      return;
    }
    elementSize_ == 1 ? decodeBytes(payload, plain) : decodeWide(payload, plain);
  }

private:
  /// Symbols of the longest code that one refill covers, with the number of a run after each.
  static constexpr int kPerRefill = BitReader::kRefilled / kLongestCode;

  void decodeBytes(std::span<const uint8_t> payload, std::span<uint8_t> plain) const {
    BitReader bits(payload);
    uint8_t *at = plain.data(), *end = at + plain.size();
    while (at != end) {
      bits.refill();
      for (int i = 0; i < kPerRefill && at != end; ++i) {
        const Entry entry = table_[bits.peek(kLongestCode)];
        bits.skip(entry.length);
        if (entry.symbol < literals_) {
          *at++ = entry.element;
          continue;
        }
        at = putRun(bits, entry.symbol - literals_, at, end);
        break;
      }
    }
  }

  void decodeWide(std::span<const uint8_t> payload, std::span<uint8_t> plain) const {
    BitReader bits(payload);
    uint8_t *at = plain.data(), *end = at + plain.size();
    while (at != end) {
      bits.refill();
      const Entry entry = table_[bits.peek(kLongestCode)];
      bits.skip(entry.length);
      at = entry.symbol < literals_ ? putWide(bits, entry.symbol, at) : putRun(bits, entry.symbol - literals_, at, end);
    }
  }

  uint8_t *putRun(BitReader &bits, uint32_t runClass, uint8_t *at, uint8_t *end) const {
    const uint64_t length = (uint64_t{1} << runClass) + (runClass ? bits.take(runClass) : 0);
    const uint64_t bytes = std::min<uint64_t>(length * elementSize_, static_cast<uint64_t>(end - at));
    return std::fill_n(at, bytes, elementSize_ == 1 ? runValue_ : uint8_t{0});
  }

  static uint8_t *putWide(BitReader &bits, uint32_t size, uint8_t *at) {
    int32_t element = 0;
    if (size) {
      const auto number = static_cast<int32_t>(bits.take(size));
      element = number >> (size - 1) ? number : number - (1 << size) + 1;
    }
    *at++ = static_cast<uint8_t>(element);
    *at++ = static_cast<uint8_t>(element >> 8);
    return at;
  }

  std::vector<Entry> table_;
  uint8_t runValue_;
  uint32_t elementSize_, literals_;
};

} // namespace

Status decodeWeightSlice(std::span<const uint8_t> slice, const SliceShape &shape, uint32_t firstGranule,
                         std::span<uint8_t> plain) {
  AVOCET_ASSIGN_OR_RETURN(const WeightIndex index, WeightIndex::read(slice, shape));
  const uint64_t skipped = firstGranule * shape.granuleBytes;
  if (skipped > shape.plainBytes || plain.size() > shape.plainBytes - skipped)
    return invalidArgument("granules from " + std::to_string(firstGranule) + " on have less than " +
                           std::to_string(plain.size()) + " bytes of " + std::to_string(shape.plainBytes));
  AVOCET_ASSIGN_OR_RETURN(const WeightHeader header, WeightHeader::read(slice, shape.elementSize));
  const GranuleDecoder decoder(header, shape.elementSize);
  uint32_t granule = firstGranule;
  for (uint64_t begin = 0; begin < plain.size(); begin += shape.granuleBytes, ++granule) {
    const WeightIndex::Range payload = index.payloadOf(granule);
    decoder.decode(slice.subspan(payload.begin, payload.bytes),
                   plain.subspan(begin, std::min<uint64_t>(shape.granuleBytes, plain.size() - begin)));
  }
  return Status::ok();
}

} // namespace avocet::firmware
