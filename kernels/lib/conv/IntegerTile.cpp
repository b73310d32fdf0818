//===- IntegerTile.cpp - Dense integer products on vectors ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/IntegerTile.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/IntegerTile.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/Panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

using D16 = hn::ScalableTag<int16_t>;
using V16 = hn::Vec<D16>;

/// 8-bit weights without their zero point.
template <typename T> struct Bytes {
  using Stored = T;
  using Packed = int16_t;
  int32_t zeroPoint;

  int16_t of(T weight) const { return static_cast<int16_t>(weight - zeroPoint); }
  template <class D> HWY_INLINE hn::Vec<D> load(D d, const T *source) const {
    const auto bytes = hn::LoadU(hn::Rebind<T, D>(), source);
    return hn::Sub(hn::PromoteTo(d, bytes), hn::Set(d, static_cast<int16_t>(zeroPoint)));
  }
};

/// b of the 16-bit weight 256 * a + b.
struct LowBytes {
  using Stored = int16_t;
  using Packed = int16_t;

  int16_t of(int16_t weight) const { return static_cast<int8_t>(weight); }
  template <class D> HWY_INLINE hn::Vec<D> load(D d, const int16_t *source) const {
    return hn::ShiftRight<8>(hn::ShiftLeft<8>(hn::LoadU(d, source)));
  }
};

/// a of the 16-bit weight 256 * a + b: one more than its high byte where b is negative.
struct HighBytes {
  using Stored = int16_t;
  using Packed = int16_t;

  int16_t of(int16_t weight) const { return static_cast<int16_t>((weight >> 8) + (weight >> 7 & 1)); }
  template <class D> HWY_INLINE hn::Vec<D> load(D d, const int16_t *source) const {
    const auto weights = hn::LoadU(d, source);
    return hn::Add(hn::ShiftRight<8>(weights), hn::And(hn::ShiftRight<7>(weights), hn::Set(d, 1)));
  }
};

bool packPanels(const PackedWeights &weights, IntegerPanels &panels) {
  const bool isWide = weights.type == firmware::DataType::Int16;
  size_t channels = weights.layout.outputChannels(), products = weights.layout.products();
  size_t lanes = roundUp(channels, kLanes);
  size_t size = lanes * roundUp(products, 2), all = isWide ? 2 * size : size;
  panels.elements.resize(std::max(panels.elements.size(), all));
  panels.lowBytes = isWide ? size : 0;
  int16_t *elements = panels.elements.data();
  // Lanes without a channel and the second half of an odd last pair must be zero.
  if (lanes != channels || products % 2 != 0)
    std::memset(elements, 0, all * sizeof(int16_t));
  if (isWide) {
    PanelPacker(weights, HighBytes(), elements).run();
    PanelPacker(weights, LowBytes(), elements + size).run();
  } else if (weights.type == firmware::DataType::Int8) {
    PanelPacker(weights, Bytes<int8_t>{weights.zeroPoint}, elements).run();
  } else {
    PanelPacker(weights, Bytes<uint8_t>{weights.zeroPoint}, elements).run();
  }
  return true;
}

/// Sums of numRows pixels and numVectors vectors of channels, in registers.
template <size_t numRows, size_t numVectors> struct Sums {
  V32 even[numRows][numVectors], odd[numRows][numVectors];

  /// `count` products of each row; rows are rowLength apart.
  HWY_INLINE void multiply(const int16_t *rows, size_t rowLength, size_t count, const int16_t *panel) {
    const D32 d32;
    const D16 d16;
    for (size_t r = 0; r < numRows; ++r)
      for (size_t v = 0; v < numVectors; ++v)
        even[r][v] = odd[r][v] = hn::Zero(d32);
    for (size_t k = 0; k < count; k += 2, panel += 2 * kLanes * numVectors) {
      V16 weights[numVectors];
      for (size_t v = 0; v < numVectors; ++v)
        weights[v] = hn::LoadU(d16, panel + 2 * kLanes * v);
      for (size_t r = 0; r < numRows; ++r) {
        int32_t pair;
        std::memcpy(&pair, rows + r * rowLength + k, sizeof(pair));
        const auto input = hn::BitCast(d16, hn::Set(d32, pair));
        for (size_t v = 0; v < numVectors; ++v)
          even[r][v] = hn::ReorderWidenMulAccumulate(d32, input, weights[v], even[r][v], odd[r][v]);
      }
    }
  }

  HWY_INLINE V32 get(size_t r, size_t v) const { return hn::RearrangeToOddPlusEven(even[r][v], odd[r][v]); }
};

