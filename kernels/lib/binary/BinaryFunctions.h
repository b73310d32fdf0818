//===- BinaryFunctions.h - Functions of two elements ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the "binary" kernel on two reals or two 32-bit integers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H
#define AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace avocet::kernels {

/// Converts the sum, difference or product of unsigned numbers, which wraps around.
inline int32_t wrapped(uint32_t value) { return static_cast<int32_t>(value); }

struct AddFunction {
  float operator()(float a, float b) const { return a + b; }
  int32_t operator()(int32_t a, int32_t b) const { return wrapped(uint32_t(a) + uint32_t(b)); }
};

struct SubFunction {
  float operator()(float a, float b) const { return a - b; }
  int32_t operator()(int32_t a, int32_t b) const { return wrapped(uint32_t(a) - uint32_t(b)); }
};

struct MulFunction {
  float operator()(float a, float b) const { return a * b; }
  int32_t operator()(int32_t a, int32_t b) const { return wrapped(uint32_t(a) * uint32_t(b)); }
};

struct DivFunction {
  float operator()(float a, float b) const { return a / b; }
  int32_t operator()(int32_t a, int32_t b) const {
    if (b == 0)
      return 0;
    // In 64 bits, because the smallest integer divided by -1 has no 32-bit quotient.
    int64_t quotient = int64_t(a) / b;
    bool inexact = int64_t(a) % b != 0, negative = (a < 0) != (b < 0);
    return static_cast<int32_t>(quotient - (inexact && negative ? 1 : 0));
  }
};

struct MinimumFunction {
  template <typename T> T operator()(T a, T b) const { return std::min(a, b); }
};

struct MaximumFunction {
  template <typename T> T operator()(T a, T b) const { return std::max(a, b); }
};

struct PowFunction {
  float operator()(float a, float b) const { return std::pow(a, b); }
};

struct PreluFunction {
  float operator()(float a, float b) const { return a >= 0 ? a : a * b; }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H
