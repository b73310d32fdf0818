//===- WindowProducts.cpp - Products of a window tap ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "window/WindowProducts.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "window/WindowProducts.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "hwy/highway.h"
#include "simd/Targets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

template <typename Input, typename Weight, typename Sum>
void addPlain(const TapProducts<Input, Weight, Sum> &tap, size_t first) {
  for (size_t term = 0; term < tap.terms; ++term)
    for (size_t c = first; c < tap.channels; ++c)
      tap.sums[c] += static_cast<Sum>(tap.inputs[term] * tap.weights[term * tap.termStride + c]);
}

#if AVOCET_HAVE_VECTORS

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE auto loadWeights(hn::ScalableTag<float> d, const float *at) { return hn::LoadU(d, at); }
HWY_INLINE auto loadWeights(hn::ScalableTag<int32_t> d, const int16_t *at) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, decltype(d)>(), at));
}

/// The sums of `numVectors` vectors of channels stay in registers for all terms.
template <size_t numVectors, typename Input, typename Weight, typename Sum>
HWY_INLINE void addVectors(const TapProducts<Input, Weight, Sum> &tap, size_t first) {
  const hn::ScalableTag<Input> d;
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<Input>());
  auto *sums = reinterpret_cast<Input *>(tap.sums + first); // unsigned sums have the bits of signed ones
  hn::Vec<hn::ScalableTag<Input>> totals[numVectors];
  for (size_t v = 0; v < numVectors; ++v)
    totals[v] = hn::LoadU(d, sums + v * kLanes);
  const Weight *weights = tap.weights + first;
  for (size_t term = 0; term < tap.terms; ++term, weights += tap.termStride) {
    const auto input = hn::Set(d, tap.inputs[term]);
    for (size_t v = 0; v < numVectors; ++v)
      totals[v] = hn::Add(totals[v], hn::Mul(input, loadWeights(d, weights + v * kLanes)));
  }
  for (size_t v = 0; v < numVectors; ++v)
    hn::StoreU(totals[v], d, sums + v * kLanes);
}

template <typename Input, typename Weight, typename Sum> void addAll(const TapProducts<Input, Weight, Sum> &tap) {
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<Input>());
  size_t first = 0;
  for (; first + 4 * kLanes <= tap.channels; first += 4 * kLanes)
    addVectors<4>(tap, first);
  for (; first + kLanes <= tap.channels; first += kLanes)
    addVectors<1>(tap, first);
  addPlain(tap, first);
}

#else

template <typename Input, typename Weight, typename Sum> void addAll(const TapProducts<Input, Weight, Sum> &tap) {
  addPlain(tap, 0);
}

#endif // AVOCET_HAVE_VECTORS

void addFloats(const TapProducts<float, float, float> &tap) { addAll(tap); }
void addIntegers(const TapProducts<int32_t, int16_t, uint32_t> &tap) { addAll(tap); }

/// Inputs have at most 17 bits and weights 9, so that kMostTerms products fit in 32 bits.
void addWide(const TapProducts<int32_t, int16_t, uint64_t> &tap) {
  constexpr size_t kMostTerms = 64, kMostChannels = 64;
  for (size_t first = 0; first < tap.channels; first += kMostChannels) {
    const size_t channels = std::min(kMostChannels, tap.channels - first);
    for (size_t term = 0; term < tap.terms; term += kMostTerms) {
      uint32_t sums[kMostChannels] = {};
      addAll(TapProducts<int32_t, int16_t, uint32_t>{tap.inputs + term, std::min(kMostTerms, tap.terms - term),
                                                     tap.weights + term * tap.termStride + first, tap.termStride, sums,
                                                     channels});
      for (size_t c = 0; c < channels; ++c)
        tap.sums[first + c] += static_cast<uint64_t>(int64_t(static_cast<int32_t>(sums[c])));
    }
  }
}

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(addFloats);
HWY_EXPORT(addIntegers);
HWY_EXPORT(addWide);

void addProducts(const TapProducts<float, float, float> &tap) { HWY_DYNAMIC_DISPATCH(addFloats)(tap); }
void addProducts(const TapProducts<int32_t, int16_t, uint32_t> &tap) { HWY_DYNAMIC_DISPATCH(addIntegers)(tap); }
void addProducts(const TapProducts<int32_t, int16_t, uint64_t> &tap) { HWY_DYNAMIC_DISPATCH(addWide)(tap); }

} // namespace avocet::kernels

#endif // HWY_ONCE
