//===- WideSoftmaxLine.cpp - Softmax of one line of 16-bit numbers --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "softmax/SoftmaxLine.h"

#include "avocet/kernels/Quantization.h"
#include "common/WideTable.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

/// exp() of [-10, 0]: smaller numbers count as -10.
static constexpr double kLeast = -10;

SoftmaxParameters prepareWideSoftmax(float beta, float inputScale) {
  // The number of the table's input is 65535 / 10 times the difference to the maximum.
  Rescale rescale = quantizeMultiplier(double(inputScale * beta) / (-kLeast / 65535));
  SoftmaxParameters parameters;
  parameters.multiplier = rescale.multiplier;
  parameters.shift = rescale.shift;
  parameters.beta = beta;
  return parameters;
}

static int16_t saturated(int64_t value) {
  return static_cast<int16_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()));
}

/// exp of a difference to the maximum, in Q0.15.
static int16_t exponential(const SoftmaxParameters &parameters, int32_t difference) {
  static const WideTable kTable = makeWideTable([](double x) { return std::exp(x); }, kLeast, 0);
  int64_t scaled = multiplyByQuantizedMultiplier(difference, parameters.multiplier, parameters.shift);
  return lookUp(kTable.data(), saturated(scaled + 32767));
}

/// 1 / sum in Q0.15, relative to the power of two below the sum. The sum is positive.
static int16_t reciprocal(uint32_t sum, int headroom) {
  static const WideTable kTable = makeWideTable([](double x) { return 1 / (1 + x); }, 0, 1);
  int64_t fraction = ((int64_t(sum) << (headroom - 1)) + (1 << 13)) >> 14;
  return lookUp(kTable.data(), saturated(fraction - (1 << 15) - (1 << 16)));
}

void WideSoftmaxRule::fold(uint32_t pass, State &state, std::span<const int16_t> section) const {
  for (int16_t x : section)
    if (pass == 0) {
      state.largest = std::max<int32_t>(state.largest, x);
    } else {
      int64_t sum = int64_t(state.sum) + exponential(parameters, x - saturated(state.largest));
      state.sum = static_cast<int32_t>(std::min<int64_t>(sum, std::numeric_limits<int32_t>::max()));
    }
}

void WideSoftmaxRule::finish(const State &state, std::span<int16_t> section) const {
  // The maximum's own exponential is nearly 1. States come from memory, where the sum may be anything.
  const auto sum = static_cast<uint32_t>(std::max(state.sum, 1 << 14));
  const int headroom = std::countl_zero(sum), shift = 31 - headroom;
  const int64_t scale = reciprocal(sum, headroom), half = int64_t(1) << (shift - 1);
  for (int16_t &x : section)
    x = saturated(
        std::max<int64_t>((exponential(parameters, x - saturated(state.largest)) * scale + half) >> shift, 0));
}

void softmaxLine(const SoftmaxParameters &parameters, const int16_t *input, int16_t *output, uint32_t count) {
  const WideSoftmaxRule rule{parameters};
  WideSoftmaxRule::State state = rule.first();
  for (uint32_t pass = 0; pass < WideSoftmaxRule::kPasses; ++pass)
    rule.fold(pass, state, {input, count});
  std::copy_n(input, count, output);
  rule.finish(state, {output, count});
}

} // namespace avocet::kernels
