//===- FloatTile.h - Dense float32 products on vectors -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The float32 counterpart of IntegerTile.h. Vectors run over output channels, every sum keeps the order of the plain
// form, and products are rounded separately: the results are the same bits on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_FLOATTILE_H
#define AVOCET_KERNELS_LIB_CONV_FLOATTILE_H

#include "avocet/firmware_iface/WeightLayout.h"
#include "conv/StageArrays.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avocet::kernels {

/// Fills `panels` for multiplyFloatTile from packed float32 weights. False, without effect, if this machine has no
/// vector form.
bool packFloatPanels(const float *weights, const firmware::WeightLayout &layout, std::vector<float> &panels);

struct FloatTile {
  const float *const *rows; ///< `products` inputs of each pixel
  size_t pixels;
  size_t products;
  const float *panels;
  const StageArrays &stage;
  uint32_t channels;
  float *const *outputs; ///< one pixel each
};

void multiplyFloatTile(const FloatTile &tile);

/// A few pixels, directly from the packed weights: repacking them would take longer than the products.
struct FloatRows {
  const float *const *rows; ///< the inputs of each pixel
  size_t count;             ///< 1 to kFewFloatRows
  const float *weights;
  const firmware::WeightLayout &layout;
  const StageArrays &stage;
  float *const *outputs; ///< one pixel each
};
inline constexpr size_t kFewFloatRows = 4;

/// False, without effect, if this machine has no vector form.
bool multiplyFloatRows(const FloatRows &rows);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_FLOATTILE_H
