//===- SaturatingMath.h - Sums and products that saturate -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_SATURATINGMATH_H
#define AVOCET_FIRMWARE_IFACE_LIB_SATURATINGMATH_H

#include <cstdint>

namespace avocet::firmware {

inline uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

inline uint64_t saturatingMul(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_SATURATINGMATH_H
