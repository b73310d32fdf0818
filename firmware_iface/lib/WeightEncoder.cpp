//===- WeightEncoder.cpp - Compression of weights ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/WeightStream.h"

#include "WeightCode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace avocet::firmware {

namespace {

int32_t wideAt(const uint8_t *bytes) { return static_cast<int16_t>(bytes[0] | bytes[1] << 8); }

/// One bit for each of up to 64 bytes: whether it is `value`. The first byte is bit 0.
uint64_t equalBytes(const uint8_t *bytes, size_t count, uint8_t value) {
  std::array<uint8_t, 64> isEqual{};
  for (size_t i = 0; i < count; ++i)
    isEqual[i] = bytes[i] == value ? 0xFF : 0;
  uint64_t bits = 0;
  for (size_t word = 0; word < 8; ++word) {
    uint64_t eight;
    std::memcpy(&eight, isEqual.data() + 8 * word, sizeof(eight));
    bits |= ((eight & 0x8040201008040201u) * 0x0101010101010101u >> 56) << 8 * word;
  }
  return bits;
}

/// Calls literals(first, count) and run(length) for the parts of a granule with 1-byte elements. Single elements of the
/// run value count as literals, because most run values stand alone.
template <typename Literals, typename Run>
void forEachPart(std::span<const uint8_t> bytes, uint8_t runValue, Literals &&literals, Run &&run) {
  size_t open = 0; // begin of the part that is not yet complete
  bool inRun = false;
  auto close = [&](size_t end) {
    if (end != open)
      inRun ? run(static_cast<uint64_t>(end - open)) : literals(bytes.data() + open, end - open);
    open = end;
    inRun = !inRun;
  };
  uint64_t carry = 0; // whether the first byte continues a run
  for (size_t begin = 0; begin < bytes.size(); begin += 64) {
    const size_t count = std::min<size_t>(64, bytes.size() - begin);
    const uint64_t equal = equalBytes(bytes.data() + begin, count, runValue);
    const uint64_t next = begin + 64 < bytes.size() && bytes[begin + 64] == runValue;
    const uint64_t pairs = equal & (equal >> 1 | next << 63);
    const uint64_t runs = pairs | pairs << 1 | carry;
    carry = pairs >> 63;
    uint64_t others = inRun ? ~runs : runs; // they end the part that is open
    for (size_t at = 0; at < count && others >> at != 0;) {
      at += static_cast<size_t>(std::countr_zero(others >> at));
      if (at >= count)
        break;
      close(begin + at);
      others = ~others;
    }
  }
  close(bytes.size());
}

/// Calls literal(element) and run(length) for the tokens of a granule with 2-byte elements, whose run value is 0.
template <typename Literal, typename Run>
void forEachWideToken(std::span<const uint8_t> bytes, Literal &&literal, Run &&run) {
  const size_t count = bytes.size() / 2;
  for (size_t i = 0; i < count;) {
    if (const int32_t element = wideAt(&bytes[2 * i])) {
      literal(element);
      ++i;
      continue;
    }
    const size_t first = i;
    while (i < count && wideAt(&bytes[2 * i]) == 0)
      ++i;
    run(static_cast<uint64_t>(i - first));
  }
}

/// Calls use(class, bits) for the symbols of a run.
template <typename Use> void forEachRun(uint64_t length, Use &&use) {
  constexpr uint64_t kLongest = (uint64_t{2} << (kRunClasses - 1)) - 1;
  while (length) {
    const uint64_t part = std::min(length, kLongest);
    const uint32_t runClass = static_cast<uint32_t>(std::bit_width(part)) - 1;
    use(runClass, static_cast<uint32_t>(part - (uint64_t{1} << runClass)));
    length -= part;
  }
}

uint32_t significantBits(int32_t element) {
  return static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(std::abs(element))));
}

/// Number of each byte. Four tables, because equal neighbors would wait for each other's sum.
std::array<uint64_t, 256> countBytes(std::span<const uint8_t> bytes) {
  std::array<std::array<uint32_t, 256>, 4> counts{};
  std::array<uint64_t, 256> sums{};
  size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4)
    for (size_t lane = 0; lane < 4; ++lane)
      ++counts[lane][bytes[i + lane]];
  for (; i < bytes.size(); ++i)
    ++counts[0][bytes[i]];
  for (size_t value = 0; value < 256; ++value)
    sums[value] = uint64_t{counts[0][value]} + counts[1][value] + counts[2][value] + counts[3][value];
  return sums;
}

