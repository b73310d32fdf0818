//===- Stage-inl.h - The output stage on vectors -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Included once per instruction set, so that the guard toggles.
#if defined(AVOCET_KERNELS_LIB_CONV_STAGE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef AVOCET_KERNELS_LIB_CONV_STAGE_INL_H
#undef AVOCET_KERNELS_LIB_CONV_STAGE_INL_H
#else
#define AVOCET_KERNELS_LIB_CONV_STAGE_INL_H
#endif

#include "conv/StageArrays.h"
#include "simd/Rescale-inl.h"

#if AVOCET_HAVE_VECTORS

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {

using DF32 = hn::ScalableTag<float>;
using VF32 = hn::Vec<DF32>;

/// Records of one vector of channels, loaded once for many pixels.
struct RequantVectors {
  RescaleVectors rescale;
  V32 bias, min, max, zeroPoint;

  RequantVectors(const StageArrays &s, size_t channel) {
    const D32 d;
    rescale = {hn::LoadU(d, s.multiplier.data() + channel), hn::LoadU(d, s.left.data() + channel),
               hn::LoadU(d, s.right.data() + channel)};
    bias = hn::LoadU(d, s.bias.data() + channel);
    // Clamped before the zero point is added, so that the sum cannot overflow.
    min = hn::Set(d, s.min - s.zeroPoint);
    max = hn::Set(d, s.max - s.zeroPoint);
    zeroPoint = hn::Set(d, s.zeroPoint);
  }

  HWY_INLINE V32 apply(V32 accumulator) const {
    const auto scaled = multiplyByQuantizedMultiplier(hn::Add(accumulator, bias), rescale);
    return hn::Add(hn::Min(hn::Max(scaled, min), max), zeroPoint);
  }
};

struct FloatVectors {
  VF32 bias, scale, min, max;

  FloatVectors(const StageArrays &s, size_t channel) {
    const DF32 d;
    bias = hn::LoadU(d, s.floatBias.data() + channel);
    scale = hn::LoadU(d, s.floatScale.data() + channel);
    min = hn::Set(d, s.floatMin);
    max = hn::Set(d, s.floatMax);
  }

  /// Uses comparisons instead of Min and Max, whose result for NaN depends on the machine.
  HWY_INLINE VF32 clamp(VF32 value) const {
    const auto raised = hn::IfThenElse(hn::Lt(value, min), min, value);
    return hn::IfThenElse(hn::Lt(max, raised), max, raised);
  }
  HWY_INLINE VF32 apply(VF32 accumulator) const { return clamp(hn::Add(accumulator, bias)); }
  HWY_INLINE VF32 applyDynamic(V32 accumulator) const {
    return clamp(hn::Add(hn::Mul(hn::ConvertTo(DF32(), accumulator), scale), bias));
  }
};

/// Stores the first `count` lanes.
template <class D> HWY_INLINE void storeSome(hn::Vec<D> v, D d, hn::TFromD<D> *out, size_t count) {
  if (HWY_LIKELY(count >= hn::Lanes(d)))
    return hn::StoreU(v, d, out);
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::memcpy(out, lanes, count * sizeof(lanes[0]));
}

/// Stores values that fit as int8 or uint8.
HWY_INLINE void storeBytes(V32 values, bool isSigned, uint8_t *out, size_t count) {
  if (isSigned) {
    const hn::Rebind<int8_t, D32> d8;
    return storeSome(hn::DemoteTo(d8, values), d8, reinterpret_cast<int8_t *>(out), count);
  }
  const hn::Rebind<uint8_t, D32> d8;
  storeSome(hn::DemoteTo(d8, values), d8, out, count);
}

} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // AVOCET_HAVE_VECTORS

#endif // AVOCET_KERNELS_LIB_CONV_STAGE_INL_H
