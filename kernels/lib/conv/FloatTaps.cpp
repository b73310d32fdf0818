//===- FloatTaps.cpp - Depthwise float32 products on vectors --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/FloatTaps.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/FloatTaps.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "conv/Stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

/// Channels that do not fill the smallest vector.
void sumPlainChannels(const FloatTaps &taps, size_t first) {
  for (size_t window = 0; window < taps.windows; ++window)
    for (size_t c = first; c < taps.channels; ++c) {
      float sum = 0;
      for (size_t t = 0; t < taps.taps; ++t)
        sum += taps.pixels[t][window * taps.inputStep + c] * taps.weights[t][c];
      taps.output[window * taps.outputStep + c] =
          std::min(std::max(sum + taps.stage.floatBias[c], taps.stage.floatMin), taps.stage.floatMax);
    }
}

#if AVOCET_HAVE_VECTORS

/// One vector of channels. numTaps > 0: the number of taps is a constant, so that weights stay in registers.
template <size_t numTaps, class D> HWY_NOINLINE void sumVector(const FloatTaps &taps, D d, size_t channel) {
  using V = hn::Vec<D>;
  const size_t count = numTaps != 0 ? numTaps : taps.taps;
  const FloatVectors<D> stage(taps.stage, channel);
  const float *pixels[numTaps != 0 ? numTaps : 1];
  V weights[numTaps != 0 ? numTaps : 1];
  for (size_t t = 0; t < numTaps; ++t) {
    pixels[t] = taps.pixels[t] + channel;
    weights[t] = hn::LoadU(d, taps.weights[t] + channel);
  }
  float *output = taps.output + channel;
  for (size_t window = 0, at = 0; window < taps.windows; ++window, at += taps.inputStep, output += taps.outputStep) {
    auto sum = hn::Zero(d);
    for (size_t t = 0; t < count; ++t)
      if constexpr (numTaps != 0)
        sum = hn::Add(sum, hn::Mul(hn::LoadU(d, pixels[t] + at), weights[t]));
      else
        sum =
            hn::Add(sum, hn::Mul(hn::LoadU(d, taps.pixels[t] + channel + at), hn::LoadU(d, taps.weights[t] + channel)));
    hn::StoreU(stage.apply(sum), d, output);
  }
}

/// Whole vectors of channels from `channel` on; returns the first channel that is left.
template <class D> size_t sumVectors(const FloatTaps &taps, D d, size_t channel) {
  constexpr size_t kTapsOf3x3 = 9;
  for (; channel + hn::MaxLanes(d) <= taps.channels; channel += hn::MaxLanes(d))
    if (taps.taps == kTapsOf3x3)
      sumVector<kTapsOf3x3>(taps, d, channel);
    else
      sumVector<0>(taps, d, channel);
  return channel;
}

void sumAllTaps(const FloatTaps &taps) {
  size_t channel = sumVectors(taps, DF32(), 0);
  channel = sumVectors(taps, hn::CappedTag<float, 8>(), channel);
  channel = sumVectors(taps, hn::CappedTag<float, 4>(), channel);
  sumPlainChannels(taps, channel);
}

#else

void sumAllTaps(const FloatTaps &taps) { sumPlainChannels(taps, 0); }

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(sumAllTaps);

void sumFloatTaps(const FloatTaps &taps) { HWY_DYNAMIC_DISPATCH(sumAllTaps)(taps); }

} // namespace avocet::kernels

#endif // HWY_ONCE
