//===- SumOfSquares.h - What lines are divided by ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_NORMALIZE_SUMOFSQUARES_H
#define AVOCET_KERNELS_LIB_NORMALIZE_SUMOFSQUARES_H

#include <cstdint>
#include <span>

namespace avocet::kernels {

/// The pass of a rule (common/LineSteps.h) that adds the squares of a line.
struct SumOfSquares {
  struct State {
    float sum = 0, unused = 0;
  };
  static constexpr uint32_t kPasses = 1;

  State first() const { return {}; }

  void fold(uint32_t, State &state, std::span<const float> section) const {
    for (float x : section)
      state.sum += x * x;
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_NORMALIZE_SUMOFSQUARES_H
