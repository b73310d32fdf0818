//===- BinaryFunctions.h - Functions of two elements ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the "binary" kernel on two reals or two integers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H
#define AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H

#include "avocet/kernels/IntegerFunctions.h"
#include "common/Elements.h"

#include <cmath>
#include <limits>

namespace avocet::kernels {

struct AddFunction : IntegerSum {
  using IntegerSum::operator();
  float operator()(float a, float b) const { return a + b; }
};

struct SubFunction : IntegerDifference {
  using IntegerDifference::operator();
  float operator()(float a, float b) const { return a - b; }
};

struct MulFunction : IntegerProduct {
  using IntegerProduct::operator();
  float operator()(float a, float b) const { return a * b; }
};

struct DivFunction : FloorQuotient {
  using FloorQuotient::operator();
  float operator()(float a, float b) const { return a / b; }
};

struct FloorDivFunction : FloorQuotient {
  using FloorQuotient::operator();
  float operator()(float a, float b) const { return std::floor(a / b); }
};

struct FloorModFunction : FloorRemainder {
  using FloorRemainder::operator();
  float operator()(float a, float b) const {
    float rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
  }
};

struct SquaredDifferenceFunction : IntegerSquaredDifference {
  using IntegerSquaredDifference::operator();
  float operator()(float a, float b) const {
    const float difference = a - b;
    return difference * difference;
  }
};

struct Atan2Function {
  float operator()(float a, float b) const { return std::atan2(a, b); }
};

/// Squares of f32 are in the range of f64. An infinite operand decides, also beside a NaN.
struct HypotFunction {
  float operator()(float a, float b) const {
    if (std::isinf(a) || std::isinf(b))
      return std::numeric_limits<float>::infinity();
    return static_cast<float>(std::sqrt(double(a) * a + double(b) * b));
  }
};

struct MinimumFunction {
  template <typename T> T operator()(T a, T b) const { return smallerOf(a, b); }
};

struct MaximumFunction {
  template <typename T> T operator()(T a, T b) const { return largerOf(a, b); }
};

struct PowFunction : IntegerPower {
  using IntegerPower::operator();
  float operator()(float a, float b) const { return std::pow(a, b); }
};

struct PreluFunction {
  float operator()(float a, float b) const { return a >= 0 ? a : a * b; }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H
