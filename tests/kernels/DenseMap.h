//===- DenseMap.h - Maps for costs ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_DENSEMAP_H
#define AVOCET_TESTS_KERNELS_DENSEMAP_H

#include "avocet/firmware_iface/FeatureMap.h"

namespace avocet::kernels {

/// A map at address 0, without gaps. For costs, which read no memory.
inline firmware::FeatureMap denseMap(uint32_t height, uint32_t width, uint32_t channels,
                                     firmware::DataType type = firmware::DataType::Int8) {
  firmware::FeatureMap map;
  map.type = type;
  map.height = map.ringRows = height;
  map.width = width;
  map.channels = channels;
  map.pixelStride = channels * sizeOf(type);
  map.rowStride = width * map.pixelStride;
  return map;
}

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_DENSEMAP_H
