//===- Random.h - Pseudo-random choices ----------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_RANDOM_H
#define AVOCET_TESTS_STRESS_RANDOM_H

#include <cstdint>

namespace avocet::stress {

/// splitmix64: small, and the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// In [0, count). Requires count > 0.
  uint64_t below(uint64_t count) { return next() % count; }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  /// In [-1, 1).
  float unit() { return static_cast<float>(static_cast<double>(next() >> 11) / (1ull << 52) - 1.0); }

private:
  uint64_t state_;
};

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_RANDOM_H
