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

#include "conv/Stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

constexpr size_t kLanes = hn::MaxLanes(DF32());
constexpr size_t kPanelChannels = 2 * kLanes;

size_t panelWidth(size_t channels, size_t first) { return channels - first <= kLanes ? kLanes : kPanelChannels; }

bool packPanels(const uint8_t *weights, const firmware::WeightLayout &layout, std::vector<float> &panels) {
  size_t channels = layout.outputChannels(), products = layout.products();
  size_t lanes = (channels + kLanes - 1) / kLanes * kLanes;
  panels.assign(lanes * products, 0.0f);
  for (uint32_t channel = 0; channel < channels; ++channel) {
    size_t panel = channel - channel % kPanelChannels;
    size_t width = panelWidth(channels, panel);
    float *column = panels.data() + panel * products + (channel - panel);
    for (uint32_t chunk = 0; chunk < products; chunk += firmware::kChunkProducts) {
      const uint8_t *source = weights + layout.indexOf(channel, chunk) * sizeof(float);
      uint32_t length = std::min<uint32_t>(firmware::kChunkProducts, layout.products() - chunk);
      for (uint32_t i = 0; i < length; ++i)
        std::memcpy(column + (chunk + i) * width, source + i * sizeof(float), sizeof(float));
    }
  }
  return true;
}

template <size_t Rows, size_t Vectors>
HWY_INLINE void multiplyRows(const FloatTile &tile, size_t row, const float *panel, size_t channel,
                             const FloatVectors *stores) {
  const DF32 d;
  VF32 sums[Rows][Vectors];
  for (size_t r = 0; r < Rows; ++r)
    for (size_t v = 0; v < Vectors; ++v)
      sums[r][v] = hn::Zero(d);
  const float *rows = tile.rows + row * tile.products;
  for (size_t k = 0; k < tile.products; ++k, panel += kLanes * Vectors)
    for (size_t r = 0; r < Rows; ++r) {
      const auto input = hn::Set(d, rows[r * tile.products + k]);
      for (size_t v = 0; v < Vectors; ++v)
        sums[r][v] = hn::Add(sums[r][v], hn::Mul(input, hn::LoadU(d, panel + kLanes * v)));
    }
  for (size_t v = 0; v < Vectors; ++v) {
    size_t first = channel + v * kLanes;
    size_t count = std::min<size_t>(kLanes, tile.channels - first);
    for (size_t r = 0; r < Rows; ++r)
      storeSome(stores[v].apply(sums[r][v]), d, tile.outputs[row + r] + first, count);
  }
}

template <size_t Vectors> HWY_NOINLINE void multiplyPanel(const FloatTile &tile, const float *panel, size_t channel) {
  constexpr size_t kMainRows = 12 / Vectors;
  const FloatVectors stores[2] = {FloatVectors(tile.stage, channel), FloatVectors(tile.stage, channel + kLanes)};
  size_t row = 0;
  for (; row + kMainRows <= tile.pixels; row += kMainRows)
    multiplyRows<kMainRows, Vectors>(tile, row, panel, channel, stores);
  for (; row < tile.pixels; ++row)
    multiplyRows<1, Vectors>(tile, row, panel, channel, stores);
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

bool packPanels(const uint8_t *, const firmware::WeightLayout &, std::vector<float> &) { return false; }
void multiplyTile(const FloatTile &) {}

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(packPanels);
HWY_EXPORT(multiplyTile);

bool packFloatPanels(const uint8_t *weights, const firmware::WeightLayout &layout, std::vector<float> &panels) {
  return HWY_DYNAMIC_DISPATCH(packPanels)(weights, layout, panels);
}

void multiplyFloatTile(const FloatTile &tile) { HWY_DYNAMIC_DISPATCH(multiplyTile)(tile); }

} // namespace avocet::kernels

#endif // HWY_ONCE
