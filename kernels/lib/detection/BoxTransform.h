//===- BoxTransform.h - A box moved by offsets ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_DETECTION_BOXTRANSFORM_H
#define AVOCET_KERNELS_LIB_DETECTION_BOXTRANSFORM_H

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

/// Moves the corners [first, second] of one axis by `offset` and resizes them by exp(growth), both relative to their
/// distance, and clips them to [0, extent].
inline void transformAxis(float &first, float &second, float offset, float growth, float extent) {
  const float size = second - first, center = (first + second) / 2;
  const float half = std::exp(growth) * size / 2, moved = center + offset * size;
  first = std::min(std::max(moved - half, 0.0f), extent);
  second = std::min(std::max(moved + half, 0.0f), extent);
}

/// Transforms `box` by offsets [x, y, w, h] inside of an image [height, width].
inline void transformBox(const float *box, const float *offsets, const float *image, float *result) {
  std::copy_n(box, 4, result);
  transformAxis(result[0], result[2], offsets[0], offsets[2], image[1]);
  transformAxis(result[1], result[3], offsets[1], offsets[3], image[0]);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_DETECTION_BOXTRANSFORM_H
