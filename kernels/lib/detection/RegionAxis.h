//===- RegionAxis.h - One axis of a region of an image ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_DETECTION_REGIONAXIS_H
#define AVOCET_KERNELS_LIB_DETECTION_REGIONAXIS_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace avocet::kernels {

/// Pixels [first, end) of an axis.
struct PixelRange {
  uint32_t first, end;
  bool isEmpty() const { return first >= end; }
};

/// The two pixels of an axis between which a sample lies.
struct RegionSample {
  uint32_t lower, upper;
  float fraction; ///< weight of the upper one
};

/// One axis of a region that is divided into bins. Every pixel that it returns is inside of the image.
class RegionAxis {
public:
  /// `low` and `high` are the borders of the region in units of 1 / stride pixels.
  RegionAxis(uint32_t extent, uint32_t bins, uint32_t samples, float low, float high, float stride)
      : extent_(extent), bins_(bins), samples_(samples), low_(inside(low, stride)), high_(inside(high, stride)) {}

  /// Whole pixels that a bin touches, if the region is rounded to whole pixels.
  PixelRange pixels(uint32_t bin) const {
    const float first = std::round(low_), size = std::max(std::round(high_) - first + 1, 1.0f);
    const float step = size / static_cast<float>(bins_);
    const auto bounded = [&](float position) { return std::min(wholeOf(position), extent_); };
    return {bounded(std::floor(step * static_cast<float>(bin) + first)),
            bounded(std::ceil(step * static_cast<float>(bin + 1) + first))};
  }

  /// Samples in each bin.
  uint32_t samples() const { return samples_ ? samples_ : static_cast<uint32_t>(std::ceil(step())); }

  /// Sample i of a bin. Beyond the centre of the last pixel, a sample is that pixel.
  RegionSample sample(uint32_t bin, uint32_t i) const {
    const float distance = step() / static_cast<float>(samples());
    const float position = step() * static_cast<float>(bin) + low_ + distance / 2 + distance * static_cast<float>(i);
    const uint32_t lower = wholeOf(position);
    if (lower >= extent_ - 1)
      return {extent_ - 1, extent_ - 1, 0};
    return {lower, lower + 1, position - static_cast<float>(lower)};
  }

private:
  float inside(float position, float stride) const {
    const float pixels = position * (1.0f / stride);
    return std::isnan(pixels) ? 0 : std::clamp(pixels, 0.0f, static_cast<float>(extent_));
  }

  /// A large extent is not exact as a float, so positions are compared as integers.
  static uint32_t wholeOf(float position) {
    return static_cast<uint32_t>(std::min(std::floor(position), 2147483648.0f));
  }

  /// Extent of a bin; a region is at least one pixel.
  float step() const { return std::max(high_ - low_, 1.0f) / static_cast<float>(bins_); }

  uint32_t extent_, bins_, samples_;
  float low_, high_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_DETECTION_REGIONAXIS_H
