//===- BFloat16.h - Floats of 16 bits with the range of f32 -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_BFLOAT16_H
#define AVOCET_FIRMWARE_IFACE_BFLOAT16_H

#include <bit>
#include <cstdint>

namespace avocet::firmware {

/// The upper half of an f32. The compiler's own type for it calls a library function to round.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  /// The nearest number, of two the one whose last bit is 0; beyond the largest one infinity. NaN stays a quiet NaN.
  explicit BFloat16(float number) {
    const auto whole = std::bit_cast<uint32_t>(number);
    const uint32_t rounded = whole + 0x7FFF + (whole >> 16 & 1);
    bits = static_cast<uint16_t>((number != number ? whole | 0x400000 : rounded) >> 16);
  }
  /// The same number.
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_BFLOAT16_H
