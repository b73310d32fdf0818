//===- Fnv1a.h - A hash for keys and fingerprints ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_FNV1A_H
#define AVOCET_BASE_FNV1A_H

#include <cstdint>
#include <span>

namespace avocet {

/// FNV-1a with 64 bits (Fowler, Noll, Vo; RFC 9923). Files contain some of its values. It neither detects damage
/// (Checksum.h) nor authenticates (cache/).
class Fnv1a {
public:
  static constexpr uint64_t kBasis = 0xcbf29ce484222325;

  constexpr explicit Fnv1a(uint64_t basis = kBasis) : value_(basis) {}

  constexpr uint64_t value() const { return value_; }

  constexpr Fnv1a &add(std::span<const uint8_t> bytes) {
    for (uint8_t byte : bytes)
      step(byte);
    return *this;
  }
  /// Its eight bytes, the least significant one first.
  constexpr Fnv1a &addNumber(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
      step(number >> shift & 0xff);
    return *this;
  }
  /// A number in one step: not FNV-1a, but one multiplication instead of eight, for hash tables in memory.
  constexpr Fnv1a &addInOneStep(uint64_t number) {
    step(number);
    return *this;
  }

private:
  constexpr void step(uint64_t value) { value_ = (value_ ^ value) * 0x100000001b3; }

  uint64_t value_;
};

} // namespace avocet

#endif // AVOCET_BASE_FNV1A_H
