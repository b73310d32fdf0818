//===- IntegerTile.cpp - Dense integer products on vectors ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/IntegerTile.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/IntegerTile.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/Stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

using D16 = hn::ScalableTag<int16_t>;
using V16 = hn::Vec<D16>;

/// Channels of a panel: two vectors of sums, the last panel one if that is enough.
constexpr size_t kLanes = hn::MaxLanes(D32());
constexpr size_t kPanelChannels = 2 * kLanes;

size_t PanelWidth(size_t channels, size_t first) { return channels - first <= kLanes ? kLanes : kPanelChannels; }

template <typename T> void WidenAll(const T *source, size_t count, int32_t zeroPoint, int16_t *destination) {
  const D16 d16;
  const hn::Rebind<T, D16> d8;
  const auto zero = hn::Set(d16, static_cast<int16_t>(zeroPoint));
  size_t i = 0;
  for (; i + hn::Lanes(d16) <= count; i += hn::Lanes(d16))
    hn::StoreU(hn::Sub(hn::PromoteTo(d16, hn::LoadU(d8, source + i)), zero), d16, destination + i);
  for (; i < count; ++i)
    destination[i] = static_cast<int16_t>(source[i] - zeroPoint);
}

void WidenBytes(const uint8_t *source, size_t count, bool isSigned, int32_t zeroPoint, int16_t *destination) {
  if (isSigned)
    WidenAll(reinterpret_cast<const int8_t *>(source), count, zeroPoint, destination);
  else
    WidenAll(source, count, zeroPoint, destination);
}

/// Where a panel keeps the pairs of one channel.
struct PanelColumn {
  int16_t *first;
  size_t pairStride; ///< elements from one pair of products to the next
};

PanelColumn ColumnOf(int16_t *panels, size_t channel, size_t channels, size_t pairs) {
  size_t panel = channel - channel % kPanelChannels;
  return {panels + (panel * pairs + (channel - panel)) * 2, PanelWidth(channels, panel) * 2};
}

/// Eight products of four neighbouring channels: widened, and transposed as 4 x 4 pairs.
template <typename T>
HWY_INLINE void PackFourByEight(const T *source, size_t channelStride, int32_t zeroPoint, int16_t *destination,
                                size_t pairStride) {
  const hn::FixedTag<int16_t, 8> d16;
  const hn::FixedTag<int32_t, 4> d32;
  const hn::FixedTag<int64_t, 2> d64;
  const hn::Rebind<T, decltype(d16)> d8;
  const auto zero = hn::Set(d16, static_cast<int16_t>(zeroPoint));
  auto row = [&](size_t i) {
    return hn::BitCast(d32, hn::Sub(hn::PromoteTo(d16, hn::LoadU(d8, source + i * channelStride)), zero));
  };
  const auto r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d32, r0, r1));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d32, r2, r3));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d32, r0, r1));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d32, r2, r3));
  auto store = [&](size_t pair, auto v) { hn::StoreU(hn::BitCast(d16, v), d16, destination + pair * pairStride); };
  store(0, hn::InterleaveLower(d64, low01, low23));
  store(1, hn::InterleaveUpper(d64, low01, low23));
  store(2, hn::InterleaveLower(d64, high01, high23));
  store(3, hn::InterleaveUpper(d64, high01, high23));
}

