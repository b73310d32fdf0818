//===- FloatTile.cpp - Dense float32 products on vectors ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/FloatTile.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/FloatTile.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/Panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

static_assert(hn::MaxLanes(DF32()) == kLanes);

/// Products whose weights are transposed together.
constexpr uint32_t kFloatProducts = 4;
static_assert(firmware::kChunkProducts % kFloatProducts == 0);

/// A vector of 128-bit blocks that are `step` elements apart.
template <class D> HWY_INLINE hn::Vec<D> loadBlocks(D d, const float *from, size_t step) {
  constexpr size_t kBlocks = hn::MaxLanes(d) / 4;
  if constexpr (kBlocks == 1) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, loadBlocks(half, from + kBlocks / 2 * step, step), loadBlocks(half, from, step));
  }
}

/// The weights of one vector of output channels in one chunk, turned from [channel][product] to a vector of channels
/// for each product. Lanes without a channel are zero.
class FloatChunk {
public:
  HWY_INLINE void open(const float *weights, const firmware::WeightLayout &layout, uint32_t channel, uint32_t chunk) {
    const auto lanes = static_cast<uint32_t>(kLanes);
    const uint32_t length = std::min(firmware::kChunkProducts, layout.products() - chunk);
    if (channel % layout.granule() + lanes <= layout.granule() && channel + lanes <= layout.outputChannels() &&
        length % kFloatProducts == 0) {
      first_ = weights + layout.indexOf(channel, chunk);
      stride_ = length;
      return;
    }
    copy(weights, layout, channel, chunk, length);
  }

  /// Products [product, product + kFloatProducts) of the chunk; those beyond its end are unspecified.
  HWY_INLINE void load(uint32_t product, VF32 (&weights)[kFloatProducts]) const {
    const DF32 d;
    const hn::RepartitionToWide<DF32> wide;
    VF32 rows[4];
    for (size_t i = 0; i < 4; ++i)
      rows[i] = loadBlocks(d, first_ + i * stride_ + product, 4 * stride_);
    const auto lower01 = hn::BitCast(wide, hn::InterleaveLower(d, rows[0], rows[1]));
    const auto lower23 = hn::BitCast(wide, hn::InterleaveLower(d, rows[2], rows[3]));
    const auto upper01 = hn::BitCast(wide, hn::InterleaveUpper(d, rows[0], rows[1]));
    const auto upper23 = hn::BitCast(wide, hn::InterleaveUpper(d, rows[2], rows[3]));
    weights[0] = hn::BitCast(d, hn::InterleaveLower(wide, lower01, lower23));
    weights[1] = hn::BitCast(d, hn::InterleaveUpper(wide, lower01, lower23));
    weights[2] = hn::BitCast(d, hn::InterleaveLower(wide, upper01, upper23));
    weights[3] = hn::BitCast(d, hn::InterleaveUpper(wide, upper01, upper23));
  }

private:
  /// Weights that no four vectors can be loaded from: of several granules, few channels, or an odd number of products.
  HWY_NOINLINE void copy(const float *weights, const firmware::WeightLayout &layout, uint32_t channel, uint32_t chunk,
                         uint32_t length) {
    std::fill_n(copy_, kLanes * firmware::kChunkProducts, 0.0f);
    const uint32_t count = std::min(static_cast<uint32_t>(kLanes), layout.outputChannels() - channel);
    for (uint32_t c = 0; c < count; ++c)
      std::memcpy(copy_ + c * firmware::kChunkProducts, weights + layout.indexOf(channel + c, chunk),
                  length * sizeof(float));
    first_ = copy_;
    stride_ = firmware::kChunkProducts;
  }

  const float *first_ = nullptr;
  size_t stride_ = 0; ///< elements from one channel to the next
  float copy_[kLanes * firmware::kChunkProducts];
};

