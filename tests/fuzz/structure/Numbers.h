//===- Numbers.h - Values at the limits of rules ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_STRUCTURE_NUMBERS_H
#define AVOCET_TESTS_FUZZ_STRUCTURE_NUMBERS_H

#include <cstdint>
#include <cstring>
#include <flatbuffers/reflection.h>
#include <iterator>
#include <random>

namespace avocet::fuzz {

template <typename Float, typename Bits> uint64_t bitsOf(double value) {
  const auto number = static_cast<Float>(value);
  Bits bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

inline uint64_t floatBits(reflection::BaseType type, std::minstd_rand &random) {
  constexpr double kValues[] = {0, 1, -1, 0.5, 1.0 / 256, 1e-30, 1e30, 1e-45, 0.0 / 1e300, 2};
  const uint32_t choice = random() % (std::size(kValues) + 1);
  const double value = choice < std::size(kValues) ? kValues[choice] : __builtin_nan("");
  return type == reflection::Float ? bitsOf<float, uint32_t>(value) : bitsOf<double, uint64_t>(value);
}

/// The new bits of an integer or floating-point field; callers cut them to the field's size.
inline uint64_t changedNumber(uint64_t old, reflection::BaseType type, std::minstd_rand &random) {
  if (flatbuffers::IsFloat(type))
    return floatBits(type, random);
  constexpr uint64_t kEdges[] = {0x7F,
                                 0x80,
                                 0xFF,
                                 0x100,
                                 4096,
                                 0xFFFF,
                                 0x10000,
                                 0x7FFFFFFF,
                                 0x80000000,
                                 0xFFFFFFFF,
                                 1u << 24,
                                 1u << 28,
                                 uint64_t(1) << 32,
                                 INT64_MAX,
                                 ~uint64_t(0),
                                 ~uint64_t(15)};
  switch (random() % 8) {
  case 0:
    return old + 1;
  case 1:
    return old - 1;
  case 2:
    return old ^ (uint64_t(1) << random() % 64);
  case 3:
    return kEdges[random() % std::size(kEdges)];
  case 4:
    return kEdges[random() % std::size(kEdges)] - old;
  case 5:
    return uint64_t(1) << random() % 16;
  default: // numbers of objects, descriptors and operands
    return random() % 12;
  }
}

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_STRUCTURE_NUMBERS_H