uint32_t literalOf(uint8_t element, uint8_t runValue) { return static_cast<uint8_t>(element - runValue + 128); }

/// Writes the codes of elements, several at once.
void putLiterals(BitWriter &bits, const std::array<ElementCode, 256> &codes, const uint8_t *elements, size_t count) {
  constexpr size_t kAtOnce = BitWriter::kMost / kLongestCode;
  size_t at = 0;
  for (; at + kAtOnce <= count; at += kAtOnce) {
    uint64_t joined = 0;
    uint32_t length = 0;
    for (size_t i = 0; i < kAtOnce; ++i) {
      const ElementCode code = codes[elements[at + i]];
      joined = joined << code.length | code.bits;
      length += code.length;
    }
    bits.put(joined, length);
  }
  for (; at < count; ++at)
    bits.put(codes[elements[at]].bits, codes[elements[at]].length);
}

uint64_t indexBytes(uint64_t value) {
  return value == 0 ? 1 : divideUp(static_cast<uint64_t>(std::bit_width(value)), 7);
}

uint8_t *writeIndex(uint64_t value, uint8_t *out) {
  for (; value >= 128; value >>= 7)
    *out++ = static_cast<uint8_t>(value | 128);
  *out++ = static_cast<uint8_t>(value);
  return out;
}

} // namespace

Result<WeightEncoder> WeightEncoder::create(std::span<const uint8_t> packed, const SliceShape &shape) {
  AVOCET_RETURN_IF_ERROR(shape.check());
  if (packed.empty() || packed.size() != shape.plainBytes)
    return invalidArgument("weights of " + std::to_string(packed.size()) + " bytes are not those of the shape, " +
                           std::to_string(shape.plainBytes));
  WeightEncoder encoder;
  encoder.packed_ = packed;
  encoder.plainBytes_ = packed.size();
  encoder.elementSize_ = shape.elementSize;
  encoder.granuleBytes_ = shape.granuleBytes;
  if (shape.isScaled()) {
    std::optional<ScaledWeights> scaled = findScales(packed, shape);
    if (!scaled)
      return invalidArgument("the floats are not integers of 8 bits with scales of blocks");
    encoder.scaled_ = std::make_shared<const ScaledWeights>(std::move(*scaled));
    encoder.packed_ = encoder.scaled_->integers;
    encoder.elementSize_ = 1;
    encoder.granuleBytes_ /= shape.elementSize;
  }
  encoder.chooseCode(shape.elementSize);
  encoder.measure();
  return encoder;
}

uint64_t WeightEncoder::scaleBytesOf(uint32_t index) const { return scaled_ ? scaled_->scaleBytes(index) : 0; }

std::span<const uint8_t> WeightEncoder::granule(uint32_t index) const {
  const uint64_t begin = index * granuleBytes_;
  return packed_.subspan(begin, std::min(granuleBytes_, packed_.size() - begin));
}

void WeightEncoder::chooseCode(uint32_t storedSize) {
  const std::vector<uint64_t> frequencies = elementSize_ == 1 ? countSymbols() : countWideSymbols();
  const WeightHeader header{runValue_, codeLengths(frequencies), 0, scaled_ ? scaled_->format : ScaleFormat()};
  header.write(storedSize, header_);
  lengths_ = header.lengths;
  codes_ = canonicalCodes(lengths_);
  for (uint32_t value = 0; elementSize_ == 1 && value < 256; ++value) {
    const bool isRun = value == runValue_;
    const uint32_t symbol = isRun ? literalsOf(1) : literalOf(static_cast<uint8_t>(value), runValue_);
    codesByElement_[value] = {codes_[symbol], lengths_[symbol]};
  }
}

/// Also chooses the run value.
std::vector<uint64_t> WeightEncoder::countSymbols() {
  std::vector<uint64_t> frequencies(symbolsOf(1), 0);
  const std::array<uint64_t, 256> bytes = countBytes(packed_);
  runValue_ = static_cast<uint8_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
  for (uint32_t value = 0; value < 256; ++value)
    if (value != runValue_)
      frequencies[literalOf(static_cast<uint8_t>(value), runValue_)] = bytes[value];
  uint64_t alone = bytes[runValue_];
  auto countRun = [&](uint64_t length) {
    alone -= length;
    forEachRun(length, [&](uint32_t runClass, uint32_t) { ++frequencies[literalsOf(1) + runClass]; });
  };
  for (uint32_t i = 0; i < granules(); ++i)
    forEachPart(granule(i), runValue_, [](const uint8_t *, size_t) {}, countRun);
  frequencies[literalsOf(1)] += alone;
  return frequencies;
}

