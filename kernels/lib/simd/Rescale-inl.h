//===- Rescale-inl.h - Fixed-point scaling of vectors --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector forms of multiplyByQuantizedMultiplier, multiplyRoundedOnce and multiplyRoundedToEven, with the same bits
// for every input if the multiplier is not negative and the shift does not saturate.
//
//===----------------------------------------------------------------------===//

// Included once per instruction set, so that the guard toggles.
#if defined(AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
#undef AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
#else
#define AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
#endif

#include "avocet/kernels/Quantization.h"

#include "hwy/highway.h"
#include "simd/Targets-inl.h"

#include <algorithm>

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

/// One number for all lanes. Shifts to the right beyond 31 count as 31.
HWY_INLINE RescaleVectors vectorsOf(const firmware::Rescale &rescale) {
  const D32 d;
  return {hn::Set(d, rescale.multiplier), hn::Set(d, std::max(rescale.shift, 0)),
          hn::Set(d, std::max(-std::max(rescale.shift, kLeastShift), 0))};
}

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

/// The form with two roundings, made for one vector of lanes.
struct TwoRoundings {
  RescaleVectors rescale;

  explicit TwoRoundings(const RescaleVectors &vectors) : rescale(vectors) {}
  HWY_INLINE V32 apply(V32 x) const { return multiplyByQuantizedMultiplier(x, rescale); }
};

/// The form with one rounding: (x * multiplier + 2^(shift - 1)) >> shift in 64 bits, where shift is 31 - left + right.
/// Even and odd lanes have vectors of their own. With `toEven` the number that is added is less by 1 where the
/// quotient, rounded downwards, is even.
template <bool toEven> class RoundedOnce {
  using D64 = hn::RepartitionToWide<D32>;
  using V64 = hn::Vec<D64>;

public:
  explicit RoundedOnce(const RescaleVectors &vectors) {
    const D32 d32;
    const D64 d64;
    const auto one = hn::Set(d64, 1);
    const auto shift = hn::BitCast(d64, hn::Add(hn::Sub(hn::Set(d32, 31), vectors.left), vectors.right));
    evenMultiplier_ = vectors.multiplier;
    oddMultiplier_ = hn::Shuffle2301(vectors.multiplier);
    evenShift_ = hn::And(shift, hn::Set(d64, int64_t(0xFFFFFFFF)));
    oddShift_ = hn::ShiftRight<32>(shift);
    evenNudge_ = one << hn::Sub(evenShift_, one);
    oddNudge_ = one << hn::Sub(oddShift_, one);
    if constexpr (toEven) {
      evenNudge_ = hn::Sub(evenNudge_, one);
      oddNudge_ = hn::Sub(oddNudge_, one);
    }
  }

  HWY_INLINE V32 apply(V32 x) const {
    const D32 d32;
    const auto even = shifted(hn::MulEven(x, evenMultiplier_), evenNudge_, evenShift_);
    const auto odd = shifted(hn::MulEven(hn::Shuffle2301(x), oddMultiplier_), oddNudge_, oddShift_);
    return hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(odd)), hn::BitCast(d32, even));
  }

private:
  HWY_INLINE static V64 shifted(V64 product, V64 nudge, V64 shift) {
    if constexpr (toEven)
      product = hn::Add(product, hn::And(product >> shift, hn::Set(D64(), 1)));
    return hn::Add(product, nudge) >> shift;
  }

  V32 evenMultiplier_, oddMultiplier_;
  V64 evenShift_, oddShift_, evenNudge_, oddNudge_;
};

using OneRounding = RoundedOnce<false>;
using EvenRounding = RoundedOnce<true>;

} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // AVOCET_HAVE_VECTORS

#endif // AVOCET_KERNELS_LIB_SIMD_RESCALE_INL_H
