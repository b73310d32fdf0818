//===- ByteTile.cpp - Dense products of bytes on vectors ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/ByteTile.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/ByteTile.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/Panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3_DL

using D8 = hn::ScalableTag<int8_t>;
using V8 = hn::Vec<D8>;

constexpr size_t kQuad = 4; ///< products that one instruction adds

/// Adds to each lane of `sums` the products of its four bytes.
HWY_INLINE V32 addQuads(V32 sums, V8 unsignedBytes, V8 signedBytes) {
  return V32{_mm512_dpbusd_epi32(sums.raw, unsignedBytes.raw, signedBytes.raw)};
}

/// Weights as they are.
struct Plain {
  using Stored = int8_t;
  using Packed = int8_t;

  int8_t of(int8_t weight) const { return weight; }
  template <class D> HWY_INLINE hn::Vec<D> load(D d, const int8_t *source) const { return hn::LoadU(d, source); }
};

/// Minus the zero point times the weights of each channel. Sums may wrap, as those of the products.
template <size_t numVectors>
void computeStarts(const int8_t *panel, size_t rowLength, uint8_t zeroPoint, int32_t *starts) {
  const D32 d32;
  const D8 d8;
  const auto ones = hn::Set(d8, int8_t(1));
  V32 sums[numVectors];
  for (size_t v = 0; v < numVectors; ++v)
    sums[v] = hn::Zero(d32);
  for (size_t k = 0; k < rowLength; k += kQuad)
    for (size_t v = 0; v < numVectors; ++v, panel += kQuad * kLanes)
      sums[v] = addQuads(sums[v], ones, hn::LoadU(d8, panel));
  for (size_t v = 0; v < numVectors; ++v)
    hn::StoreU(hn::Mul(sums[v], hn::Set(d32, -int32_t{zeroPoint})), d32, starts + v * kLanes);
}

bool packPanels(const PackedWeights &weights, uint8_t zeroPoint, BytePanels &panels) {
  const size_t channels = weights.layout.outputChannels(), products = weights.layout.products();
  const size_t lanes = roundUp(channels, kLanes), rowLength = roundUp(products, kQuad);
  panels.elements.resize(std::max(panels.elements.size(), lanes * rowLength));
  panels.starts.resize(std::max(panels.starts.size(), lanes));
  int8_t *elements = panels.elements.data();
  // Lanes without a channel and the end of an incomplete last quad must be zero.
  if (lanes != channels || products != rowLength)
    std::memset(elements, 0, lanes * rowLength);
  PanelPacker(weights, Plain(), elements).run();
  for (size_t channel = 0; channel < channels; channel += kPanelChannels)
    if (panelWidth(channels, channel) == kLanes)
      computeStarts<1>(elements + channel * rowLength, rowLength, zeroPoint, panels.starts.data() + channel);
    else
      computeStarts<2>(elements + channel * rowLength, rowLength, zeroPoint, panels.starts.data() + channel);
  return true;
}

/// Products of numRows pixels and numVectors vectors of channels, in registers; stores the sums at
/// sums[(v * numRows + r) * kLanes].
template <size_t numRows, size_t numVectors>
HWY_INLINE void sumRows(const uint8_t *rows, size_t rowLength, const int8_t *panel, const int32_t *starts,
                        int32_t *stored) {
  const D32 d32;
  const D8 d8;
  V32 sums[numRows][numVectors];
  for (size_t v = 0; v < numVectors; ++v)
    for (size_t r = 0; r < numRows; ++r)
      sums[r][v] = hn::LoadU(d32, starts + v * kLanes);
  for (size_t k = 0; k < rowLength; k += kQuad, panel += kQuad * kLanes * numVectors) {
    V8 weights[numVectors];
    for (size_t v = 0; v < numVectors; ++v)
      weights[v] = hn::LoadU(d8, panel + kQuad * kLanes * v);
    for (size_t r = 0; r < numRows; ++r) {
      int32_t quad;
      std::memcpy(&quad, rows + r * rowLength + k, sizeof(quad));
      const auto input = hn::BitCast(d8, hn::Set(d32, quad));
      for (size_t v = 0; v < numVectors; ++v)
        sums[r][v] = addQuads(sums[r][v], input, weights[v]);
    }
  }
  for (size_t v = 0; v < numVectors; ++v)
    for (size_t r = 0; r < numRows; ++r)
      hn::Store(sums[r][v], d32, stored + (v * numRows + r) * kLanes);
}

