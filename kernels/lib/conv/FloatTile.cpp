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

/// Copies one chunk of the channels of a panel, so that stores are contiguous.
void packChunk(const float *weights, const firmware::WeightLayout &layout, uint32_t panel, uint32_t chunk,
               float *panels) {
  const uint32_t channels = layout.outputChannels(), products = layout.products();
  const size_t width = panelWidth(channels, panel);
  const uint32_t count = std::min<uint32_t>(static_cast<uint32_t>(width), channels - panel);
  const float *sources[kPanelChannels];
  for (uint32_t c = 0; c < count; ++c)
    sources[c] = weights + layout.indexOf(panel + c, chunk);
  float *out = panels + size_t(panel) * products + chunk * width;
  const uint32_t length = std::min(firmware::kChunkProducts, products - chunk);
  for (uint32_t i = 0; i < length; ++i, out += width)
    for (uint32_t c = 0; c < count; ++c)
      out[c] = sources[c][i];
}

bool packPanels(const uint8_t *weights, const firmware::WeightLayout &layout, std::vector<float> &panels) {
  const uint32_t channels = layout.outputChannels(), products = layout.products();
  panels.resize((channels + kLanes - 1) / kLanes * kLanes * products);
  // Lanes without a channel must be zero.
  if (channels % kLanes != 0)
    std::fill(panels.begin(), panels.end(), 0.0f);
  for (uint32_t panel = 0; panel < channels; panel += kPanelChannels)
    for (uint32_t chunk = 0; chunk < products; chunk += firmware::kChunkProducts)
      packChunk(reinterpret_cast<const float *>(weights), layout, panel, chunk, panels.data());
  return true;
}

template <size_t numRows, size_t numVectors>
HWY_INLINE void multiplyRows(const FloatTile &tile, size_t row, const float *panel, size_t channel,
                             const FloatVectors *stores) {
  const DF32 d;
  VF32 sums[numRows][numVectors];
  for (size_t r = 0; r < numRows; ++r)
    for (size_t v = 0; v < numVectors; ++v)
      sums[r][v] = hn::Zero(d);
  const float *rows = tile.rows + row * tile.products;
  for (size_t k = 0; k < tile.products; ++k, panel += kLanes * numVectors)
    for (size_t r = 0; r < numRows; ++r) {
      const auto input = hn::Set(d, rows[r * tile.products + k]);
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
  const FloatVectors stores[2] = {FloatVectors(tile.stage, channel), FloatVectors(tile.stage, channel + kLanes)};
  size_t row = 0;
  for (; row + kMainRows <= tile.pixels; row += kMainRows)
    multiplyRows<kMainRows, numVectors>(tile, row, panel, channel, stores);
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

/// Channels [first, first + lanes) of the sums.
template <class Load> HWY_INLINE VF32 sumTaps(const FloatTaps &taps, size_t first, Load &&load) {
  const DF32 d;
  auto sums = hn::Zero(d);
  for (size_t t = 0; t < taps.count; ++t)
    sums = hn::Add(sums, hn::Mul(load(taps.pixels[t] + first), load(taps.weights[t] + first)));
  return FloatVectors(taps.stage, first).apply(sums);
}

void sumAllTaps(const FloatTaps &taps) {
  const DF32 d;
  size_t first = 0;
  for (; first + kLanes <= taps.channels; first += kLanes)
    hn::StoreU(sumTaps(taps, first, [&](const float *at) HWY_ATTR { return hn::LoadU(d, at); }), d,
               taps.output + first);
  if (first == taps.channels)
    return;
  const size_t rest = taps.channels - first;
  auto loadRest = [&](const float *at) HWY_ATTR {
    HWY_ALIGN float lanes[kLanes] = {};
    std::memcpy(lanes, at, rest * sizeof(float));
    return hn::Load(d, lanes);
  };
  storeSome(sumTaps(taps, first, loadRest), d, taps.output + first, rest);
}

#else

void sumAllTaps(const FloatTaps &taps) {
  for (uint32_t c = 0; c < taps.channels; ++c) {
    float sum = 0;
    for (size_t t = 0; t < taps.count; ++t)
      sum += taps.pixels[t][c] * taps.weights[t][c];
    taps.output[c] = std::min(std::max(sum + taps.stage.floatBias[c], taps.stage.floatMin), taps.stage.floatMax);
  }
}
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
HWY_EXPORT(sumAllTaps);

bool packFloatPanels(const uint8_t *weights, const firmware::WeightLayout &layout, std::vector<float> &panels) {
  return HWY_DYNAMIC_DISPATCH(packPanels)(weights, layout, panels);
}

void multiplyFloatTile(const FloatTile &tile) { HWY_DYNAMIC_DISPATCH(multiplyTile)(tile); }
void sumFloatTaps(const FloatTaps &taps) { HWY_DYNAMIC_DISPATCH(sumAllTaps)(taps); }

} // namespace avocet::kernels

#endif // HWY_ONCE
