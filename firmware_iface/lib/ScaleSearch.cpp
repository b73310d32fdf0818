//===- ScaleSearch.cpp - The scales of given floats -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends make floats of integers with scales (int4 and int8 weights under float inputs), and passes move them. The
// search finds the integers again. It needs no mark that all passes would have to keep, and cannot change a result: a
// scale is taken only if it makes each float of its block to the bit.
//
//===----------------------------------------------------------------------===//

#include "ScaledWeights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace avocet::firmware {

namespace {

constexpr int32_t kLeast = -128, kMost = 127; ///< integers

template <typename T> using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>;

/// Tells zeros of both signs apart.
template <typename T> bool isSame(T a, T b) { return std::bit_cast<Bits<T>>(a) == std::bit_cast<Bits<T>>(b); }

/// The number of type T that is `steps` after the one nearest to `number`, which is positive.
template <typename T> float neighbor(float number, int steps) {
  const auto bits = std::bit_cast<Bits<T>>(static_cast<T>(number));
  return static_cast<float>(std::bit_cast<T>(static_cast<Bits<T>>(static_cast<int64_t>(bits) + steps)));
}

bool isHalf(float number) { return isSame(static_cast<float>(static_cast<_Float16>(number)), number); }

/// The integer that makes the float; nullopt if none does.
template <typename T> std::optional<int8_t> integerFor(T element, float scale) {
  const float quotient = std::nearbyint(static_cast<float>(element) / scale);
  if (!(quotient >= kLeast && quotient <= kMost))
    return std::nullopt;
  const auto integer = static_cast<int8_t>(quotient);
  return isSame(scaledFloat<T>(integer, scale), element) ? std::optional(integer) : std::nullopt;
}

/// What the floats of a block have in common.
template <typename T> struct Extremes {
  float least = 0, most = 0; ///< absolute values, without zeros
  bool hasNegativeZero = false, isFinite = true;

  explicit Extremes(std::span<const T> block) {
    for (const T element : block) {
      const auto size = std::abs(static_cast<float>(element));
      isFinite = isFinite && std::isfinite(size);
      if (size == 0) {
        hasNegativeZero = hasNegativeZero || std::signbit(static_cast<float>(element));
        continue;
      }
      least = least == 0 ? size : std::min(least, size);
      most = std::max(most, size);
    }
  }
};

/// Takes the blocks of a filter one after the other.
template <typename T> class BlockSearch {
public:
  /// The scale of a block; nullopt if it has none.
  std::optional<float> scaleOf(std::span<const T> block) {
    const Extremes<T> extremes(block);
    if (!extremes.isFinite)
      return std::nullopt;
    const float sign = extremes.hasNegativeZero ? -1 : 1; // 0 times a negative scale
    if (extremes.least == 0)
      return fits(block, sign) ? std::optional(sign) : std::nullopt;
    std::optional<float> other;
    for (int32_t divisor = 1; extremes.most / extremes.least * static_cast<float>(divisor) < 129; ++divisor)
      for (const int steps : {0, 1, -1}) {
        const float scale = sign * neighbor<T>(extremes.least / static_cast<float>(divisor), steps);
        if (!std::isnormal(scale) || !fits(block, scale))
          continue;
        if (!areHalves_ || isHalf(scale))
          return scale;
        if (!other)
          other = scale;
      }
    areHalves_ = areHalves_ && !other;
    return other;
  }

  /// Whether all scales so far are float16.
  bool areHalves() const { return areHalves_; }

private:
  static bool fits(std::span<const T> block, float scale) {
    return std::ranges::all_of(block, [&](T element) { return integerFor(element, scale).has_value(); });
  }

  bool areHalves_ = true;
};

/// The search with blocks of one size.
template <typename T> class FilterSearch {
public:
  FilterSearch(std::span<const uint8_t> packed, const SliceShape &shape, uint8_t exponent)
      : packed_(packed), shape_(shape), format_{exponent}, block_(format_.block(shape)) {}

  std::optional<ScaledWeights> run() {
    ScaledWeights found;
    found.integers.resize(packed_.size() / sizeof(T));
    for (uint64_t granule = 0; granule < shape_.granules(); ++granule)
      if (!searchGranule(granule * shape_.granuleBytes / sizeof(T), shape_.bytesOf(granule) / sizeof(T), found))
        return std::nullopt;
    found.scales = bitsOfScales();
    const auto [least, most] = std::ranges::minmax(found.scales);
    format_.base = least;
    format_.width = static_cast<uint8_t>(std::bit_width(most - least));
    format_.type = search_.areHalves() ? sizeof(_Float16) : sizeof(float);
    found.format = format_;
    found.granuleScales = format_.scalesOf(shape_, 0);
    return found;
  }

private:
  std::vector<uint32_t> bitsOfScales() const {
    std::vector<uint32_t> bits;
    for (const float scale : scales_)
      bits.push_back(search_.areHalves() ? std::bit_cast<uint16_t>(static_cast<_Float16>(scale))
                                         : std::bit_cast<uint32_t>(scale));
    return bits;
  }

  bool searchGranule(uint64_t first, uint64_t count, ScaledWeights &found) {
    channels_ = static_cast<uint32_t>(count / shape_.products);
    for (uint32_t begin = 0; begin < shape_.products; begin += std::min(block_, shape_.products - begin))
      for (uint32_t channel = 0; channel < channels_; ++channel)
        if (!searchBlock(first, channel, begin, found))
          return false;
    return true;
  }

  bool searchBlock(uint64_t first, uint32_t channel, uint32_t begin, ScaledWeights &found) {
    const uint32_t end = begin + std::min(block_, shape_.products - begin);
    floats_.clear();
    for (uint32_t product = begin; product < end; ++product) {
      T element;
      std::memcpy(&element, packed_.data() + (first + placeOf(channel, product)) * sizeof(T), sizeof(T));
      floats_.push_back(element);
    }
    const std::optional<float> scale = search_.scaleOf(floats_);
    if (!scale)
      return false;
    scales_.push_back(*scale);
    for (uint32_t product = begin; product < end; ++product)
      found.integers[first + placeOf(channel, product)] =
          static_cast<uint8_t>(*integerFor(floats_[product - begin], *scale));
    return true;
  }

  /// The element of the granule that is a product of a channel.
  uint64_t placeOf(uint32_t channel, uint32_t product) const {
    return indexInGranule(channels_, shape_.products, shape_.chunk, channel, product);
  }

  std::span<const uint8_t> packed_;
  const SliceShape &shape_;
  ScaleFormat format_;
  uint32_t block_;
  uint32_t channels_ = 0; ///< of the granule
  std::vector<T> floats_; ///< of the block
  std::vector<float> scales_;
  BlockSearch<T> search_;
};

/// The largest block that has a scale is the one of the fewest scales.
template <typename T> std::optional<ScaledWeights> find(std::span<const uint8_t> packed, const SliceShape &shape) {
  if (auto found = FilterSearch<T>(packed, shape, 0).run())
    return found;
  for (uint8_t exponent = ScaleFormat::kLargest; exponent >= ScaleFormat::kSmallest; --exponent)
    if (1u << exponent < shape.products)
      if (auto found = FilterSearch<T>(packed, shape, exponent).run())
        return found;
  return std::nullopt;
}

} // namespace

std::optional<ScaledWeights> findScales(std::span<const uint8_t> packed, const SliceShape &shape) {
  return shape.elementSize == sizeof(float) ? find<float>(packed, shape) : find<_Float16>(packed, shape);
}

} // namespace avocet::firmware
