//===- WeightCode.cpp - Huffman code of weight streams ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightCode.h"

#include "avocet/firmware_iface/WeightStream.h"

#include <algorithm>
#include <array>
#include <utility>

namespace avocet::firmware {

namespace {

constexpr uint32_t kDeepest = 64; ///< of an unlimited code, for sums of frequencies below 2^64

/// A leaf or the sum of two nodes.
struct Node {
  uint64_t frequency = 0;
  uint32_t parent = 0;
};

/// Number of codes of each length of an unlimited Huffman code for ascending frequencies. Leaves and sums are two
/// ascending queues.
std::array<uint32_t, kDeepest> countLengths(const std::vector<uint64_t> &ascending) {
  const uint32_t leaves = static_cast<uint32_t>(ascending.size());
  std::vector<Node> nodes(2 * leaves - 1);
  for (uint32_t i = 0; i < leaves; ++i)
    nodes[i].frequency = ascending[i];
  uint32_t leaf = 0, sum = leaves;
  for (uint32_t made = leaves; made < nodes.size(); ++made)
    for (int side = 0; side < 2; ++side) {
      const bool isLeaf = leaf < leaves && (sum == made || nodes[leaf].frequency <= nodes[sum].frequency);
      Node &child = nodes[isLeaf ? leaf++ : sum++];
      child.parent = made;
      nodes[made].frequency += child.frequency;
    }
  std::array<uint32_t, kDeepest> counts{};
  std::vector<uint32_t> depths(nodes.size(), 0);
  for (size_t i = nodes.size() - 1; i-- > 0;) {
    depths[i] = depths[nodes[i].parent] + 1;
    if (i < leaves)
      ++counts[std::min(depths[i], kDeepest - 1)];
  }
  return counts;
}

/// Shortens codes above the limit, and lengthens the longest shorter ones until all codes exist.
void limitLengths(std::array<uint32_t, kDeepest> &counts) {
  uint64_t space = 0; // in units of the longest code
  for (uint32_t length = kDeepest - 1; length > kLongestCode; --length)
    counts[kLongestCode] += std::exchange(counts[length], 0);
  for (uint32_t length = 1; length <= kLongestCode; ++length)
    space += uint64_t{counts[length]} << (kLongestCode - length);
  for (; space > uint64_t{1} << kLongestCode; --space) {
    uint32_t length = kLongestCode - 1;
    while (counts[length] == 0)
      --length;
    --counts[kLongestCode]; // it becomes the sibling of the code that is made longer
    --counts[length];
    counts[length + 1] += 2;
  }
}

} // namespace

std::vector<uint8_t> codeLengths(std::span<const uint64_t> frequencies) {
  std::vector<uint8_t> lengths(frequencies.size(), 0);
  std::vector<uint32_t> order;
  for (uint32_t symbol = 0; symbol < frequencies.size(); ++symbol)
    if (frequencies[symbol])
      order.push_back(symbol);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(frequencies[a], a) < std::pair(frequencies[b], b); });
  if (order.size() == 1)
    lengths[order[0]] = 1;
  if (order.size() < 2)
    return lengths;
  std::vector<uint64_t> ascending;
  for (uint32_t symbol : order)
    ascending.push_back(frequencies[symbol]);
  std::array<uint32_t, kDeepest> counts = countLengths(ascending);
  limitLengths(counts);
  size_t next = 0;
  for (uint32_t length = kLongestCode; length > 0; --length)
    for (uint32_t i = 0; i < counts[length]; ++i)
      lengths[order[next++]] = static_cast<uint8_t>(length);
  return lengths;
}

std::vector<uint16_t> canonicalCodes(std::span<const uint8_t> lengths) {
  std::array<uint32_t, kLongestCode + 2> first{};
  for (uint8_t length : lengths)
    if (length)
      ++first[length + 1];
  for (uint32_t length = 1; length <= kLongestCode; ++length)
    first[length + 1] = (first[length] + first[length + 1]) << 1;
  std::vector<uint16_t> codes(lengths.size(), 0);
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol)
    if (lengths[symbol])
      codes[symbol] = static_cast<uint16_t>(first[lengths[symbol]]++);
  return codes;
}

bool formCode(std::span<const uint8_t> lengths) {
  uint64_t space = 0;
  for (uint8_t length : lengths) {
    if (length > kLongestCode)
      return false;
    if (length)
      space += uint64_t{1} << (kLongestCode - length);
  }
  return space <= uint64_t{1} << kLongestCode;
}

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

Result<WeightHeader> WeightHeader::read(std::span<const uint8_t> slice, const SliceShape &shape) {
  const uint8_t version = shape.isScaled() ? kScaledStream : kIntegerStream;
  const size_t fixedBytes = kFixedBytes + (shape.isScaled() ? ScaleFormat::kBytes : 0);
  if (slice.size() < fixedBytes || slice[0] != version || slice[1] != shape.elementSize)
    return damagedWeights("the header is not one of version " + std::to_string(version) + " with elements of " +
                          std::to_string(shape.elementSize) + " bytes");
  WeightHeader header;
  if (shape.isScaled()) {
    header.scales = ScaleFormat::read(slice.data() + kFixedBytes);
    if (!header.scales.isKnown())
      return damagedWeights("blocks of 2^" + std::to_string(header.scales.exponent) + " elements with " +
                            std::to_string(header.scales.width) + " bits of scales of " +
                            std::to_string(header.scales.type) + " bytes");
  }
  header.runValue = slice[2];
  BitReader bits(slice.subspan(fixedBytes));
  uint32_t length = 0;
  const uint32_t symbols = symbolsOf(shape.isScaled() ? 1 : shape.elementSize);
  for (uint32_t symbol = 0; symbol < symbols; ++symbol) {
    length = nextLength(bits, length);
    if (length > kLongestCode)
      return damagedWeights("the code of symbol " + std::to_string(symbol) + " is longer than " +
                            std::to_string(kLongestCode) + " bits");
    header.lengths.push_back(static_cast<uint8_t>(length));
  }
  header.bytes = fixedBytes + bits.bytesUsed();
  if (header.bytes > slice.size())
    return damagedWeights("the code lengths exceed the slice");
  if (!formCode(header.lengths))
    return damagedWeights("the code lengths do not form a code");
  return header;
}

void WeightHeader::write(uint32_t elementSize, std::vector<uint8_t> &out) const {
  out = {kIntegerStream, static_cast<uint8_t>(elementSize), runValue};
  if (scales.type) {
    out[0] = kScaledStream;
    scales.write(out);
  }
  const size_t fixedBytes = out.size();
  out.resize(fixedBytes + lengths.size() + 8);
  BitWriter bits(std::span<uint8_t>(out).subspan(fixedBytes));
  uint32_t before = 0;
  for (uint32_t length : lengths) {
    putLength(bits, length, before);
    before = length;
  }
  out.resize(static_cast<size_t>(bits.finish() - out.data()));
}

} // namespace avocet::firmware
