//===- Random.h - Random choices --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choices from a seed. The standard distributions differ between libraries, so that a seed would not name one graph;
// the engine does not. Compilers differ in the order of arguments: draw each value in a statement of its own.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_RANDOM_H
#define AVOCET_VALIDATION_RANDOM_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

namespace avocet::hal::conformance {

/// One thread.
class Random {
public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// 0 to count - 1. Requires count > 0.
  uint64_t below(uint64_t count) { return engine_() % count; }
  /// least to most, both included.
  int32_t between(int32_t least, int32_t most) {
    return least + static_cast<int32_t>(below(static_cast<uint64_t>(int64_t{most} - least + 1)));
  }
  uint32_t extent(uint32_t least, uint32_t most) { return least + static_cast<uint32_t>(below(most - least + 1)); }
  bool percent(uint32_t chance) { return below(100) < chance; }
  bool flip() { return percent(50); }
  /// least <= value < most, in steps of 1/4096 of the range.
  float real(float least, float most) { return least + (most - least) * static_cast<float>(below(4096)) / 4096.0f; }

  template <typename T> T oneOf(std::initializer_list<T> list) { return list.begin()[below(list.size())]; }
  template <typename List> const auto &oneOf(const List &list) { return list[below(std::size(list))]; }

private:
  std::mt19937_64 engine_;
};

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_RANDOM_H