/// The sums go through memory: the compiler keeps an array in registers only if no loop over it remains, and the output
/// stage is too long to be unrolled for all of them.
template <size_t numRows, size_t numVectors, class Store>
HWY_INLINE void multiplyRows(const ByteTile &tile, size_t row, const int8_t *panel, size_t channel,
                             const Store *stores) {
  HWY_ALIGN int32_t sums[numRows * numVectors * kLanes];
  sumRows<numRows, numVectors>(tile.rows + row * tile.rowLength, tile.rowLength, panel,
                               tile.panels.starts.data() + channel, sums);
  for (size_t v = 0; v < numVectors; ++v) {
    const size_t first = channel + v * kLanes, count = std::min<size_t>(kLanes, tile.channels - first);
    for (size_t r = 0; r < numRows; ++r)
      stores[v](hn::Load(D32(), sums + (v * numRows + r) * kLanes), tile.outputs[row + r], first, count);
  }
}

template <size_t numVectors, class Store>
HWY_NOINLINE void multiplyPanel(const ByteTile &tile, const int8_t *panel, size_t channel) {
  // 24 sums leave registers for weights and inputs, and hide the latency.
  constexpr size_t kMainRows = 12;
  const Store stores[2] = {Store(tile.stage, channel), Store(tile.stage, channel + kLanes)};
  size_t row = 0;
  for (; row + kMainRows <= tile.pixels; row += kMainRows)
    multiplyRows<kMainRows, numVectors>(tile, row, panel, channel, stores);
  for (; row + 4 <= tile.pixels; row += 4)
    multiplyRows<4, numVectors>(tile, row, panel, channel, stores);
  for (; row < tile.pixels; ++row)
    multiplyRows<1, numVectors>(tile, row, panel, channel, stores);
}

template <class Store> void multiplyPanels(const ByteTile &tile) {
  for (size_t channel = 0; channel < tile.channels; channel += kPanelChannels) {
    const int8_t *panel = tile.panels.elements.data() + channel * tile.rowLength;
    if (panelWidth(tile.channels, channel) == kLanes)
      multiplyPanel<1, Store>(tile, panel, channel);
    else
      multiplyPanel<2, Store>(tile, panel, channel);
  }
}

void multiplyTile(const ByteTile &tile) {
  withStore(tile.stage, [&]<class Store>(Store *) HWY_ATTR { multiplyPanels<Store>(tile); });
}

#else

bool packPanels(const PackedWeights &, uint8_t, BytePanels &) { return false; }
void multiplyTile(const ByteTile &) {}

#endif // HWY_TARGET == HWY_AVX3_DL

void flipSigns(const uint8_t *source, size_t count, uint8_t *destination) {
  for (size_t i = 0; i < count; ++i)
    destination[i] = source[i] ^ 0x80;
}

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(packPanels);
HWY_EXPORT(multiplyTile);
HWY_EXPORT(flipSigns);

bool packBytePanels(const PackedWeights &weights, uint8_t zeroPoint, BytePanels &panels) {
  return HWY_DYNAMIC_DISPATCH(packPanels)(weights, zeroPoint, panels);
}

void multiplyByteTile(const ByteTile &tile) { HWY_DYNAMIC_DISPATCH(multiplyTile)(tile); }

void UnsignedInput::operator()(const uint8_t *source, size_t count, uint8_t *destination) const {
  if (isSigned)
    HWY_DYNAMIC_DISPATCH(flipSigns)(source, count, destination);
  else
    std::memcpy(destination, source, count);
}

} // namespace avocet::kernels

#endif // HWY_ONCE