std::vector<uint64_t> WeightEncoder::countWideSymbols() const {
  std::vector<uint64_t> frequencies(symbolsOf(2), 0);
  auto countRun = [&](uint64_t length) {
    forEachRun(length, [&](uint32_t runClass, uint32_t) { ++frequencies[literalsOf(2) + runClass]; });
  };
  for (uint32_t i = 0; i < granules(); ++i)
    forEachWideToken(granule(i), [&](int32_t element) { ++frequencies[significantBits(element)]; }, countRun);
  return frequencies;
}

void WeightEncoder::measure() {
  ends_.push_back(0);
  for (uint32_t i = 0; i < granules(); ++i) {
    const uint64_t bits = elementSize_ == 1 ? bitsOf(granule(i)) : wideBitsOf(granule(i));
    payloads_.push_back(std::min<uint64_t>(divideUp(bits, 8), granule(i).size()) + scaleBytesOf(i));
    ends_.push_back(ends_.back() + payloads_.back() + indexBytes(payloads_.back()));
  }
}

uint64_t WeightEncoder::bitsOf(std::span<const uint8_t> granule) const {
  uint64_t bits = 0;
  auto addLiterals = [&](const uint8_t *first, size_t count) {
    for (size_t i = 0; i < count; ++i)
      bits += codesByElement_[first[i]].length;
  };
  forEachPart(granule, runValue_, addLiterals, [&](uint64_t length) { bits += runBits(length); });
  return bits;
}

uint64_t WeightEncoder::wideBitsOf(std::span<const uint8_t> granule) const {
  uint64_t bits = 0;
  auto addLiteral = [&](int32_t element) {
    const uint32_t size = significantBits(element);
    bits += lengths_[size] + size;
  };
  forEachWideToken(granule, addLiteral, [&](uint64_t length) { bits += runBits(length); });
  return bits;
}

uint64_t WeightEncoder::runBits(uint64_t length) const {
  uint64_t bits = 0;
  forEachRun(length,
             [&](uint32_t runClass, uint32_t) { bits += lengths_[literalsOf(elementSize_) + runClass] + runClass; });
  return bits;
}

uint64_t WeightEncoder::sliceBytes(uint32_t first, uint32_t end) const {
  return header_.size() + ends_[end] - ends_[first];
}

void WeightEncoder::encode(uint32_t first, uint32_t end, std::span<uint8_t> out) const {
  uint8_t *at = std::copy(header_.begin(), header_.end(), out.data());
  for (uint32_t i = first; i < end; ++i)
    at = writeIndex(payloads_[i], at);
  for (uint32_t i = first; i < end; ++i) {
    writeGranule(i, at);
    at += payloads_[i];
  }
}

void WeightEncoder::writeGranule(uint32_t index, uint8_t *out) const {
  if (scaled_)
    out = scaled_->writeScales(index, out);
  const uint64_t bytes = payloads_[index] - scaleBytesOf(index);
  if (bytes == granule(index).size()) {
    std::ranges::copy(granule(index), out);
    return;
  }
  BitWriter bits({out, bytes});
  const uint32_t literals = literalsOf(elementSize_);
  auto writeRun = [&](uint64_t length) {
    forEachRun(length, [&](uint32_t runClass, uint32_t rest) {
      bits.put(codes_[literals + runClass], lengths_[literals + runClass]);
      bits.put(rest, runClass);
    });
  };
  if (elementSize_ == 1)
    forEachPart(
        granule(index), runValue_,
        [&](const uint8_t *first, size_t number) { putLiterals(bits, codesByElement_, first, number); }, writeRun);
  else
    forEachWideToken(
        granule(index),
        [&](int32_t element) {
          const uint32_t size = significantBits(element);
          bits.put(codes_[size], lengths_[size]);
          bits.put(static_cast<uint32_t>(element > 0 ? element : element + (1 << size) - 1), size);
        },
        writeRun);
  bits.finish();
}

} // namespace avocet::firmware
