//===- FloatTaps.h - Depthwise float32 products on vectors ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_FLOATTAPS_H
#define AVOCET_KERNELS_LIB_CONV_FLOATTAPS_H

#include "conv/StageArrays.h"

#include <cstddef>
#include <cstdint>

namespace avocet::kernels {

/// Neighboring pixels of a depthwise convolution whose windows have the same taps: for each, the products of the taps'
/// pixels with their weights, added in order and rounded separately.
struct FloatTaps {
  const float *const *pixels;  ///< of each tap, for the first window
  const float *const *weights; ///< of each tap
  size_t taps;
  size_t inputStep; ///< elements from one window's pixels to the next one's
  size_t windows;
  const StageArrays &stage;
  uint32_t channels;
  float *output;
  size_t outputStep; ///< elements
};

void sumFloatTaps(const FloatTaps &taps);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_FLOATTAPS_H
