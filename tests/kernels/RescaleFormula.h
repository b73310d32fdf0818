//===- RescaleFormula.h - TOSA's products with fixed-point numbers ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_RESCALEFORMULA_H
#define AVOCET_TESTS_KERNELS_RESCALEFORMULA_H

#include <cstdint>

namespace avocet::tests {

/// apply_scale_32 of the specification, and apply_scale_16 for numbers of 48 bits, in wide integers.
inline int64_t rescaledByFormula(int64_t value, int32_t multiplier, int shift, bool isDouble) {
  __extension__ using Wide = __int128;
  Wide round = Wide(1) << (shift - 1);
  if (isDouble && shift > 31)
    round += value >= 0 ? Wide(1) << 30 : -(Wide(1) << 30);
  return static_cast<int64_t>((Wide(value) * multiplier + round) >> shift);
}

/// The nearest integer of the quotient, halves to the even one, from the remainder.
inline int64_t rescaledToEven(int64_t value, int32_t multiplier, int shift) {
  __extension__ using Wide = __int128;
  const Wide product = Wide(value) * multiplier, below = product >> shift;
  const Wide twice = (product - (below << shift)) * 2, one = Wide(1) << shift;
  return static_cast<int64_t>(below + (twice > one || (twice == one && below % 2 != 0) ? 1 : 0));
}

} // namespace avocet::tests

#endif // AVOCET_TESTS_KERNELS_RESCALEFORMULA_H
