//===- ElementLoop.h - One function on every element ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_ELEMENTLOOP_H
#define AVOCET_KERNELS_LIB_COMMON_ELEMENTLOOP_H

#include "common/Computed.h"
#include "common/FeatureMapView.h"

namespace avocet::kernels {

/// Whether the pixels of a row follow each other without gaps.
template <typename T> bool hasDenseRows(const firmware::FeatureMap &map) {
  return map.pixelStride == map.channels * sizeof(T);
}

/// Calls f(from, to, count) for runs of elements at the same places of windows of the same shape.
template <typename In, typename Out, typename F>
void forEachRun(const firmware::FeatureMap &input, const firmware::FeatureMap &output, std::span<uint8_t> sram, F &&f) {
  FeatureMapView<In> in(input, sram);
  FeatureMapView<Out> out(output, sram);
  const bool dense = hasDenseRows<In>(input) && hasDenseRows<Out>(output);
  const uint32_t runs = dense ? 1 : in.width();
  const size_t count = size_t(in.channels()) * (dense ? in.width() : 1), most = computedRun<In, Out>(count);
  ComputedInput<In> computedIn;
  ComputedOutput<Out> computedOut;
  for (uint32_t y = 0; y < in.height(); ++y)
    for (uint32_t x = 0; x < runs; ++x)
      for (size_t first = 0; first < count; first += most) {
        const size_t some = std::min(most, count - first);
        Out *to = out.pixel(y, x) + first;
        f(computedIn.read(in.pixel(y, x) + first, some), computedOut.begin(to, some), some);
        computedOut.store(to, some);
      }
}

/// output(y, x, c) = f(input(y, x, c)) over windows of the same shape, in the computing types.
template <typename In, typename Out, typename F>
void forEachElement(const firmware::FeatureMap &input, const firmware::FeatureMap &output, std::span<uint8_t> sram,
                    F &&f) {
  forEachRun<In, Out>(input, output, sram, [&](const Computed<In> *from, Computed<Out> *to, size_t count) {
    for (size_t i = 0; i < count; ++i)
      to[i] = f(from[i]);
  });
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_ELEMENTLOOP_H
