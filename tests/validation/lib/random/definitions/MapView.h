//===- MapView.h - Maps in both layouts -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_DEFINITIONS_MAPVIEW_H
#define AVOCET_VALIDATION_RANDOM_DEFINITIONS_MAPVIEW_H

#include "../Definitions.h"

namespace avocet::hal::conformance {

/// A map [batch, height, width, channels], read in its own layout; 0 outside.
class MapView {
public:
  MapView(const OperationValues &operation, size_t position, bool isNchw)
      : values_(operation.reals(position)), dimensions_(operation.input(position).dimensions), isNchw_(isNchw) {}

  int32_t height() const { return extent(isNchw_ ? 2 : 1); }
  int32_t width() const { return extent(isNchw_ ? 3 : 2); }
  int32_t channels() const { return extent(isNchw_ ? 1 : 3); }
  bool has(int32_t y, int32_t x) const { return y >= 0 && y < height() && x >= 0 && x < width(); }
  double at(uint32_t batch, int32_t y, int32_t x, uint32_t channel) const {
    if (!has(y, x))
      return 0;
    const auto row = static_cast<uint32_t>(y), column = static_cast<uint32_t>(x);
    return values_[offsetOf(dimensions_, isNchw_ ? Dimensions{batch, channel, row, column}
                                                 : Dimensions{batch, row, column, channel})];
  }

private:
  int32_t extent(size_t dimension) const { return static_cast<int32_t>(dimensions_[dimension]); }

  Reals values_;
  Dimensions dimensions_;
  bool isNchw_;
};

/// An element of a result in the map's layout.
struct Place {
  uint32_t batch;
  int32_t y, x;
  uint32_t channel;
};

inline Place placeOf(const Dimensions &at, bool isNchw) {
  return isNchw ? Place{at[0], static_cast<int32_t>(at[2]), static_cast<int32_t>(at[3]), at[1]}
                : Place{at[0], static_cast<int32_t>(at[1]), static_cast<int32_t>(at[2]), at[3]};
}

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_DEFINITIONS_MAPVIEW_H
