//===- WindowReach.h - Steps of an image that a window covers ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_WINDOWREACH_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_WINDOWREACH_H

#include "Piece.h"

#include <algorithm>

namespace avocet::compiler::schedule {

/// A window along one axis of an image.
struct Reach {
  uint32_t kernel, dilation, stride, pad;
};

/// Steps of the input that steps of the result need, and the remaining leading padding. Empty range: only padding.
/// `firstTap`: the window's taps are those of a longer one from this tap.
struct Needed {
  Range range;
  uint32_t pad = 0;
};

inline Needed neededFor(const Reach &window, Range result, uint32_t extent, uint32_t firstTap = 0) {
  const uint64_t first = uint64_t(firstTap) * window.dilation;
  const uint64_t begin = uint64_t(result.begin) * window.stride + first;
  const uint64_t end =
      uint64_t(result.end - 1) * window.stride + uint64_t(window.kernel - 1) * window.dilation + 1 + first;
  const auto inside = [&](uint64_t position) {
    return uint32_t(std::min<uint64_t>(position > window.pad ? position - window.pad : 0, extent));
  };
  return {{inside(begin), inside(end)}, begin < window.pad ? uint32_t(window.pad - begin) : 0};
}

/// The same for a transposed convolution, whose results need not need any step; the range is then not empty. The pad is
/// that of the piece: position of its first result in the steps of the range.
inline Needed neededForTransposed(const Reach &window, Range result, uint32_t extent) {
  const uint64_t position = uint64_t(result.begin) + window.pad, last = extent - 1;
  const uint64_t reached = position < window.kernel ? 0 : (position - window.kernel) / window.stride + 1;
  const uint64_t from = std::min({reached, position / window.stride, last}); // steps may be longer than the kernel
  const uint64_t to = std::clamp<uint64_t>((position + result.count() - 1) / window.stride, from, last) + 1;
  return {{uint32_t(from), uint32_t(to)}, uint32_t(position - from * window.stride)};
}

inline Reach rowsOf(const firmware::Window &window) {
  return {window.kernelHeight, window.dilationHeight, window.strideHeight, window.padTop};
}

inline Reach columnsOf(const firmware::Window &window) {
  return {window.kernelWidth, window.dilationWidth, window.strideWidth, window.padLeft};
}

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_WINDOWREACH_H