/// Panels of one command.
template <typename T> class PanelPacker {
public:
  PanelPacker(const PackedWeights &weights, int16_t *panels)
      : weights_(weights), source_(reinterpret_cast<const T *>(weights.data)), panels_(panels),
        channels_(weights.layout.outputChannels()), products_(weights.layout.products()), pairs_((products_ + 1) / 2) {}

  void Run() const {
    for (uint32_t first = 0; first < channels_; first += weights_.layout.granule()) {
      uint32_t width = std::min(weights_.layout.granule(), channels_ - first);
      for (uint32_t chunk = 0; chunk < products_; chunk += firmware::kChunkProducts)
        PackChunk(first, width, chunk, std::min(firmware::kChunkProducts, products_ - chunk));
    }
  }

private:
  void PackChunk(uint32_t first, uint32_t width, uint32_t chunk, uint32_t length) const {
    const T *source = source_ + weights_.layout.indexOf(first, chunk);
    uint32_t channel = 0;
    // Four channels at a time stay in one panel because granules and panels start at multiples of four.
    if (first % 4 == 0)
      for (; channel + 4 <= width; channel += 4) {
        PanelColumn column = ColumnOf(panels_, first + channel, channels_, pairs_);
        int16_t *destination = column.first + chunk / 2 * column.pairStride;
        uint32_t product = 0;
        for (; product + 8 <= length; product += 8)
          PackFourByEight(source + channel * length + product, length, weights_.zeroPoint,
                          destination + product / 2 * column.pairStride, column.pairStride);
        for (uint32_t i = 0; i < 4; ++i)
          PackSome(source + (channel + i) * length, product, length, destination + 2 * i, column.pairStride);
      }
    for (; channel < width; ++channel) {
      PanelColumn column = ColumnOf(panels_, first + channel, channels_, pairs_);
      PackSome(source + channel * length, 0, length, column.first + chunk / 2 * column.pairStride, column.pairStride);
    }
  }

  void PackSome(const T *source, uint32_t begin, uint32_t end, int16_t *destination, size_t pairStride) const {
    for (uint32_t product = begin; product < end; ++product)
      destination[product / 2 * pairStride + product % 2] = static_cast<int16_t>(source[product] - weights_.zeroPoint);
  }

  const PackedWeights &weights_;
  const T *source_;
  int16_t *panels_;
  uint32_t channels_, products_;
  size_t pairs_;
};

bool PackPanels(const PackedWeights &weights, std::vector<int16_t> &panels) {
  size_t channels = weights.layout.outputChannels(), products = weights.layout.products();
  size_t lanes = (channels + kLanes - 1) / kLanes * kLanes;
  size_t size = lanes * ((products + 1) / 2) * 2;
  if (panels.size() < size)
    panels.resize(size);
  // Lanes without a channel and the second half of an odd last pair must be zero.
  if (lanes != channels || products % 2 != 0)
    std::memset(panels.data(), 0, size * sizeof(int16_t));
  if (weights.isSigned)
    PanelPacker<int8_t>(weights, panels.data()).Run();
  else
    PanelPacker<uint8_t>(weights, panels.data()).Run();
  return true;
}

/// Sums of kRows pixels and kVectors vectors of channels, in registers.
template <size_t kRows, size_t kVectors> struct Sums {
  V32 even[kRows][kVectors], odd[kRows][kVectors];

  HWY_INLINE void Multiply(const int16_t *rows, size_t rowLength, const int16_t *panel) {
    const D32 d32;
    const D16 d16;
    for (size_t r = 0; r < kRows; ++r)
      for (size_t v = 0; v < kVectors; ++v)
        even[r][v] = odd[r][v] = hn::Zero(d32);
    for (size_t k = 0; k < rowLength; k += 2, panel += 2 * kLanes * kVectors) {
      V16 weights[kVectors];
      for (size_t v = 0; v < kVectors; ++v)
        weights[v] = hn::LoadU(d16, panel + 2 * kLanes * v);
      for (size_t r = 0; r < kRows; ++r) {
        int32_t pair;
        std::memcpy(&pair, rows + r * rowLength + k, sizeof(pair));
        const auto input = hn::BitCast(d16, hn::Set(d32, pair));
        for (size_t v = 0; v < kVectors; ++v)
          even[r][v] = hn::ReorderWidenMulAccumulate(d32, input, weights[v], even[r][v], odd[r][v]);
      }
    }
  }

  HWY_INLINE V32 Get(size_t r, size_t v) const { return hn::RearrangeToOddPlusEven(even[r][v], odd[r][v]); }
};

/// Output stages by scaling, for one vector of channels.
struct RequantStore {
  RequantVectors vectors;
  const StageArrays &stage;
  RequantStore(const StageArrays &s, size_t channel) : vectors(s, channel), stage(s) {}
  HWY_INLINE void operator()(V32 sum, uint8_t *pixel, size_t channel, size_t count) const {
    StoreBytes(vectors.Apply(sum), stage.outputType == firmware::DataType::Int8, pixel + channel, count);
    if (HWY_UNLIKELY(stage.table != nullptr))
      for (size_t i = channel; i < channel + count; ++i)
        pixel[i] = stage.table[pixel[i]];
  }
};

