//===- ElementLoop.h - One function on every element ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_ELEMENTLOOP_H
#define AVOCET_KERNELS_LIB_COMMON_ELEMENTLOOP_H

#include "common/FeatureMapView.h"

namespace avocet::kernels {

/// output(y, x, c) = f(input(y, x, c)) over windows of the same shape.
template <typename In, typename Out, typename F>
void forEachElement(const firmware::FeatureMap &input, const firmware::FeatureMap &output, std::span<uint8_t> sram,
                    F &&f) {
  FeatureMapView<In> in(input, sram);
  FeatureMapView<Out> out(output, sram);
  for (uint32_t y = 0; y < in.height(); ++y)
    for (uint32_t x = 0; x < in.width(); ++x) {
      const In *from = in.pixel(y, x);
      Out *to = out.pixel(y, x);
      for (uint32_t c = 0; c < in.channels(); ++c)
        to[c] = f(from[c]);
    }
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_ELEMENTLOOP_H
