//===- Rescale-inl.h - Fixed-point scaling of vectors --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector form of multiplyByQuantizedMultiplier, with the same bits for every input if the multiplier is not
// negative.
//
//===----------------------------------------------------------------------===//

// Included once per instruction set, so that the guard toggles.
#if defined(AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
#undef AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
#else
#define AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
#endif

#include "hwy/highway.h"
#include "simd/Targets-inl.h"

#if AVOCET_HAVE_VECTORS

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<int32_t>;
using V32 = hn::Vec<D32>;

/// Multiplier and shifts of one vector of lanes: left and right are not negative.
struct RescaleVectors {
  V32 multiplier, left, right;
};

/// High 32 bits of 2ab, rounded: (ab + 2^30) >> 31, which is the reference's rounding for both signs.
HWY_INLINE V32 roundingDoublingHighMul(V32 a, V32 b) {
  const hn::RepartitionToWide<D32> d64;
  const hn::RebindToUnsigned<decltype(d64)> du64;
  const D32 d32;
  const auto nudge = hn::Set(d64, int64_t(1) << 30);
  const auto even = hn::Add(hn::MulEven(a, b), nudge);
  const auto odd = hn::Add(hn::MulEven(hn::Shuffle2301(a), hn::Shuffle2301(b)), nudge);
  const auto evenResult = hn::BitCast(d32, hn::ShiftRight<31>(hn::BitCast(du64, even)));
  const auto oddResult = hn::BitCast(d32, hn::ShiftLeft<1>(hn::BitCast(du64, odd)));
  return hn::OddEven(oddResult, evenResult);
}

/// x / 2^right, halves away from zero.
HWY_INLINE V32 roundingShiftRight(V32 x, V32 right) {
  const D32 d32;
  const auto one = hn::Set(d32, 1);
  const auto mask = hn::Sub(one << right, one);
  const auto sign = hn::BitCast(d32, hn::ShiftRight<31>(hn::BitCast(hn::RebindToUnsigned<D32>(), x)));
  const auto threshold = hn::Add(hn::ShiftRight<1>(mask), sign);
  const auto roundUp = hn::Gt(hn::And(x, mask), threshold);
  return hn::Sub(x >> right, hn::VecFromMask(d32, roundUp)); // a true lane is -1
}

HWY_INLINE V32 multiplyByQuantizedMultiplier(V32 x, const RescaleVectors &rescale) {
  return roundingShiftRight(roundingDoublingHighMul(x << rescale.left, rescale.multiplier), rescale.right);
}

} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // AVOCET_HAVE_VECTORS

#endif // AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
