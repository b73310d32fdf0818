//===- WeightDecoder.cpp - Decompression of weights -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightIndex.h"
#include "avocet/firmware_iface/WeightStream.h"

#include "WeightCode.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace avocet::firmware {

namespace {

/// What the next bits mean. A single element of the run value is as good as a literal.
struct Entry {
  uint8_t length = 1;  ///< of the code
  uint8_t value = 0;   ///< element of 1 byte; number of significant bits of one of 2 bytes
  uint8_t runBits = 0; ///< bits after the code of a run
  bool isRun = false;
};

/// Entries by the first bits. Bits that are no code stand for symbol 0 with one bit, so that damaged payloads end.
class CodeTable {
public:
  CodeTable(const WeightHeader &header, uint32_t elementSize) {
    const std::vector<uint16_t> codes = canonicalCodes(header.lengths);
    entries_.fill(entryOf(0, 1, elementSize, header.runValue));
    for (uint32_t symbol = 0; symbol < header.lengths.size(); ++symbol)
      if (const uint8_t length = header.lengths[symbol]) {
        const uint32_t first = uint32_t{codes[symbol]} << (kLongestCode - length);
        std::fill_n(entries_.begin() + first, 1u << (kLongestCode - length),
                    entryOf(symbol, length, elementSize, header.runValue));
      }
  }

  Entry next(BitReader &bits) const {
    const Entry entry = entries_[bits.peek(kLongestCode)];
    bits.skip(entry.length);
    return entry;
  }

private:
  static Entry entryOf(uint32_t symbol, uint8_t length, uint32_t elementSize, uint8_t runValue) {
    const uint32_t literals = literalsOf(elementSize);
    if (symbol < literals)
      return {length, static_cast<uint8_t>(elementSize == 1 ? runValue + symbol - 128 : symbol), 0, false};
    const bool isSingle = elementSize == 1 && symbol == literals;
    return {length, elementSize == 1 ? runValue : uint8_t{0}, static_cast<uint8_t>(symbol - literals), !isSingle};
  }

  std::array<Entry, 1u << kLongestCode> entries_;
};

/// A granule that is being decoded.
struct Granule {
  BitReader bits{{}};
  uint8_t *at = nullptr, *end = nullptr;

  /// A literal of 1 byte counts as a run of one.
  void putRun(Entry entry, uint32_t elementSize) {
    const uint64_t length = (uint64_t{1} << entry.runBits) + (entry.runBits ? bits.take(entry.runBits) : 0);
    at = std::fill_n(at, std::min<uint64_t>(length * elementSize, static_cast<uint64_t>(end - at)), entry.value);
  }

  void putWide(uint32_t size) {
    int32_t element = 0;
    if (size) {
      const auto number = static_cast<int32_t>(bits.take(size));
      element = number >> (size - 1) ? number : number - (1 << size) + 1;
    }
    *at++ = static_cast<uint8_t>(element);
    *at++ = static_cast<uint8_t>(element >> 8);
  }
};

/// Granules that one thread decodes at the same time; more of them do not fit the registers.
constexpr size_t kTogether = 2;

/// Symbols of the longest code that one refill covers.
constexpr int kPerRefill = BitReader::kRefilled / kLongestCode;

/// Decodes granules until one of them has less than kPerRefill elements left. Each symbol waits for the one before it
/// in its granule, and the processor does as much for the other granules meanwhile.
template <size_t count> void decodeTogether(const CodeTable &table, std::array<Granule, count> &granules) {
  std::array<Granule, count> local = granules; // in registers
  auto canContinue = [&] {
    return std::ranges::all_of(local, [](const Granule &granule) { return granule.end - granule.at >= kPerRefill; });
  };
  while (canContinue()) {
    for (Granule &granule : local)
      granule.bits.refill();
    for (int i = 0; i < kPerRefill; ++i) {
      std::array<Entry, count> entries;
      bool hasRun = false;
      for (size_t n = 0; n < count; ++n) {
        entries[n] = table.next(local[n].bits);
        hasRun |= entries[n].isRun;
      }
      if (hasRun) [[unlikely]] {
        for (size_t n = 0; n < count; ++n)
          local[n].putRun(entries[n], 1);
        break;
      }
      for (size_t n = 0; n < count; ++n)
        *local[n].at++ = entries[n].value;
    }
  }
  granules = local;
}

void finishBytes(const CodeTable &table, Granule &granule) {
  while (granule.at != granule.end) {
    granule.bits.refill();
    granule.putRun(table.next(granule.bits), 1);
  }
}

void decodeWide(const CodeTable &table, Granule granule) {
  while (granule.at != granule.end) {
    granule.bits.refill();
    const Entry entry = table.next(granule.bits);
    entry.isRun ? granule.putRun(entry, 2) : granule.putWide(entry.value);
  }
}

/// Decodes granules of 1-byte elements. `take` gives the next one, and nothing after the last.
template <typename Take> void decodeBytes(const CodeTable &table, Take &&take) {
  std::array<Granule, kTogether> granules;
  size_t count = 0;
  auto fill = [&] {
    while (count < kTogether)
      if (std::optional<Granule> granule = take())
        granules[count++] = *granule;
      else
        return false;
    return true;
  };
  while (fill()) {
    decodeTogether(table, granules);
    for (size_t n = 0; n < count;) {
      if (granules[n].end - granules[n].at >= kPerRefill) {
        ++n;
        continue;
      }
      finishBytes(table, granules[n]);
      granules[n] = granules[--count];
    }
  }
  for (size_t n = 0; n < count; ++n) {
    std::array<Granule, 1> alone{granules[n]};
    decodeTogether(table, alone);
    finishBytes(table, alone[0]);
  }
}

/// Payloads of granules from one on, of which the elements have `shape`.
struct Payloads {
  std::span<const uint8_t> slice;
  const WeightIndex &index;
  const WeightHeader &header;
  const SliceShape &shape;
  uint32_t firstGranule;

