//===- EltwiseArithmetic.h - Sums and products of single elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function of an EltwiseCommand on two elements, before its clamp. The MAC array's element-wise unit and the vector
// DSP share it, so that an operation has the same result on both engines.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_ELTWISE_ELTWISEARITHMETIC_H
#define AVOCET_KERNELS_LIB_ELTWISE_ELTWISEARITHMETIC_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/Quantization.h"

#include <cstdint>

namespace avocet::kernels {

/// A result on the output's scale.
inline int64_t rescaled(const firmware::EltwiseCommand &c, int32_t value) {
  return int64_t(multiplyRounded(value, c.rescaleOutput, c.rounding)) + c.output.zeroPoint;
}

/// Add, Sub and Mul: integer arithmetic of one element of up to 32 bits, wrapping where the reference may overflow;
/// only the last sum, with the zero point, is exact.
inline int64_t combine(const firmware::EltwiseCommand &c, int64_t a, int64_t b) {
  using firmware::EltwiseKind;
  auto wrap = [](uint32_t value) { return static_cast<int32_t>(value); };
  int32_t centeredA = wrap(uint32_t(a) - uint32_t(c.inputA.zeroPoint));
  int32_t centeredB = wrap(uint32_t(b) - uint32_t(c.inputB.zeroPoint));
  if (c.kind == EltwiseKind::Mul) {
    int32_t product = wrap(uint32_t(centeredA) * uint32_t(centeredB));
    return rescaled(c, product);
  }
  auto scale = [&](int32_t value, const firmware::Rescale &rescale) {
    return uint32_t(multiplyRounded(wrap(uint32_t(value) << c.leftShift), rescale, c.rounding));
  };
  uint32_t scaledA = scale(centeredA, c.rescaleA), scaledB = scale(centeredB, c.rescaleB);
  int32_t sum = wrap(c.kind == EltwiseKind::Add ? scaledA + scaledB : scaledA - scaledB);
  return rescaled(c, sum);
}

template <firmware::EltwiseKind kind> float combine(float a, float b) {
  using firmware::EltwiseKind;
  if constexpr (kind == EltwiseKind::Add)
    return a + b;
  else if constexpr (kind == EltwiseKind::Sub)
    return a - b;
  else
    return a * b;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_ELTWISE_ELTWISEARITHMETIC_H
