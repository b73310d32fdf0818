//===- Rounding.h - Quotients and multiples, rounded up ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For integers of any width, also 128 bits. The result has the type of a + b, to which both are converted first.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_ROUNDING_H
#define AVOCET_BASE_ROUNDING_H

namespace avocet {

/// The least integer not below a / b. b > 0; no intermediate result overflows.
template <typename A, typename B> constexpr auto divideUp(A a, B b) {
  using T = decltype(a + b);
  const T dividend = static_cast<T>(a), divisor = static_cast<T>(b);
  return dividend / divisor + (dividend % divisor > 0 ? T{1} : T{0});
}

/// The least multiple of b not below a. b > 0; the multiple must fit the type.
template <typename A, typename B> constexpr auto roundUp(A a, B b) {
  return divideUp(a, b) * static_cast<decltype(a + b)>(b);
}

} // namespace avocet

#endif // AVOCET_BASE_ROUNDING_H
