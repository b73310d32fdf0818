//===- DepthwiseTile.cpp - Depthwise integer products on vectors ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DepthwiseTile.h"

#include "avocet/base/Rounding.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/DepthwiseTile.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/Stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

using D16 = hn::ScalableTag<int16_t>;
using V16 = hn::Vec<D16>;

/// Channels that are computed together: one vector of inputs, two vectors of sums.
constexpr size_t kBlockChannels = hn::MaxLanes(D16());
constexpr size_t kLanes = hn::MaxLanes(D32());

size_t blocksOf(size_t channels) { return divideUp(channels, kBlockChannels); }

/// The channel at each position of the two vectors of sums that result from interleaving the channels of one block.
void appendOrder(size_t firstChannel, std::vector<uint32_t> &order) {
  const D16 d16;
  const auto channels = hn::Iota(d16, 0);
  HWY_ALIGN int16_t lanes[kBlockChannels];
  for (bool upper : {false, true}) {
    hn::Store(upper ? hn::InterleaveUpper(d16, channels, channels) : hn::InterleaveLower(d16, channels, channels), d16,
              lanes);
    for (size_t i = 0; i < kLanes; ++i)
      order.push_back(static_cast<uint32_t>(firstChannel + static_cast<size_t>(lanes[2 * i])));
  }
}

/// Weights as rows of 16-bit numbers, [tap][channel], with zeros after the last channel and one more row of zeros.
template <typename T> std::vector<int16_t> plainRows(const PackedWeights &weights, size_t rowLength) {
  const firmware::WeightLayout &layout = weights.layout;
  std::vector<int16_t> rows((layout.products() + 1) * rowLength);
  auto source = reinterpret_cast<const T *>(weights.data);
  for (uint32_t first = 0; first < layout.outputChannels(); first += layout.granule()) {
    uint32_t width = std::min(layout.granule(), layout.outputChannels() - first);
    for (uint32_t tap = 0; tap < layout.products(); ++tap)
      for (uint32_t i = 0; i < width; ++i)
        rows[tap * rowLength + first + i] = static_cast<int16_t>(*source++ - weights.zeroPoint);
  }
  return rows;
}

bool packDepthwise(const PackedWeights &weights, std::vector<int16_t> &packed, std::vector<uint32_t> &order) {
  const D16 d16;
  size_t blocks = blocksOf(weights.layout.outputChannels()), taps = weights.layout.products();
  size_t rowLength = blocks * kBlockChannels;
  std::vector<int16_t> rows = weights.type == firmware::DataType::Int8 ? plainRows<int8_t>(weights, rowLength)
                                                                       : plainRows<uint8_t>(weights, rowLength);
  order.clear();
  packed.resize(blocks * roundUp(taps, 2) * kBlockChannels);
  int16_t *out = packed.data();
  for (size_t block = 0; block < blocks; ++block) {
    appendOrder(block * kBlockChannels, order);
    for (size_t tap = 0; tap < taps; tap += 2, out += 2 * kBlockChannels) {
      const int16_t *row = rows.data() + tap * rowLength + block * kBlockChannels;
      const auto first = hn::LoadU(d16, row), second = hn::LoadU(d16, row + rowLength);
      hn::StoreU(hn::InterleaveLower(d16, first, second), d16, out);
      hn::StoreU(hn::InterleaveUpper(d16, first, second), d16, out + kBlockChannels);
    }
  }
  return true;
}

/// Sums of one block of channels of one window.
struct BlockSums {
  V32 lower, upper, lowerOdd, upperOdd;

  HWY_INLINE BlockSums() {
    const D32 d32;
    lower = upper = lowerOdd = upperOdd = hn::Zero(d32);
  }

  HWY_INLINE void add(V16 first, V16 second, const int16_t *weights) {
    const D16 d16;
    const D32 d32;
    lower = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, first, second), hn::LoadU(d16, weights), lower,
                                          lowerOdd);
    upper = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, first, second),
                                          hn::LoadU(d16, weights + kBlockChannels), upper, upperOdd);
  }

  HWY_INLINE V32 lowerSums() const { return hn::RearrangeToOddPlusEven(lower, lowerOdd); }
  HWY_INLINE V32 upperSums() const { return hn::RearrangeToOddPlusEven(upper, upperOdd); }
};