struct DynamicStore {
  FloatVectors vectors;
  DynamicStore(const StageArrays &s, size_t channel) : vectors(s, channel) {}
  HWY_INLINE void operator()(V32 sum, uint8_t *pixel, size_t channel, size_t count) const {
    StoreSome(vectors.ApplyDynamic(sum), DF32(), reinterpret_cast<float *>(pixel) + channel, count);
  }
};

template <size_t kRows, size_t kVectors, class Store>
HWY_INLINE void MultiplyRows(const IntegerTile &tile, size_t row, const int16_t *panel, size_t channel,
                             const Store *stores) {
  Sums<kRows, kVectors> sums;
  sums.Multiply(tile.rows + row * tile.rowLength, tile.rowLength, panel);
  for (size_t v = 0; v < kVectors; ++v) {
    size_t first = channel + v * kLanes;
    size_t count = std::min<size_t>(kLanes, tile.channels - first);
    for (size_t r = 0; r < kRows; ++r)
      stores[v](sums.Get(r, v), tile.outputs[row + r], first, count);
  }
}

template <size_t kVectors, class Store>
HWY_NOINLINE void MultiplyPanel(const IntegerTile &tile, const int16_t *panel, size_t channel) {
  // Twelve vectors of sums fill the registers of the smaller instruction sets and hide the latency on all.
  constexpr size_t kMainRows = 12 / kVectors;
  const Store stores[2] = {Store(tile.stage, channel), Store(tile.stage, channel + kLanes)};
  size_t row = 0;
  for (; row + kMainRows <= tile.pixels; row += kMainRows)
    MultiplyRows<kMainRows, kVectors>(tile, row, panel, channel, stores);
  for (; row + 3 <= tile.pixels; row += 3)
    MultiplyRows<3, kVectors>(tile, row, panel, channel, stores);
  for (; row < tile.pixels; ++row)
    MultiplyRows<1, kVectors>(tile, row, panel, channel, stores);
}

template <class Store> void MultiplyPanels(const IntegerTile &tile) {
  for (size_t channel = 0; channel < tile.channels; channel += kPanelChannels) {
    const int16_t *panel = tile.panels + channel * tile.rowLength;
    if (PanelWidth(tile.channels, channel) == kLanes)
      MultiplyPanel<1, Store>(tile, panel, channel);
    else
      MultiplyPanel<2, Store>(tile, panel, channel);
  }
}

void MultiplyTile(const IntegerTile &tile) {
  if (tile.stage.scaling == firmware::OutputScaling::Dynamic)
    MultiplyPanels<DynamicStore>(tile);
  else
    MultiplyPanels<RequantStore>(tile);
}

/// The packed weights of one granule.
template <typename T> struct Granule {
  const T *data;
  uint32_t width, products;
  int32_t zeroPoint;

  /// Weights of one channel in the chunk that starts at a product.
  const T *Chunk(uint32_t channel, uint32_t product) const {
    return data + size_t(product) * width + size_t(channel) * std::min(firmware::kChunkProducts, products - product);
  }
};

