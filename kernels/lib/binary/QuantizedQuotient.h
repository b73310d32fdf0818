//===- QuantizedQuotient.h - Quotients of quantized numbers -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_BINARY_QUANTIZEDQUOTIENT_H
#define AVOCET_KERNELS_LIB_BINARY_QUANTIZEDQUOTIENT_H

#include "avocet/kernels/Quantization.h"
#include "common/FixedPoint.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace avocet::kernels {

/// a / b * rescale, as TFLite's reference kernel computes it: a product with the reciprocal of b in Q0.31. Defined for
/// numbers of 16 bits and less, and for all rescales; 0 for b = 0, and where more than 31 bits would be shifted out.
class QuantizedQuotient {
public:
  explicit QuantizedQuotient(const firmware::Rescale &rescale) : rescale_(rescale) {}

  int64_t operator()(int32_t a, int32_t b) const {
    if (b == 0)
      return 0;
    if (b < 0)
      return (*this)(-a, -b);
    if (rescale_.shift >= kSaturatingShift)
      return multiplyByQuantizedMultiplier(a, rescale_.multiplier, rescale_.shift);
    const int zeros = std::countl_zero(static_cast<uint32_t>(b));
    const auto fraction = static_cast<int32_t>((static_cast<uint32_t>(b) << zeros) - (uint32_t(1) << 31));
    const int headroom = headroomOf(a);
    const int32_t quotient = saturatingRoundingDoublingHighMul(
        static_cast<int32_t>(static_cast<uint32_t>(a) << headroom), FixedPoint<int32_t>::oneOverOnePlus(fraction));
    return scaled(quotient, rescale_.shift - (31 - zeros) - headroom);
  }

private:
  /// Bits that a number may be shifted to the left by.
  static int headroomOf(int32_t a) { return std::countl_zero(static_cast<uint32_t>(a < 0 ? ~a : a)) - 1; }

  int64_t scaled(int32_t quotient, int shift) const {
    const int32_t product = saturatingRoundingDoublingHighMul(quotient, rescale_.multiplier);
    if (shift > 0)
      return int64_t(product) << shift; // at most 30
    return shift < -31 ? 0 : roundingDivideByPowerOfTwo(product, -shift);
  }

  firmware::Rescale rescale_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_BINARY_QUANTIZEDQUOTIENT_H
