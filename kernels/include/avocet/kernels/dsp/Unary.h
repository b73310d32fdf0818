//===- Unary.h - Element-wise functions of one operand -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "unary": output = function(input), element by element.
//
//   inputs[0]   f16 or f32; Abs, Neg, Sign and Square also i16, i32 and i64, which wrap around; LeadingZeros only
//   these;
//               LogicalNot only bool8
//   outputs[0]  the same type and shape
//
// f16 is computed in f32 and rounded once.
//
// The 8-bit forms of these functions are table look-ups on the MAC array (Lookup, or the conv's output stage).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_UNARY_H
#define AVOCET_KERNELS_DSP_UNARY_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kUnaryKernel{"unary", 7};

/// Numbers are part of the command encoding: append only.
enum class UnaryFunction : uint32_t {
  Logistic = 0,  ///< 1 / (1 + exp(-x))
  Tanh = 1,      ///< tanh(x)
  Exp = 2,       ///< exp(x)
  Abs = 3,       ///< |x|
  Neg = 4,       ///< -x
  Sqrt = 5,      ///< square root
  Rsqrt = 6,     ///< 1 / square root
  HardSwish = 7, ///< x * clamp(x + 3, 0, 6) / 6
  Clamp = 8,     ///< clamp(x, alpha, beta): rectifiers
  Floor = 9,     ///< largest integer not above x
  Log = 10,      ///< natural logarithm
  Sin = 11,      ///< sine of radians
  Elu = 12,      ///< x < 0 ? alpha * (exp(x) - 1) : x
  LogicalNot = 13,
  Cos = 14,          ///< cosine of radians
  Ceil = 15,         ///< smallest integer not below x
  Round = 16,        ///< nearest integer, halves to even; never -0 for x < 0
  Sign = 17,         ///< -1, 0 or 1
  Square = 18,       ///< x * x
  Gelu = 19,         ///< x / 2 * erfc(-x / sqrt(2))
  GeluTanh = 20,     ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
  LeakyRelu = 21,    ///< x > 0 ? x : alpha * x
  Erf = 22,          ///< error function
  Swish = 23,        ///< x / (1 + exp(-x))
  HardSigmoid = 24,  ///< clamp(alpha * x + 1/2, 0, 1)
  LeadingZeros = 25, ///< bits above the highest one that is set
};
inline constexpr uint32_t kNumUnaryFunctions = 26;

struct UnaryParameters {
  UnaryFunction function = UnaryFunction::Logistic;
  float alpha = 0.0f; ///< lower bound of Clamp, factor of Elu, LeakyRelu and HardSigmoid, else unused
  float beta = 0.0f;  ///< upper bound of Clamp, else unused

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("function", self.function);
    visit("alpha", self.alpha);
    visit("beta", self.beta);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_UNARY_H