/// Where the taps of a window are, in pairs. The partner of an odd last tap has weight zero. With a constant number of
/// pairs they are copied: stores of results might change those in memory, so that each window would load them again.
template <size_t numPairs> struct TapPairs {
  size_t offsets[2 * numPairs];

  explicit TapPairs(const DepthwiseRow &row) {
    for (size_t tap = 0; tap < 2 * numPairs; ++tap)
      offsets[tap] = row.tapOffsets[std::min(tap, row.taps - 1)];
  }
  HWY_INLINE size_t pairs() const { return numPairs; }
  HWY_INLINE size_t operator[](size_t tap) const { return offsets[tap]; }
};
template <> struct TapPairs<0> {
  const DepthwiseRow &row;

  explicit TapPairs(const DepthwiseRow &r) : row(r) {}
  HWY_INLINE size_t pairs() const { return divideUp(row.taps, 2); }
  HWY_INLINE size_t operator[](size_t tap) const { return row.tapOffsets[std::min(tap, row.taps - 1)]; }
};

/// numPairs > 0: the number of pairs of taps is a constant, so that the loop is unrolled.
template <size_t numPairs>
HWY_INLINE BlockSums sumWindow(const TapPairs<numPairs> &taps, const int16_t *input, const int16_t *w) {
  const D16 d16;
  BlockSums sums;
  for (size_t pair = 0; pair < taps.pairs(); ++pair)
    sums.add(hn::LoadU(d16, input + taps[2 * pair]), hn::LoadU(d16, input + taps[2 * pair + 1]),
             w + pair * 2 * kBlockChannels);
  return sums;
}

HWY_INLINE void storeBlock(V32 lower, V32 upper, firmware::DataType type, uint8_t *out, size_t count) {
  // Interleaving the two halves restores the order of the channels.
  const auto values = hn::ReorderDemote2To(D16(), lower, upper);
  if (type == firmware::DataType::Int16)
    return storeSome(values, D16(), reinterpret_cast<int16_t *>(out), count);
  if (type == firmware::DataType::Int8) {
    const hn::Rebind<int8_t, D16> d8;
    return storeSome(hn::DemoteTo(d8, values), d8, reinterpret_cast<int8_t *>(out), count);
  }
  const hn::Rebind<uint8_t, D16> d8;
  storeSome(hn::DemoteTo(d8, values), d8, out, count);
}

template <size_t numPairs, class Vectors> HWY_NOINLINE void multiplyBlock(const DepthwiseRow &row, size_t block) {
  size_t channel = block * kBlockChannels;
  size_t count = std::min<size_t>(kBlockChannels, row.channels - channel);
  const int16_t *weights = row.weights + block * roundUp(row.taps, 2) * kBlockChannels;
  const Vectors lower(row.stage, channel), upper(row.stage, channel + kLanes);
  const firmware::DataType type = row.stage.outputType;
  const TapPairs<numPairs> taps(row);
  const int16_t *input = row.input + channel;
  uint8_t *out = row.output + channel * (type == firmware::DataType::Int16 ? 2 : 1);
  for (uint32_t x = 0; x < row.width; ++x, input += row.pixelStep, out += row.outputStep) {
    BlockSums sums = sumWindow<numPairs>(taps, input, weights);
    storeBlock(lower.apply(sums.lowerSums()), upper.apply(sums.upperSums()), type, out, count);
    if (HWY_UNLIKELY(row.stage.table != nullptr))
      for (size_t i = 0; i < count; ++i)
        out[i] = row.stage.table[out[i]];
  }
}

template <class Vectors> void multiplyBlocks(const DepthwiseRow &row) {
  constexpr size_t kTapsOf3x3 = 9;
  for (size_t block = 0; block < blocksOf(row.channels); ++block)
    if (row.taps == kTapsOf3x3)
      multiplyBlock<divideUp(kTapsOf3x3, 2), Vectors>(row, block);
    else
      multiplyBlock<0, Vectors>(row, block);
}

void multiplyRow(const DepthwiseRow &row) {
  if (row.stage.scaling == firmware::OutputScaling::RequantizeWide)
    multiplyBlocks<WideRequantVectors>(row);
  else if (row.stage.rounding == firmware::Rounding::Single)
    multiplyBlocks<RequantVectors<OneRounding>>(row);
  else if (row.stage.rounding == firmware::Rounding::Even)
    multiplyBlocks<RequantVectors<EvenRounding>>(row);
  else
    multiplyBlocks<RequantVectors<TwoRoundings>>(row);
}

#else

bool packDepthwise(const PackedWeights &, std::vector<int16_t> &, std::vector<uint32_t> &) { return false; }
void multiplyRow(const DepthwiseRow &) {}

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(packDepthwise);
HWY_EXPORT(multiplyRow);

bool packDepthwiseWeights(const PackedWeights &weights, std::vector<int16_t> &packed, std::vector<uint32_t> &order) {
  return HWY_DYNAMIC_DISPATCH(packDepthwise)(weights, packed, order);
}

void multiplyDepthwiseRow(const DepthwiseRow &row) { HWY_DYNAMIC_DISPATCH(multiplyRow)(row); }

} // namespace avocet::kernels

#endif // HWY_ONCE