/// One chunk of one vector of channels: a vector for each product, `step` elements apart.
void packChunk(const FloatChunk &chunk, uint32_t length, float *out, size_t step) {
  const DF32 d;
  for (uint32_t product = 0; product < length; product += kFloatProducts) {
    VF32 weights[kFloatProducts];
    chunk.load(product, weights);
    for (uint32_t i = 0; i < std::min(kFloatProducts, length - product); ++i, out += step)
      hn::StoreU(weights[i], d, out);
  }
}

bool packPanels(const float *weights, const firmware::WeightLayout &layout, std::vector<float> &panels) {
  const uint32_t channels = layout.outputChannels(), products = layout.products();
  panels.resize(std::max(panels.size(), roundUp(channels, kLanes) * products));
  FloatChunk chunk;
  for (uint32_t channel = 0; channel < channels; channel += static_cast<uint32_t>(kLanes)) {
    const uint32_t panel = channel - channel % static_cast<uint32_t>(kPanelChannels);
    const size_t width = panelWidth(channels, panel);
    float *out = panels.data() + size_t(panel) * products + (channel - panel);
    for (uint32_t first = 0; first < products; first += firmware::kChunkProducts) {
      chunk.open(weights, layout, channel, first);
      packChunk(chunk, std::min(firmware::kChunkProducts, products - first), out + first * width, width);
    }
  }
  return true;
}

template <size_t numRows, size_t numVectors>
HWY_INLINE void multiplyRows(const FloatTile &tile, size_t row, const float *panel, size_t channel,
                             const FloatVectors<> *stores) {
  const DF32 d;
  VF32 sums[numRows][numVectors];
  for (size_t r = 0; r < numRows; ++r)
    for (size_t v = 0; v < numVectors; ++v)
      sums[r][v] = hn::Zero(d);
  const float *rows[numRows];
  std::copy_n(tile.rows + row, numRows, rows);
  for (size_t k = 0; k < tile.products; ++k, panel += kLanes * numVectors)
    for (size_t r = 0; r < numRows; ++r) {
      const auto input = hn::Set(d, rows[r][k]);
      for (size_t v = 0; v < numVectors; ++v)
        sums[r][v] = hn::Add(sums[r][v], hn::Mul(input, hn::LoadU(d, panel + kLanes * v)));
    }
  for (size_t v = 0; v < numVectors; ++v) {
    size_t first = channel + v * kLanes;
    size_t count = std::min<size_t>(kLanes, tile.channels - first);
    for (size_t r = 0; r < numRows; ++r)
      storeSome(stores[v].apply(sums[r][v]), d, tile.outputs[row + r] + first, count);
  }
}

template <size_t numVectors>
HWY_NOINLINE void multiplyPanel(const FloatTile &tile, const float *panel, size_t channel) {
  constexpr size_t kMainRows = 12 / numVectors;
  const FloatVectors<> stores[2] = {FloatVectors<>(tile.stage, channel), FloatVectors<>(tile.stage, channel + kLanes)};
  size_t row = 0;
  for (; row + kMainRows <= tile.pixels; row += kMainRows)
    multiplyRows<kMainRows, numVectors>(tile, row, panel, channel, stores);
  for (; row + 3 <= tile.pixels; row += 3)
    multiplyRows<3, numVectors>(tile, row, panel, channel, stores);
  for (; row < tile.pixels; ++row)
    multiplyRows<1, numVectors>(tile, row, panel, channel, stores);
}

void multiplyTile(const FloatTile &tile) {
  for (size_t channel = 0; channel < tile.channels; channel += kPanelChannels) {
    const float *panel = tile.panels + channel * tile.products;
    if (panelWidth(tile.channels, channel) == kLanes)
      multiplyPanel<1>(tile, panel, channel);
    else
      multiplyPanel<2>(tile, panel, channel);
  }
}

