//===- Random.h - Choices that a seed determines ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_FUZZ_RANDOM_H
#define AVOCET_TESTS_KMOD_FUZZ_RANDOM_H

#include <cstdint>
#include <span>

namespace avocet::fuzz {

/// SplitMix64. Allocates nothing and takes no lock, so that it works in every thread and after fork().
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t value = state_ += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }

  uint32_t below(uint32_t limit) { return static_cast<uint32_t>((next() >> 32) * limit >> 32); }

  /// True in one of `n` cases.
  bool oneIn(uint32_t n) { return below(n) == 0; }

  template <typename T> T choose(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<uint32_t>(values.size()))];
  }

  /// A number that programs check too late: limits, powers of two and their neighbors.
  uint64_t hostile() {
    switch (below(4)) {
    case 0:
      return below(4);
    case 1:
      return (uint64_t{1} << below(64)) + below(3) - 1;
    case 2:
      return ~uint64_t{0} - below(4096);
    default:
      return next();
    }
  }

private:
  uint64_t state_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_KMOD_FUZZ_RANDOM_H
