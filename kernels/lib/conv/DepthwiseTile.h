//===- DepthwiseTile.h - Depthwise integer products on vectors ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input rows are widened to 16 bits with the zero point subtracted and padding as zeros; taps are then taken in pairs,
// interleaved channel by channel, for the widening multiply-add.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_DEPTHWISETILE_H
#define AVOCET_KERNELS_LIB_CONV_DEPTHWISETILE_H

#include "conv/IntegerTile.h"
#include "conv/StageArrays.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avocet::kernels {

/// Fills `packed` for multiplyDepthwiseRow and `order` with the channel at each position of its stage arrays. False,
/// without effect, if this machine has no vector form.
bool packDepthwiseWeights(const PackedWeights &weights, std::vector<int16_t> &packed, std::vector<uint32_t> &order);

/// One output row.
struct DepthwiseRow {
  const int16_t *input;     ///< first product of the first window; readable 64 elements beyond the last
  size_t pixelStep;         ///< elements from one window to the next
  const size_t *tapOffsets; ///< elements from the start of a window to each tap
  size_t taps;
  const int16_t *weights;
  const StageArrays &stage; ///< permuted by `order`; Requantize, or RequantizeWide with at most kExactProducts taps
  uint32_t channels;
  uint8_t *output;
  size_t outputStep; ///< bytes from one pixel to the next
  uint32_t width;
};

void multiplyDepthwiseRow(const DepthwiseRow &row);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_DEPTHWISETILE_H
