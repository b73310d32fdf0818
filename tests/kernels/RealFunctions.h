//===- RealFunctions.h - What the kernel "unary" computes -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of one number, for tests of the kernel and of what is compiled to it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_REALFUNCTIONS_H
#define AVOCET_TESTS_KERNELS_REALFUNCTIONS_H

#include "avocet/kernels/dsp/Unary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace avocet::kernels {

struct RealFunction {
  UnaryFunction function;
  std::string_view name; ///< of TensorFlow Lite's operator, if there is one
  double (*real)(double);
  bool hasParameters = false; ///< alpha is -0.5, beta 0.75

  bool isDefinedBelowZero() const { return !std::isnan(real(-1)); }
};

/// All but LogicalNot and LeadingZeros.
inline constexpr RealFunction kRealFunctions[] = {
    {UnaryFunction::Logistic, "LOGISTIC", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {UnaryFunction::Tanh, "TANH", [](double x) { return std::tanh(x); }},
    {UnaryFunction::Exp, "EXP", [](double x) { return std::exp(x); }},
    {UnaryFunction::Abs, "ABS", [](double x) { return std::abs(x); }},
    {UnaryFunction::Neg, "NEG", [](double x) { return -x; }},
    {UnaryFunction::Sqrt, "SQRT", [](double x) { return std::sqrt(x); }},
    {UnaryFunction::Rsqrt, "RSQRT", [](double x) { return 1 / std::sqrt(x); }},
    {UnaryFunction::HardSwish, "HARD_SWISH", [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
    {UnaryFunction::Clamp, "", [](double x) { return std::clamp(x, -0.5, 0.75); }, true},
    {UnaryFunction::Floor, "FLOOR", [](double x) { return std::floor(x); }},
    {UnaryFunction::Log, "LOG", [](double x) { return std::log(x); }},
    {UnaryFunction::Sin, "SIN", [](double x) { return std::sin(x); }},
    {UnaryFunction::Elu, "ELU", [](double x) { return x < 0 ? -0.5 * (std::exp(x) - 1) : x; }, true},
    {UnaryFunction::Cos, "COS", [](double x) { return std::cos(x); }},
    {UnaryFunction::Ceil, "CEIL", [](double x) { return -std::floor(-x); }},
    {UnaryFunction::Round, "ROUND", [](double x) { return x - std::remainder(x, 1); }},
    {UnaryFunction::Sign, "SIGN", [](double x) { return x == 0 ? 0 : std::copysign(1.0, x); }},
    {UnaryFunction::Square, "SQUARE", [](double x) { return x * x; }},
    {UnaryFunction::Gelu, "GELU", [](double x) { return x * (1 + std::erf(x / std::sqrt(2))) / 2; }},
    {UnaryFunction::GeluTanh, "",
     [](double x) { return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1)) * (x + 0.044715 * x * x * x))); }},
    {UnaryFunction::LeakyRelu, "LEAKY_RELU", [](double x) { return x < 0 ? -0.5 * x : x; }, true},
    {UnaryFunction::Erf, "", [](double x) { return std::erf(x); }},
    {UnaryFunction::Swish, "", [](double x) { return x / (1 + std::exp(-x)); }},
    {UnaryFunction::HardSigmoid, "", [](double x) { return std::clamp(0.5 - x / 2, 0.0, 1.0); }, true},
};
static_assert(std::size(kRealFunctions) == kNumUnaryFunctions - 2);

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_REALFUNCTIONS_H
