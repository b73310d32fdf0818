//===- FeatureMapView.h - Elements of a window in SRAM -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_FEATUREMAPVIEW_H
#define AVOCET_KERNELS_LIB_COMMON_FEATUREMAPVIEW_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

/// Typed access to a FeatureMap that has passed check(). The channels of a pixel are contiguous; rows wrap around in
/// the ring.
template <typename T> class FeatureMapView {
public:
  FeatureMapView(const firmware::FeatureMap &map, std::span<uint8_t> sram)
      : map_(map), base_(sram.data() + map.address.offset) {}

  T *row(uint32_t y) const { return reinterpret_cast<T *>(rowBytes(y)); }

  T *pixel(uint32_t y, uint32_t x) const { return reinterpret_cast<T *>(rowBytes(y) + uint64_t(x) * map_.pixelStride); }

  const firmware::FeatureMap &map() const { return map_; }
  uint32_t height() const { return map_.height; }
  uint32_t width() const { return map_.width; }
  uint32_t channels() const { return map_.channels; }

private:
  uint8_t *rowBytes(uint32_t y) const {
    // Both are below ringRows, so one subtraction is the remainder.
    uint64_t ringRow = uint64_t(map_.firstRow) + y;
    if (ringRow >= map_.ringRows)
      ringRow -= map_.ringRows;
    return base_ + ringRow * map_.rowStride;
  }

  firmware::FeatureMap map_;
  uint8_t *base_;
};

/// Elements of the window.
inline uint64_t elementCount(const firmware::FeatureMap &map) {
  return uint64_t(map.height) * map.width * map.channels;
}

/// Bytes of the window's elements.
inline uint64_t byteCount(const firmware::FeatureMap &map) { return elementCount(map) * firmware::sizeOf(map.type); }

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_FEATUREMAPVIEW_H
