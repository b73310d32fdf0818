//===- IntegerRows.cpp - Integer rows on vectors ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/IntegerTile.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/IntegerRows.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/Stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

using D16 = hn::ScalableTag<int16_t>;

/// Widens with vectors of one size. False: there are fewer elements than lanes.
template <class D, typename T>
HWY_INLINE bool widenVectors(D d16, const T *source, size_t count, int32_t zeroPoint, int16_t *destination) {
  const hn::Rebind<T, D> d8;
  const auto zero = hn::Set(d16, static_cast<int16_t>(zeroPoint));
  auto widen = [&](size_t i) HWY_ATTR {
    hn::StoreU(hn::Sub(hn::PromoteTo(d16, hn::LoadU(d8, source + i)), zero), d16, destination + i);
  };
  if (count < hn::MaxLanes(d16))
    return false;
  for (size_t i = 0; i + hn::MaxLanes(d16) < count; i += hn::MaxLanes(d16))
    widen(i);
  widen(count - hn::MaxLanes(d16)); // may widen some elements again: windows are short, and single elements slow
  return true;
}

template <typename T> void widenAll(const T *source, size_t count, int32_t zeroPoint, int16_t *destination) {
  if (widenVectors(D16(), source, count, zeroPoint, destination) ||
      widenVectors(hn::CappedTag<int16_t, 16>(), source, count, zeroPoint, destination) ||
      widenVectors(hn::CappedTag<int16_t, 8>(), source, count, zeroPoint, destination))
    return;
  for (size_t i = 0; i < count; ++i)
    destination[i] = static_cast<int16_t>(source[i] - zeroPoint);
}

void widenAllBytes(const uint8_t *source, size_t count, bool isSigned, int32_t zeroPoint, int16_t *destination) {
  if (isSigned)
    widenAll(reinterpret_cast<const int8_t *>(source), count, zeroPoint, destination);
  else
    widenAll(source, count, zeroPoint, destination);
}

/// The packed weights of one granule.
template <typename T> struct Granule {
  const T *data;
  uint32_t width, products;
  int32_t zeroPoint;

  /// Weights of one channel in the chunk that starts at a product.
  const T *chunk(uint32_t channel, uint32_t product) const {
    return data + size_t(product) * width + size_t(channel) * std::min(firmware::kChunkProducts, products - product);
  }
};

/// Adds the products [begin, end) of one row to the sums of numChannels channels of a granule. Both are multiples of
/// the products of a chunk.
template <size_t numChannels, typename T>
HWY_INLINE void addChunks(const Granule<T> &granule, uint32_t channel, const int16_t *row, uint32_t begin, uint32_t end,
                          int64_t *sums) {
  const D16 d16;
  const D32 d32;
  const hn::Rebind<T, D16> d8;
  const auto zero = hn::Set(d16, static_cast<int16_t>(granule.zeroPoint));
  V32 even[numChannels], odd[numChannels];
  for (size_t i = 0; i < numChannels; ++i)
    even[i] = odd[i] = hn::Zero(d32);
  for (uint32_t chunk = begin; chunk < end; chunk += firmware::kChunkProducts)
    for (uint32_t k = 0; k < firmware::kChunkProducts; k += static_cast<uint32_t>(hn::Lanes(d16))) {
      const auto input = hn::LoadU(d16, row + chunk + k);
      for (size_t i = 0; i < numChannels; ++i) {
        const auto bytes = hn::LoadU(d8, granule.chunk(channel + static_cast<uint32_t>(i), chunk) + k);
        even[i] = hn::ReorderWidenMulAccumulate(d32, input, hn::Sub(hn::PromoteTo(d16, bytes), zero), even[i], odd[i]);
      }
    }
  for (size_t i = 0; i < numChannels; ++i)
    sums[i] += hn::GetLane(hn::SumOfLanes(d32, hn::Add(even[i], odd[i])));
}