/// Sums of one row with kChannels channels of a granule.
template <size_t kChannels, typename T>
HWY_INLINE void MultiplyGranule(const Granule<T> &granule, uint32_t channel, const int16_t *row, int32_t *sums) {
  const D16 d16;
  const D32 d32;
  const hn::Rebind<T, D16> d8;
  const auto zero = hn::Set(d16, static_cast<int16_t>(granule.zeroPoint));
  V32 even[kChannels], odd[kChannels];
  for (size_t i = 0; i < kChannels; ++i)
    even[i] = odd[i] = hn::Zero(d32);
  uint32_t whole = granule.products - granule.products % firmware::kChunkProducts;
  for (uint32_t chunk = 0; chunk < whole; chunk += firmware::kChunkProducts)
    for (uint32_t k = 0; k < firmware::kChunkProducts; k += static_cast<uint32_t>(hn::Lanes(d16))) {
      const auto input = hn::LoadU(d16, row + chunk + k);
      for (size_t i = 0; i < kChannels; ++i) {
        const auto bytes = hn::LoadU(d8, granule.Chunk(channel + static_cast<uint32_t>(i), chunk) + k);
        even[i] = hn::ReorderWidenMulAccumulate(d32, input, hn::Sub(hn::PromoteTo(d16, bytes), zero), even[i], odd[i]);
      }
    }
  for (uint32_t i = 0; i < kChannels; ++i) {
    auto sum = static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d32, hn::Add(even[i], odd[i]))));
    for (uint32_t product = whole; product < granule.products; ++product) {
      int32_t weight = granule.Chunk(channel + i, whole)[product - whole] - granule.zeroPoint;
      sum += static_cast<uint32_t>(weight * row[product]);
    }
    sums[channel + i] = static_cast<int32_t>(sum);
  }
}

template <typename T>
void MultiplyGranules(const PackedWeights &weights, const int16_t *rows, size_t pixels, size_t rowLength,
                      int32_t *sums) {
  const firmware::WeightLayout &layout = weights.layout;
  uint32_t channels = layout.outputChannels();
  for (uint32_t first = 0; first < channels; first += layout.granule()) {
    Granule<T> granule{reinterpret_cast<const T *>(weights.data) + layout.indexOf(first, 0),
                       std::min(layout.granule(), channels - first), layout.products(), weights.zeroPoint};
    for (size_t pixel = 0; pixel < pixels; ++pixel) {
      const int16_t *row = rows + pixel * rowLength;
      int32_t *out = sums + pixel * channels + first;
      uint32_t channel = 0;
      for (; channel + 4 <= granule.width; channel += 4)
        MultiplyGranule<4>(granule, channel, row, out);
      for (; channel < granule.width; ++channel)
        MultiplyGranule<1>(granule, channel, row, out);
    }
  }
}

bool MultiplyFewRows(const PackedWeights &weights, const int16_t *rows, size_t pixels, size_t rowLength,
                     int32_t *sums) {
  if (weights.isSigned)
    MultiplyGranules<int8_t>(weights, rows, pixels, rowLength, sums);
  else
    MultiplyGranules<uint8_t>(weights, rows, pixels, rowLength, sums);
  return true;
}

#else

void WidenBytes(const uint8_t *source, size_t count, bool isSigned, int32_t zeroPoint, int16_t *destination) {
  for (size_t i = 0; i < count; ++i)
    destination[i] = static_cast<int16_t>((isSigned ? static_cast<int8_t>(source[i]) : source[i]) - zeroPoint);
}
bool PackPanels(const PackedWeights &, std::vector<int16_t> &) { return false; }
void MultiplyTile(const IntegerTile &) {}
bool MultiplyFewRows(const PackedWeights &, const int16_t *, size_t, size_t, int32_t *) { return false; }

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(WidenBytes);
HWY_EXPORT(PackPanels);
HWY_EXPORT(MultiplyTile);
HWY_EXPORT(MultiplyFewRows);

bool packIntegerPanels(const PackedWeights &weights, std::vector<int16_t> &panels) {
  return HWY_DYNAMIC_DISPATCH(PackPanels)(weights, panels);
}

void multiplyIntegerTile(const IntegerTile &tile) { HWY_DYNAMIC_DISPATCH(MultiplyTile)(tile); }

bool multiplyIntegerRows(const PackedWeights &weights, const int16_t *rows, size_t pixels, size_t rowLength,
                         int32_t *sums) {
  return HWY_DYNAMIC_DISPATCH(MultiplyFewRows)(weights, rows, pixels, rowLength, sums);
}

void widenBytes(const uint8_t *source, size_t count, bool isSigned, int32_t zeroPoint, int16_t *destination) {
  HWY_DYNAMIC_DISPATCH(WidenBytes)(source, count, isSigned, zeroPoint, destination);
}

} // namespace avocet::kernels

#endif // HWY_ONCE