/// Sums of numRows pixels and numVectors vectors of channels, in registers.
template <size_t numRows, size_t numVectors> struct RowSums {
  VF32 sums[numRows][numVectors];

  HWY_INLINE void clear() {
    for (auto &row : sums)
      for (VF32 &sum : row)
        sum = hn::Zero(DF32());
  }

  /// Adds products [first, first + count) of a chunk in their order; count is at most kFloatProducts.
  HWY_INLINE void add(const FloatRows &rows, uint32_t chunk, const FloatChunk *chunks, uint32_t first, uint32_t count) {
    VF32 weights[numVectors][kFloatProducts];
    for (size_t v = 0; v < numVectors; ++v)
      chunks[v].load(first, weights[v]);
    for (uint32_t i = 0; i < count; ++i)
      for (size_t r = 0; r < numRows; ++r) {
        const auto input = hn::Set(DF32(), rows.rows[r][chunk + first + i]);
        for (size_t v = 0; v < numVectors; ++v)
          sums[r][v] = hn::Add(sums[r][v], hn::Mul(input, weights[v][i]));
      }
  }

  HWY_INLINE void addChunk(const FloatRows &rows, uint32_t chunk, const FloatChunk *chunks) {
    const uint32_t length = std::min(firmware::kChunkProducts, rows.layout.products() - chunk);
    uint32_t product = 0;
    for (; product + kFloatProducts <= length; product += kFloatProducts)
      add(rows, chunk, chunks, product, kFloatProducts);
    if (product < length)
      add(rows, chunk, chunks, product, length - product);
  }

  HWY_INLINE void store(const FloatRows &rows, uint32_t channel) const {
    for (size_t v = 0; v < numVectors; ++v) {
      const size_t first = channel + v * kLanes;
      const FloatVectors<> stage(rows.stage, first);
      for (size_t r = 0; r < numRows; ++r)
        storeSome(stage.apply(sums[r][v]), DF32(), rows.outputs[r] + first,
                  std::min<size_t>(kLanes, rows.layout.outputChannels() - first));
    }
  }
};

template <size_t numRows, size_t numVectors>
HWY_NOINLINE void multiplyVectors(const FloatRows &rows, uint32_t channel) {
  RowSums<numRows, numVectors> sums;
  FloatChunk chunks[numVectors];
  sums.clear();
  for (uint32_t chunk = 0; chunk < rows.layout.products(); chunk += firmware::kChunkProducts) {
    for (size_t v = 0; v < numVectors; ++v)
      chunks[v].open(rows.weights, rows.layout, channel + static_cast<uint32_t>(v * kLanes), chunk);
    sums.addChunk(rows, chunk, chunks);
  }
  sums.store(rows, channel);
}

template <size_t numRows> void multiplyChannels(const FloatRows &rows) {
  const auto lanes = static_cast<uint32_t>(kLanes);
  uint32_t channel = 0;
  // Two sums at a time hide the latency of the additions.
  for (; channel + lanes < rows.layout.outputChannels(); channel += 2 * lanes)
    multiplyVectors<numRows, 2>(rows, channel);
  if (channel < rows.layout.outputChannels())
    multiplyVectors<numRows, 1>(rows, channel);
}

bool multiplyFewRows(const FloatRows &rows) {
  using Multiply = void (*)(const FloatRows &);
  constexpr Multiply kByCount[] = {multiplyChannels<1>, multiplyChannels<2>, multiplyChannels<3>, multiplyChannels<4>};
  static_assert(std::size(kByCount) == kFewFloatRows);
  kByCount[rows.count - 1](rows);
  return true;
}

#else

bool packPanels(const float *, const firmware::WeightLayout &, std::vector<float> &) { return false; }
void multiplyTile(const FloatTile &) {}
bool multiplyFewRows(const FloatRows &) { return false; }

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(packPanels);
HWY_EXPORT(multiplyTile);
HWY_EXPORT(multiplyFewRows);

bool packFloatPanels(const float *weights, const firmware::WeightLayout &layout, std::vector<float> &panels) {
  return HWY_DYNAMIC_DISPATCH(packPanels)(weights, layout, panels);
}

void multiplyFloatTile(const FloatTile &tile) { HWY_DYNAMIC_DISPATCH(multiplyTile)(tile); }

bool multiplyFloatRows(const FloatRows &rows) { return HWY_DYNAMIC_DISPATCH(multiplyFewRows)(rows); }

} // namespace avocet::kernels

#endif // HWY_ONCE
