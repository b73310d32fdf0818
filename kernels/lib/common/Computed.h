//===- Computed.h - Rows of elements in the computing type ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f16 and bf16 are computed in f32 and rounded once. Rows are converted as a whole, because the conversion of single
// f16 elements calls a function on most machines. Rows of other types are used in place.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_COMPUTED_H
#define AVOCET_KERNELS_LIB_COMMON_COMPUTED_H

#include "simd/HalfFloat.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace avocet::kernels {

template <typename T> constexpr bool kIsHalf = std::is_same_v<T, _Float16> || std::is_same_v<T, firmware::BFloat16>;
template <typename T> using Computed = std::conditional_t<kIsHalf<T>, float, T>;

/// Elements of a long row that are converted at a time, so that they stay in the first cache.
inline constexpr size_t kComputedRun = 1024;

template <typename T> class ComputedInput {
public:
  /// `count` elements that are `step` apart: valid until the next call, 0 apart if `step` is 0.
  const Computed<T> *read(const T *from, size_t count, uint64_t step = 1) {
    if constexpr (!kIsHalf<T>) {
      return from;
    } else {
      const size_t kept = step == 0 ? 1 : count;
      row_.resize(std::max(row_.size(), kept));
      widenHalves(step > 1 ? gathered(from, kept, step) : from, row_.data(), kept);
      return row_.data();
    }
  }
  /// The distance of the elements that read() returns.
  static constexpr uint64_t stepOf(uint64_t step) { return kIsHalf<T> ? std::min<uint64_t>(step, 1) : step; }

private:
  const T *gathered(const T *from, size_t count, uint64_t step) {
    stored_.resize(std::max(stored_.size(), count));
    for (size_t i = 0; i < count; ++i)
      stored_[i] = from[i * step];
    return stored_.data();
  }

  std::vector<Computed<T>> row_;
  std::vector<T> stored_;
};

template <typename T> class ComputedOutput {
public:
  /// Where to write `count` elements for `to`; store() with the same arguments follows.
  Computed<T> *begin(T *to, size_t count) {
    if constexpr (!kIsHalf<T>) {
      return to;
    } else {
      row_.resize(std::max(row_.size(), count));
      return row_.data();
    }
  }

  void store(T *to, size_t count) const {
    if constexpr (kIsHalf<T>)
      narrowFloats(row_.data(), to, count);
  }

private:
  std::vector<Computed<T>> row_;
};

/// Elements of a long row to convert at a time: all, if none is of 16 bits.
template <typename... T> constexpr size_t computedRun(size_t count) {
  return (kIsHalf<T> || ...) ? std::min(count, kComputedRun) : count;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_COMPUTED_H
