//===- WindowTaps.h - The taps of an output position ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WINDOW_WINDOWTAPS_H
#define AVOCET_KERNELS_LIB_WINDOW_WINDOWTAPS_H

#include "avocet/firmware_iface/Command.h"
#include "common/WindowRange.h"

#include <cstdint>
#include <vector>

namespace avocet::kernels {

/// One axis of a window over an input of `input` positions.
struct WindowAxis {
  uint32_t kernel, stride, dilation, pad, input;
};

inline WindowAxis heightOf(const firmware::Window &w, uint32_t input) {
  return {w.kernelHeight, w.strideHeight, w.dilationHeight, w.padTop, input};
}
inline WindowAxis widthOf(const firmware::Window &w, uint32_t input) {
  return {w.kernelWidth, w.strideWidth, w.dilationWidth, w.padLeft, input};
}

/// Kernel position `kernel` reads input position `input`.
struct WindowTap {
  uint32_t kernel, input;
};

/// The taps of an output position that lie on the input, in the order of the input.
inline void directTaps(const WindowAxis &axis, uint32_t output, std::vector<WindowTap> &taps) {
  WindowRange range(output, axis.kernel, axis.stride, axis.dilation, axis.pad, axis.input);
  taps.clear();
  for (uint32_t k = range.begin; k < range.end; ++k)
    taps.push_back({k, static_cast<uint32_t>(range.origin + int64_t(k) * axis.dilation)});
}

/// The same if input position i contributes to the outputs i * stride - pad + kernel position; dilation is 1.
inline void transposedTaps(const WindowAxis &axis, uint32_t output, std::vector<WindowTap> &taps) {
  int64_t position = int64_t(output) + axis.pad;
  int64_t firstInput = position < axis.kernel ? 0 : (position - axis.kernel) / axis.stride + 1;
  int64_t lastInput = std::min<int64_t>(position / axis.stride, int64_t(axis.input) - 1);
  taps.clear();
  for (int64_t i = firstInput; i <= lastInput; ++i)
    taps.push_back({static_cast<uint32_t>(position - i * axis.stride), static_cast<uint32_t>(i)});
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WINDOW_WINDOWTAPS_H
