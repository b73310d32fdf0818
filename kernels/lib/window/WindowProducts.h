//===- WindowProducts.h - Products of a window tap --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WINDOW_WINDOWPRODUCTS_H
#define AVOCET_KERNELS_LIB_WINDOW_WINDOWPRODUCTS_H

#include <cstddef>
#include <cstdint>

namespace avocet::kernels {

/// The inputs of one pixel with their weights for some output channels, all without zero points.
template <typename Input, typename Weight, typename Sum> struct TapProducts {
  const Input *inputs;
  size_t terms;
  const Weight *weights; ///< [term][channel]
  size_t termStride;     ///< weights from one term to the next
  Sum *sums;             ///< [channel]
  size_t channels;
};

/// Adds the products to the sums, in the order of the terms. Sums of integers wrap.
void addProducts(const TapProducts<float, float, float> &tap);
void addProducts(const TapProducts<int32_t, int16_t, uint32_t> &tap);
void addProducts(const TapProducts<int32_t, int16_t, uint64_t> &tap);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WINDOW_WINDOWPRODUCTS_H
