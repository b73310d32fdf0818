//===- WindowRange.h - Taps of a window that read the input -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_WINDOWRANGE_H
#define AVOCET_KERNELS_LIB_COMMON_WINDOWRANGE_H

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <cstdint>

namespace avocet::kernels {

/// One axis of a window at one output position: taps [begin, end) read input positions origin + tap * dilation; all
/// other taps fall into the padding.
struct WindowRange {
  int64_t origin;
  uint32_t begin;
  uint32_t end;

  WindowRange(uint32_t output, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad, uint32_t input)
      : origin(int64_t(output) * stride - pad) {
    // Divisions take longer than all the rest, and most windows need none.
    auto ceilDivide = [](int64_t a, int64_t b) { return a <= 0 ? int64_t(0) : b == 1 ? a : divideUp(a, b); };
    begin = static_cast<uint32_t>(std::min<int64_t>(kernel, ceilDivide(-origin, dilation)));
    int64_t limit = ceilDivide(int64_t(input) - origin, dilation);
    end = static_cast<uint32_t>(std::max<int64_t>(begin, std::min<int64_t>(kernel, limit)));
  }

  bool whole(uint32_t kernel) const { return begin == 0 && end == kernel; }
  uint32_t count() const { return end - begin; }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_WINDOWRANGE_H
