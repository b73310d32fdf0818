//===- WideSoftmaxLine.cpp - Softmax of one line of 16-bit numbers --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "softmax/SoftmaxLine.h"

#include "avocet/kernels/Quantization.h"
#include "common/RescaleRow.h"
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

/// Calls f(first, exponentials) for blocks of a section: exp of the differences to the maximum, in Q0.15, of the
/// elements from `first` on.
template <typename F>
static void forEachExponential(const SoftmaxParameters &parameters, int16_t largest, std::span<const int16_t> section,
                               F &&f) {
  static const WideTable kTable = makeWideTable([](double x) { return std::exp(x); }, kLeast, 0);
  using Limits = std::numeric_limits<int16_t>;
  RowRescale rescale;
  rescale.above = rescale.below = {parameters.multiplier, parameters.shift};
  rescale.zeroInput = largest;
  rescale.zeroOutput = rescale.high = Limits::max();
  rescale.low = Limits::min();
  constexpr size_t kMost = 256;
  int16_t block[kMost];
  for (size_t first = 0; first < section.size(); first += kMost) {
    const size_t count = std::min(kMost, section.size() - first);
    rescaleRow(rescale, section.data() + first, block, count);
    lookUpRow(kTable, block, block, count);
    f(first, std::span<const int16_t>(block, count));
  }
}

/// 1 / sum in Q0.15, relative to the power of two below the sum. The sum is positive.
static int16_t reciprocal(uint32_t sum, int headroom) {
  static const WideTable kTable = makeWideTable([](double x) { return 1 / (1 + x); }, 0, 1);
  int64_t fraction = ((int64_t(sum) << (headroom - 1)) + (1 << 13)) >> 14;
  return lookUp(kTable.data(), saturated(fraction - (1 << 15) - (1 << 16)));
}

void WideSoftmaxRule::fold(uint32_t pass, State &state, std::span<const int16_t> section) const {
  if (pass == 0) {
    for (int16_t x : section)
      state.largest = std::max<int32_t>(state.largest, x);
    return;
  }
  int64_t sum = state.sum;
  forEachExponential(parameters, saturated(state.largest), section, [&](size_t, std::span<const int16_t> block) {
    for (int16_t e : block)
      sum += e;
  });
  state.sum = static_cast<int32_t>(std::min<int64_t>(sum, std::numeric_limits<int32_t>::max()));
}

void WideSoftmaxRule::finish(const State &state, std::span<int16_t> section) const {
  // The maximum's own exponential is nearly 1. States come from memory, where the sum may be anything.
  const auto sum = static_cast<uint32_t>(std::max(state.sum, 1 << 14));
  const int headroom = std::countl_zero(sum), shift = 31 - headroom;
  // Exponentials and the reciprocal are not negative, so that the product and half fit in 32 bits.
  const auto scale = static_cast<uint32_t>(reciprocal(sum, headroom)), half = uint32_t(1) << (shift - 1);
  forEachExponential(parameters, saturated(state.largest), section, [&](size_t first, std::span<const int16_t> block) {
    for (size_t i = 0; i < block.size(); ++i)
      section[first + i] = saturated((static_cast<uint32_t>(block[i]) * scale + half) >> shift);
  });
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
