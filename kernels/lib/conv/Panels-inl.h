//===- Panels-inl.h - Weights in the order of vectors ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Included once per instruction set, so that the guard toggles.
#if defined(AVOCET_KERNELS_LIB_CONV_PANELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef AVOCET_KERNELS_LIB_CONV_PANELS_INL_H
#undef AVOCET_KERNELS_LIB_CONV_PANELS_INL_H
#else
#define AVOCET_KERNELS_LIB_CONV_PANELS_INL_H
#endif

#include "avocet/base/Rounding.h"
#include "conv/IntegerTile.h"
#include "conv/Stage-inl.h"

#if AVOCET_HAVE_VECTORS

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {

/// Channels of a panel: two vectors of sums, the last panel one if that is enough.
inline constexpr size_t kLanes = hn::MaxLanes(D32());
inline constexpr size_t kPanelChannels = 2 * kLanes;

inline size_t panelWidth(size_t channels, size_t first) { return channels - first <= kLanes ? kLanes : kPanelChannels; }

/// Writes the panels of one command. The products of a channel are in groups of 32 bits, of which those of all channels
/// of the panel are adjacent.
///
/// Factors: `Stored` is the type of the weights, `Packed` (int8_t or int16_t) that of the panels; of() converts one
/// weight, load() a vector of 16 bytes.
template <class Factors> class PanelPacker {
  using Stored = typename Factors::Stored;
  using Packed = typename Factors::Packed;

public:
  PanelPacker(const PackedWeights &weights, Factors factors, Packed *panels)
      : layout_(weights.layout), factors_(factors), source_(reinterpret_cast<const Stored *>(weights.data)),
        panels_(panels), channels_(layout_.outputChannels()), groups_(divideUp(layout_.products(), kGroup)) {}

  void run() const {
    const uint32_t products = layout_.products();
    for (uint32_t first = 0; first < channels_; first += layout_.granule()) {
      const uint32_t width = std::min(layout_.granule(), channels_ - first);
      for (uint32_t chunk = 0; chunk < products; chunk += firmware::kChunkProducts)
        packChunk(first, width, chunk, std::min(firmware::kChunkProducts, products - chunk));
    }
  }

private:
  static constexpr uint32_t kGroup = 4 / sizeof(Packed);
  static constexpr uint32_t kTogether = 16 / sizeof(Packed); ///< products of one channel that are transposed at a time

  /// The groups of one channel.
  struct Column {
    Packed *first;
    size_t stride; ///< elements from one group to the next
  };

  Column columnOf(uint32_t channel, uint32_t product) const {
    const size_t panel = channel - channel % kPanelChannels, stride = panelWidth(channels_, panel) * kGroup;
    return {panels_ + (panel * groups_ + (channel - panel)) * kGroup + product / kGroup * stride, stride};
  }

  void packChunk(uint32_t first, uint32_t width, uint32_t chunk, uint32_t length) const {
    const Stored *source = source_ + layout_.indexOf(first, chunk);
    uint32_t channel = 0;
    // Groups of four channels stay in one panel, because granules and panels start at multiples of four.
    if (first % 4 == 0)
      for (; channel + 4 <= width; channel += 4)
        packFour(source + size_t(channel) * length, length, columnOf(first + channel, chunk));
    for (; channel < width; ++channel)
      packOne(source + size_t(channel) * length, 0, length, columnOf(first + channel, chunk));
  }

  void packFour(const Stored *source, uint32_t length, Column column) const {
    uint32_t product = 0;
    for (; product + kTogether <= length; product += kTogether)
      transpose(source + product, length, column.first + product / kGroup * column.stride, column.stride);
    for (uint32_t i = 0; i < 4; ++i)
      packOne(source + size_t(i) * length, product, length, {column.first + size_t(i) * kGroup, column.stride});
  }

  void packOne(const Stored *source, uint32_t begin, uint32_t end, Column column) const {
    for (uint32_t product = begin; product < end; ++product)
      column.first[product / kGroup * column.stride + product % kGroup] = factors_.of(source[product]);
  }

  /// Four groups of four neighboring channels.
  HWY_INLINE void transpose(const Stored *source, size_t channelStride, Packed *out, size_t stride) const {
    constexpr hn::FixedTag<Packed, kTogether> d;
    constexpr hn::FixedTag<int32_t, 4> d32;
    constexpr hn::FixedTag<int64_t, 2> d64;
    auto row = [&](size_t i) HWY_ATTR { return hn::BitCast(d32, factors_.load(d, source + i * channelStride)); };
    const auto r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
    const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d32, r0, r1));
    const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d32, r2, r3));
    const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d32, r0, r1));
    const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d32, r2, r3));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, out);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, out + stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, out + 2 * stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, out + 3 * stride);
  }

  const firmware::WeightLayout &layout_;
  Factors factors_;
  const Stored *source_;
  Packed *panels_;
  uint32_t channels_;
  size_t groups_;
};

} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // AVOCET_HAVE_VECTORS

#endif // AVOCET_KERNELS_LIB_CONV_PANELS_INL_H
