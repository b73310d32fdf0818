//===- DynamicScale.h - 8-bit numbers whose scale follows from the values -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_DYNAMICSCALE_H
#define AVOCET_KERNELS_LIB_COMMON_DYNAMICSCALE_H

#include "common/Checks.h"
#include "common/Rounding.h"

#include "avocet/firmware_iface/Command.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace avocet::kernels {

/// Smallest and largest element so far.
struct FloatRange {
  float min = std::numeric_limits<float>::max();
  float max = std::numeric_limits<float>::lowest();

  /// The range, or 0 and 0 if all elements are NaN.
  FloatRange orZero() const { return min <= max ? *this : FloatRange{0, 0}; }
  void add(float value) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  void add(const FloatRange &other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
};

/// The scale of a range, and for asymmetric numbers a zero point, as in the reference.
class DynamicScale {
public:
  DynamicScale(const FloatRange &range, bool asymmetric) : lowest_(asymmetric ? -128 : -127) {
    asymmetric ? setAsymmetric(range.orZero()) : setSymmetric(range.orZero());
  }

  const firmware::DynamicRecord &record() const { return record_; }

  int8_t quantized(float value) const {
    const int32_t rounded = roundToInteger(static_cast<float>(record_.zeroPoint) + value * inverse_);
    return static_cast<int8_t>(std::clamp(rounded, lowest_, 127));
  }

private:
  void setSymmetric(const FloatRange &range) {
    float magnitude = std::max(std::abs(range.min), std::abs(range.max));
    inverse_ = magnitude == 0 ? 0 : 127 / magnitude;
    record_ = {magnitude == 0 ? 1 : magnitude / 127, 0};
  }

  void setAsymmetric(const FloatRange &range) {
    double low = std::min(0.0f, range.min), high = std::max(0.0f, range.max);
    if (low == high)
      return;
    double scale = (high - low) / 255;
    // The end of the range with the smaller rounding error decides the zero point.
    double fromLow = -128 - low / scale, fromHigh = 127 - high / scale;
    bool lowIsBetter = 128 + std::abs(low / scale) < 127 + std::abs(high / scale);
    double zeroPoint = std::clamp(std::round(lowIsBetter ? fromLow : fromHigh), -128.0, 127.0);
    inverse_ = 1.0f / static_cast<float>(scale);
    record_ = {static_cast<float>(scale), std::isnan(zeroPoint) ? 0 : static_cast<int32_t>(zeroPoint)};
  }

  int32_t lowest_;
  float inverse_ = 0;
  firmware::DynamicRecord record_{1, 0};
};

/// Ok if the flag of a hybrid command is 0 or 1 and the scales of its weights are positive.
inline Status checkHybrid(uint32_t asymmetric, std::span<const float> scales) {
  if (asymmetric > 1)
    return ruleBroken("asymmetric", asymmetric, "0 or 1");
  for (float scale : scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return invalidArgument("the scales of 8-bit weights must be positive");
  return Status::ok();
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_DYNAMICSCALE_H
