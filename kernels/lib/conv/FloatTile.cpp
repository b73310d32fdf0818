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
#include "avocet/base/Rounding.h"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/FloatWeights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

constexpr size_t kLanes = kFloatLanes;
constexpr size_t kPanelChannels = 2 * kLanes;

size_t panelWidth(size_t channels, size_t first) { return channels - first <= kLanes ? kLanes : kPanelChannels; }

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

#else

bool packPanels(const float *, const firmware::WeightLayout &, std::vector<float> &) { return false; }
void multiplyTile(const FloatTile &) {}

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(packPanels);
HWY_EXPORT(multiplyTile);

bool packFloatPanels(const float *weights, const firmware::WeightLayout &layout, std::vector<float> &panels) {
  return HWY_DYNAMIC_DISPATCH(packPanels)(weights, layout, panels);
}

void multiplyFloatTile(const FloatTile &tile) { HWY_DYNAMIC_DISPATCH(multiplyTile)(tile); }

} // namespace avocet::kernels

#endif // HWY_ONCE