/// Sums of one row with numChannels channels of a granule, at most `most` products at a time in 32 bits.
template <size_t numChannels, typename T>
HWY_INLINE void multiplyGranule(const Granule<T> &granule, uint32_t channel, const int16_t *row, uint32_t most,
                                int64_t *sums) {
  std::fill_n(sums + channel, numChannels, 0);
  const uint32_t whole = granule.products - granule.products % firmware::kChunkProducts;
  const uint32_t step = most - most % firmware::kChunkProducts;
  for (uint32_t begin = 0; begin < whole; begin += std::min(step, whole - begin))
    addChunks<numChannels>(granule, channel, row, begin, begin + std::min(step, whole - begin), sums + channel);
  for (uint32_t i = 0; i < numChannels; ++i)
    for (uint32_t product = whole; product < granule.products; ++product) {
      int32_t weight = granule.chunk(channel + i, whole)[product - whole] - granule.zeroPoint;
      sums[channel + i] += weight * row[product];
    }
}

template <typename T>
void multiplyGranules(const PackedWeights &weights, const int16_t *rows, size_t pixels, size_t rowLength, uint32_t most,
                      int64_t *sums) {
  const firmware::WeightLayout &layout = weights.layout;
  uint32_t channels = layout.outputChannels();
  for (uint32_t first = 0; first < channels; first += layout.granule()) {
    Granule<T> granule{reinterpret_cast<const T *>(weights.data) + layout.indexOf(first, 0),
                       std::min(layout.granule(), channels - first), layout.products(), weights.zeroPoint};
    for (size_t pixel = 0; pixel < pixels; ++pixel) {
      const int16_t *row = rows + pixel * rowLength;
      int64_t *out = sums + pixel * channels + first;
      uint32_t channel = 0;
      for (; channel + 4 <= granule.width; channel += 4)
        multiplyGranule<4>(granule, channel, row, most, out);
      for (; channel < granule.width; ++channel)
        multiplyGranule<1>(granule, channel, row, most, out);
    }
  }
}

bool multiplyFewRows(const PackedWeights &weights, const int16_t *rows, size_t pixels, size_t rowLength, uint32_t most,
                     int64_t *sums) {
  if (weights.type == firmware::DataType::Int8)
    multiplyGranules<int8_t>(weights, rows, pixels, rowLength, most, sums);
  else
    multiplyGranules<uint8_t>(weights, rows, pixels, rowLength, most, sums);
  return true;
}

constexpr size_t kSums = hn::MaxLanes(D32());

template <class Store>
void storeSums(const int64_t *sums, uint32_t channels, const StageArrays &stage, uint8_t *pixel) {
  HWY_ALIGN int32_t lanes[kSums] = {};
  for (size_t first = 0; first < channels; first += kSums) {
    const size_t count = std::min<size_t>(kSums, channels - first);
    for (size_t i = 0; i < count; ++i)
      lanes[i] = static_cast<int32_t>(sums[first + i]);
    Store(stage, first)(hn::Load(D32(), lanes), pixel, first, count);
  }
}

bool storePixel(const int64_t *sums, uint32_t channels, const StageArrays &stage, uint8_t *pixel) {
  withStore(stage, [&]<class Store>(Store *) HWY_ATTR { storeSums<Store>(sums, channels, stage, pixel); });
  return true;
}

#else

void widenAllBytes(const uint8_t *source, size_t count, bool isSigned, int32_t zeroPoint, int16_t *destination) {
  for (size_t i = 0; i < count; ++i)
    destination[i] = static_cast<int16_t>((isSigned ? static_cast<int8_t>(source[i]) : source[i]) - zeroPoint);
}
bool storePixel(const int64_t *, uint32_t, const StageArrays &, uint8_t *) { return false; }
bool multiplyFewRows(const PackedWeights &, const int16_t *, size_t, size_t, uint32_t, int64_t *) { return false; }

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(widenAllBytes);
HWY_EXPORT(multiplyFewRows);
HWY_EXPORT(storePixel);

bool multiplyIntegerRows(const PackedWeights &weights, const int16_t *rows, size_t pixels, size_t rowLength,
                         uint32_t most, int64_t *sums) {
  return HWY_DYNAMIC_DISPATCH(multiplyFewRows)(weights, rows, pixels, rowLength, most, sums);
}

bool storeIntegerSums(const int64_t *sums, uint32_t channels, const StageArrays &stage, uint8_t *pixel) {
  return HWY_DYNAMIC_DISPATCH(storePixel)(sums, channels, stage, pixel);
}

void widenBytes(const uint8_t *source, size_t count, bool isSigned, int32_t zeroPoint, int16_t *destination) {
  HWY_DYNAMIC_DISPATCH(widenAllBytes)(source, count, isSigned, zeroPoint, destination);
}

} // namespace avocet::kernels

#endif // HWY_ONCE
