//===- RescaleRow.h - Fixed-point scaling of rows ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_RESCALEROW_H
#define AVOCET_KERNELS_LIB_COMMON_RESCALEROW_H

#include "avocet/kernels/Quantization.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace avocet::kernels {

/// x becomes clamp((x - zeroInput) * factor + zeroOutput, low, high), with the factor `below` for differences below 0.
/// The difference wraps; zeroOutput lies between low and high of an 8-bit or 16-bit type, or is 0.
struct RowRescale {
  firmware::Rescale above, below;
  int32_t zeroInput = 0, zeroOutput = 0, low = 0, high = 0;
  firmware::Rounding rounding = firmware::Rounding::Double;

  /// The plain form.
  int32_t operator()(int32_t x) const {
    const auto centered = static_cast<int32_t>(static_cast<uint32_t>(x) - static_cast<uint32_t>(zeroInput));
    const firmware::Rescale &factor = centered < 0 ? below : above;
    const int64_t scaled = multiplyRounded(centered, factor, rounding);
    return static_cast<int32_t>(std::clamp<int64_t>(scaled + zeroOutput, low, high));
  }
};

/// Replaces each element; has the bits of the plain form.
void rescaleRow(const RowRescale &rescale, int32_t *row, size_t count);

/// The same for rows of any integers. `low` and `high` are in the range of Out.
template <typename In, typename Out> void rescaleRow(const RowRescale &rescale, const In *from, Out *to, size_t count) {
  constexpr size_t kMost = 256;
  int32_t block[kMost];
  for (size_t first = 0; first < count; first += kMost) {
    const size_t some = std::min(kMost, count - first);
    std::copy_n(from + first, some, block);
    rescaleRow(rescale, block, some);
    for (size_t i = 0; i < some; ++i)
      to[first + i] = static_cast<Out>(block[i]);
  }
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_RESCALEROW_H