template <size_t numRows, size_t numVectors> struct LongSums {
  WideSums wide[numRows][numVectors];

  HWY_INLINE void clear() {
    forEach([](WideSums &sums, size_t, size_t) HWY_ATTR { sums = {hn::Zero(D64()), hn::Zero(D64())}; });
  }

  /// Adds as many products at a time as fit in 32 bits.
  HWY_INLINE void add(const int16_t *rows, size_t rowLength, size_t count, const int16_t *panel) {
    for (size_t k = 0; k < count; k += kExactProducts) {
      Sums<numRows, numVectors> part;
      part.multiply(rows + k, rowLength, std::min<size_t>(kExactProducts, count - k), panel + k * kLanes * numVectors);
      forEach([&](WideSums &sums, size_t r, size_t v) HWY_ATTR { sums.add(part.get(r, v)); });
    }
  }

  HWY_INLINE void multiplyBy256() {
    forEach([](WideSums &sums, size_t, size_t)
                HWY_ATTR { sums = {hn::ShiftLeft<8>(sums.lower), hn::ShiftLeft<8>(sums.upper)}; });
  }

  template <class F> HWY_INLINE void forEach(F &&f) {
    for (size_t r = 0; r < numRows; ++r)
      for (size_t v = 0; v < numVectors; ++v)
        f(wide[r][v], r, v);
  }

  HWY_INLINE WideSums get(size_t r, size_t v) const { return wide[r][v]; }
};

/// The sums of products that the output stage takes.
template <class Store, size_t numRows, size_t numVectors>
HWY_INLINE auto sumsOf(const IntegerTile &tile, const int16_t *rows, const int16_t *panel) {
  if constexpr (kTakesWideSums<Store>) {
    LongSums<numRows, numVectors> sums;
    sums.clear();
    sums.add(rows, tile.rowLength, tile.rowLength, panel);
    if (tile.panels.lowBytes != 0) {
      sums.multiplyBy256();
      sums.add(rows, tile.rowLength, tile.rowLength, panel + tile.panels.lowBytes);
    }
    return sums;
  } else {
    Sums<numRows, numVectors> sums;
    sums.multiply(rows, tile.rowLength, tile.rowLength, panel);
    return sums;
  }
}

template <size_t numRows, size_t numVectors, class Store>
HWY_INLINE void multiplyRows(const IntegerTile &tile, size_t row, const int16_t *panel, size_t channel,
                             const Store *stores) {
  const auto sums = sumsOf<Store, numRows, numVectors>(tile, tile.rows + row * tile.rowLength, panel);
  for (size_t v = 0; v < numVectors; ++v) {
    size_t first = channel + v * kLanes;
    size_t count = std::min<size_t>(kLanes, tile.channels - first);
    for (size_t r = 0; r < numRows; ++r)
      stores[v](sums.get(r, v), tile.outputs[row + r], first, count);
  }
}

template <size_t numVectors, class Store>
HWY_NOINLINE void multiplyPanel(const IntegerTile &tile, const int16_t *panel, size_t channel) {
  // Twelve vectors of sums fill the registers of the smaller instruction sets and hide the latency on all sets.
  constexpr size_t kMainRows = 12 / numVectors;
  const Store stores[2] = {Store(tile.stage, channel), Store(tile.stage, channel + kLanes)};
  size_t row = 0;
  for (; row + kMainRows <= tile.pixels; row += kMainRows)
    multiplyRows<kMainRows, numVectors>(tile, row, panel, channel, stores);
  for (; row + 3 <= tile.pixels; row += 3)
    multiplyRows<3, numVectors>(tile, row, panel, channel, stores);
  for (; row < tile.pixels; ++row)
    multiplyRows<1, numVectors>(tile, row, panel, channel, stores);
}

template <class Store> void multiplyPanels(const IntegerTile &tile) {
  for (size_t channel = 0; channel < tile.channels; channel += kPanelChannels) {
    const int16_t *panel = tile.panels.elements.data() + channel * tile.rowLength;
    if (panelWidth(tile.channels, channel) == kLanes)
      multiplyPanel<1, Store>(tile, panel, channel);
    else
      multiplyPanel<2, Store>(tile, panel, channel);
  }
}

void multiplyTile(const IntegerTile &tile) {
  if (tile.stage.scaling == firmware::OutputScaling::RequantizeWide)
    multiplyPanels<WideStore>(tile);
  else if (tile.stage.scaling == firmware::OutputScaling::SumsWide)
    multiplyPanels<WideSumsStore>(tile);
  else
    withStore(tile.stage, [&]<class Store>(Store *) HWY_ATTR { multiplyPanels<Store>(tile); });
}

#else

bool packPanels(const PackedWeights &, IntegerPanels &) { return false; }
void multiplyTile(const IntegerTile &) {}

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(packPanels);
HWY_EXPORT(multiplyTile);

bool packIntegerPanels(const PackedWeights &weights, IntegerPanels &panels) {
  return HWY_DYNAMIC_DISPATCH(packPanels)(weights, panels);
}

void multiplyIntegerTile(const IntegerTile &tile) { HWY_DYNAMIC_DISPATCH(multiplyTile)(tile); }

} // namespace avocet::kernels

#endif // HWY_ONCE