  std::span<const uint8_t> scalesOf(uint32_t granule) const {
    const uint32_t number = firstGranule + granule;
    return slice.subspan(index.payloadOf(number).begin, header.scales.bytesOf(header.scales.scalesOf(shape, number)));
  }
  std::span<const uint8_t> integersOf(uint32_t granule) const {
    const WeightIndex::Range range = index.payloadOf(firstGranule + granule);
    return slice.subspan(range.begin, range.bytes).subspan(scalesOf(granule).size());
  }
};

/// Decodes integers, in granules of that many bytes.
void decodeIntegers(const Payloads &payloads, uint32_t elementSize, uint64_t granuleBytes, std::span<uint8_t> plain) {
  const CodeTable table(payloads.header, elementSize);
  uint64_t begin = 0;
  auto take = [&]() -> std::optional<Granule> {
    while (begin < plain.size()) {
      const std::span<uint8_t> to = plain.subspan(begin, std::min<uint64_t>(granuleBytes, plain.size() - begin));
      const std::span<const uint8_t> payload = payloads.integersOf(static_cast<uint32_t>(begin / granuleBytes));
      begin += to.size();
      if (payload.size() != to.size())
        return Granule{BitReader(payload), to.data(), to.data() + to.size()};
      std::ranges::copy(payload, to.begin());
    }
    return std::nullopt;
  };
  if (elementSize == 1)
    decodeBytes(table, take);
  else
    while (const std::optional<Granule> granule = take())
      decodeWide(table, *granule);
}

void decodeFloats(const Payloads &payloads, std::span<uint8_t> plain) {
  const SliceShape &shape = payloads.shape;
  std::vector<uint8_t> integers(plain.size() / shape.elementSize);
  const uint64_t granuleBytes = shape.granuleBytes / shape.elementSize;
  decodeIntegers(payloads, 1, granuleBytes, integers);
  for (uint64_t begin = 0; begin < integers.size(); begin += granuleBytes) {
    const uint64_t count = std::min(granuleBytes, integers.size() - begin);
    applyScales(payloads.header.scales, shape, std::span(integers).subspan(begin, count),
                payloads.scalesOf(static_cast<uint32_t>(begin / granuleBytes)),
                plain.data() + begin * shape.elementSize);
  }
}

} // namespace

Status decodeWeightSlice(std::span<const uint8_t> slice, const SliceShape &shape, uint32_t firstGranule,
                         std::span<uint8_t> plain) {
  WeightHeader header;
  AVOCET_ASSIGN_OR_RETURN(const WeightIndex index, WeightIndex::read(slice, shape, header));
  const uint64_t skipped = firstGranule * shape.granuleBytes;
  if (skipped > shape.plainBytes || plain.size() > shape.plainBytes - skipped)
    return invalidArgument("granules from " + std::to_string(firstGranule) + " on have less than " +
                           std::to_string(plain.size()) + " bytes of " + std::to_string(shape.plainBytes));
  const Payloads payloads{slice, index, header, shape, firstGranule};
  if (shape.isScaled())
    decodeFloats(payloads, plain);
  else
    decodeIntegers(payloads, shape.elementSize, shape.granuleBytes, plain);
  return Status::ok();
}

} // namespace avocet::firmware
