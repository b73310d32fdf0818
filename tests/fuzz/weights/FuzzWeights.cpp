//===- FuzzWeights.cpp - Compressed weights ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first four bytes are the task, the elements, and the granule and the plain size in units. The rest is a slice to
// decode, or a filter to encode. Bits of the second byte: integers of 1 or 2 bytes, or floats of 4 or 2 bytes; of
// floats also the products of a channel.
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightIndex.h"
#include "avocet/firmware_iface/WeightStream.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace avocet::firmware;

namespace {

void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Whatever the checks accept must decode, from each granule on.
void decode(std::span<const uint8_t> slice, const SliceShape &shape) {
  const bool isGood = WeightIndex::read(slice, shape).isOk();
  std::vector<uint8_t> plain(shape.plainBytes);
  require(decodeWeightSlice(slice, shape, 0, plain).isOk() == isGood);
  if (!isGood || shape.plainBytes < shape.granuleBytes)
    return;
  const uint64_t skipped = shape.granuleBytes;
  std::vector<uint8_t> rest(shape.plainBytes - skipped);
  require(decodeWeightSlice(slice, shape, 1, rest).isOk());
  require(std::equal(rest.begin(), rest.end(), plain.begin() + static_cast<ptrdiff_t>(skipped)));
}

/// Every slice of a filter must decode to its weights, and be what the index says.
void encode(std::span<const uint8_t> filter, const SliceShape &shape) {
  SliceShape exact = shape;
  exact.plainBytes = filter.size();
  auto encoder = WeightEncoder::create(filter, exact);
  require(encoder || filter.empty() || shape.isScaled() || filter.size() % shape.elementSize);
  if (!encoder)
    return;
  std::vector<uint8_t> whole(encoder->sliceBytes(0, encoder->granules())), plain(filter.size());
  encoder->encode(0, encoder->granules(), whole);
  require(decodeWeightSlice(whole, exact, 0, plain).isOk() && std::ranges::equal(plain, filter));
  const auto index = WeightIndex::read(whole, exact);
  require(index && index->granules() == encoder->granules());
  for (uint32_t first = 0; first < encoder->granules(); ++first)
    require(index->bytesOf(first, encoder->granules()) == encoder->sliceBytes(first, encoder->granules()));
}

SliceShape shapeOf(uint8_t elements, uint64_t granule, uint64_t all) {
  constexpr uint32_t kProducts[] = {1, 5, 32, 64, 100, 200, 256, 300}, kChunks[] = {1, 32};
  const bool isScaled = elements & 2;
  const uint32_t elementSize = isScaled ? 4 >> (elements & 1) : 1 + (elements & 1);
  const uint32_t products = isScaled ? kProducts[elements >> 2 & 7] : 0, chunk = kChunks[elements >> 5 & 1];
  const uint64_t unit = uint64_t{elementSize} * (isScaled ? products : 1);
  return {elementSize, granule * unit, all * unit, products, chunk};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4)
    return 0;
  const SliceShape shape = shapeOf(data[1], data[2] + 1u, data[3] * 8u);
  const std::span<const uint8_t> rest(data + 4, size - 4);
  data[0] % 2 ? encode(rest, shape) : decode(rest, shape);
  return 0;
}
