//===- IntegerLogSoftmax.cpp - Log softmax of 8-bit lines -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "softmax/IntegerLogSoftmax.h"

#include "avocet/kernels/Quantization.h"
#include "common/FixedLogarithm.h"
#include "common/FixedPoint.h"

#include <algorithm>

namespace avocet::kernels {

/// From Q5.26 to steps of 1/16.
static constexpr int kResultShift = 22;

template <typename T> void IntegerLogSoftmaxRule<T>::finish(const State &state, std::span<T> section) const {
  using Fixed = FixedPoint<int32_t>;
  constexpr int32_t kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  // The maximum itself contributes about one. A state that other commands left in memory may have no sum.
  const int32_t logSum = fixedLogarithm(std::max(state.sum, 1));
  for (T &x : section) {
    const int32_t difference = Fixed::subtract(x, state.largest);
    const int64_t scaled =
        multiplyByQuantizedMultiplier(difference, parameters_.multiplier, parameters_.shift) - int64_t(logSum);
    // A difference below Q5.26 is far below the smallest result.
    const auto fitting = static_cast<int32_t>(std::clamp<int64_t>(scaled, INT32_MIN, INT32_MAX));
    const int32_t result = Fixed::divideByPowerOfTwo(fitting, kResultShift) + kHighest;
    x = static_cast<T>(difference < parameters_.diffMin ? kLowest : std::clamp(result, kLowest, kHighest));
  }
}

template class IntegerLogSoftmaxRule<int8_t>;
template class IntegerLogSoftmaxRule<uint8_t>;

} // namespace avocet::kernels
