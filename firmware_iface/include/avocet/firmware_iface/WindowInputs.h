//===- WindowInputs.h - What a window reads of its input --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One axis of a window. Output o reads the positions o * stride - pad + tap * dilation of the input, for each tap in
// [0, kernel); those outside of the input are padding. All figures but paddings are at least 1.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_WINDOWINPUTS_H
#define AVOCET_FIRMWARE_IFACE_WINDOWINPUTS_H

#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/Command.h"

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace avocet::firmware {

/// Positions from the first tap of a window to its last.
template <std::integral T> constexpr T windowReach(T kernel, T dilation) { return (kernel - 1) * dilation + 1; }

/// Positions from the first tap of `windows` neighboring windows to their last. Also the results of a transposed
/// convolution of `windows` inputs, before its padding is cut.
template <std::integral T> constexpr T windowsSpan(T windows, T stride, T reach) {
  return (windows - 1) * stride + reach;
}

/// Windows that fit `extent` positions, padding included; 0 if not one does.
template <std::integral T> constexpr T windowsIn(T extent, T stride, T reach) {
  return extent < reach ? 0 : (extent - reach) / stride + 1;
}

/// Positions that must be added to `extent` so that divideUp(extent, stride) windows read exactly them: the padding of
/// the scheme SAME. Negative if the windows read fewer.
template <std::signed_integral T> constexpr T samePaddingOf(T extent, T stride, T reach) {
  return windowsSpan(divideUp(extent, stride), stride, reach) - extent;
}

/// Positions [begin, end) of an input.
struct WindowInputs {
  uint64_t begin, end;
  uint64_t pad; ///< of a window over these positions alone
};

/// The figures of one axis. No product overflows for figures of 32 bits.
struct WindowSteps {
  uint64_t kernel, dilation, stride, pad;

  constexpr uint64_t reach() const { return windowReach(kernel, dilation); }
  constexpr uint64_t span(uint64_t windows) const { return windowsSpan(windows, stride, reach()); }

  /// What outputs [first, end) read of an input of `extent` positions; empty if it is only padding. `firstTap`: the
  /// taps are those of a longer window from this one on.
  constexpr WindowInputs inputsOf(uint64_t first, uint64_t end, uint64_t extent, uint64_t firstTap = 0) const {
    const uint64_t position = first * stride + firstTap * dilation;
    const auto inside = [&](uint64_t at) { return std::min(at > pad ? at - pad : 0, extent); };
    return {inside(position), inside(position + span(end - first)), position < pad ? pad - position : 0};
  }

  /// The same for a transposed convolution: output o reads the inputs i with 0 <= o + pad - i * stride < kernel.
  /// Outputs may read none, but the result is not empty. Its pad is the position of the first output in steps of the
  /// result.
  constexpr WindowInputs transposedInputsOf(uint64_t first, uint64_t end, uint64_t extent) const {
    const uint64_t position = first + pad, last = extent - 1;
    const uint64_t reached = position < kernel ? 0 : (position - kernel) / stride + 1;
    const uint64_t from = std::min({reached, position / stride, last}); // steps may be longer than the kernel
    const uint64_t to = std::clamp((end - 1 + pad) / stride, from, last) + 1;
    return {from, to, position - from * stride};
  }
};

constexpr WindowSteps rowsOf(const Window &window) {
  return {window.kernelHeight, window.dilationHeight, window.strideHeight, window.padTop};
}
constexpr WindowSteps columnsOf(const Window &window) {
  return {window.kernelWidth, window.dilationWidth, window.strideWidth, window.padLeft};
}

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_WINDOWINPUTS_H
