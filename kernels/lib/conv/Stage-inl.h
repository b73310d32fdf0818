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

#include <algorithm>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {

using DF32 = hn::ScalableTag<float>;
using VF32 = hn::Vec<DF32>;

HWY_INLINE RescaleVectors rescaleVectors(const StageArrays &s, size_t channel) {
  const D32 d;
  return {hn::LoadU(d, s.multiplier.data() + channel), hn::LoadU(d, s.left.data() + channel),
          hn::LoadU(d, s.right.data() + channel)};
}

/// Records of one vector of channels, loaded once for many pixels.
template <class Roundings> struct RequantVectors {
  Roundings rescale;
  V32 bias, min, max, zeroPoint;

  RequantVectors(const StageArrays &s, size_t channel) : rescale(rescaleVectors(s, channel)) {
    const D32 d;
    bias = hn::LoadU(d, s.bias.data() + channel);
    // Clamped before the zero point is added, so that the sum cannot overflow.
    min = hn::Set(d, s.min - s.zeroPoint);
    max = hn::Set(d, s.max - s.zeroPoint);
    zeroPoint = hn::Set(d, s.zeroPoint);
  }

  HWY_INLINE V32 apply(V32 accumulator) const {
    const auto scaled = rescale.apply(hn::Add(accumulator, bias));
    return hn::Add(hn::Min(hn::Max(scaled, min), max), zeroPoint);
  }
};

using D64 = hn::RepartitionToWide<D32>;
using V64 = hn::Vec<D64>;

/// 64-bit sums of one vector of channels, in two halves.
struct WideSums {
  V64 lower, upper;

  HWY_INLINE static WideSums of(V32 sums) {
    const D64 d;
    const hn::Half<D32> half;
    return {hn::PromoteTo(d, hn::LowerHalf(half, sums)), hn::PromoteTo(d, hn::UpperHalf(half, sums))};
  }
  HWY_INLINE void add(V32 sums) {
    const WideSums wide = of(sums);
    lower = hn::Add(lower, wide.lower);
    upper = hn::Add(upper, wide.upper);
  }
};

/// Records of RequantizeWide of one half of a vector of channels.
struct WideHalf {
  V64 bias, multiplier, nudge, shift;

  WideHalf(const StageArrays &s, size_t channel) {
    const D64 d;
    bias = hn::LoadU(d, s.wideBias.data() + channel);
    multiplier = hn::LoadU(d, s.wideMultiplier.data() + channel);
    nudge = hn::LoadU(d, s.wideNudge.data() + channel);
    shift = hn::LoadU(d, s.wideShift.data() + channel);
  }

  /// The low 32 bits of each number count.
  HWY_INLINE V32 apply(V64 sums) const {
    const D64 d;
    const hn::RepartitionToNarrow<hn::RebindToUnsigned<D64>> du32;
    const auto x = hn::Add(sums, bias), high = hn::BitCast(d, hn::ShiftRight<32>(x));
    // The low 64 bits of a product with a number of 16 bits, modulo 2^64.
    const auto factor = hn::BitCast(du32, multiplier);
    const auto low = hn::BitCast(d, hn::MulEven(hn::BitCast(du32, x), factor));
    const auto rest = hn::BitCast(d, hn::MulEven(hn::BitCast(du32, high), factor));
    return hn::BitCast(D32(), hn::Add(hn::Add(low, hn::ShiftLeft<32>(rest)), nudge) >> shift);
  }
};

struct WideRequantVectors {
  WideHalf lower, upper;
  V32 min, max, zeroPoint;

  WideRequantVectors(const StageArrays &s, size_t channel)
      : lower(s, channel), upper(s, channel + hn::MaxLanes(D64())) {
    const D32 d;
    min = hn::Set(d, s.min - s.zeroPoint);
    max = hn::Set(d, s.max - s.zeroPoint);
    zeroPoint = hn::Set(d, s.zeroPoint);
  }

  HWY_INLINE V32 apply(WideSums sums) const {
    const auto scaled = hn::ConcatEven(D32(), upper.apply(sums.upper), lower.apply(sums.lower));
    return hn::Add(hn::Min(hn::Max(scaled, min), max), zeroPoint);
  }
  HWY_INLINE V32 apply(V32 sums) const { return apply(WideSums::of(sums)); }
};

template <class D = DF32> struct FloatVectors {
  using V = hn::Vec<D>;
  V bias, scale, min, max;

  FloatVectors(const StageArrays &s, size_t channel) {
    const D d;
    bias = hn::LoadU(d, s.floatBias.data() + channel);
    scale = hn::LoadU(d, s.floatScale.data() + channel);
    min = hn::Set(d, s.floatMin);
    max = hn::Set(d, s.floatMax);
  }

  /// Uses comparisons instead of Min and Max, whose result for NaN depends on the machine.
  HWY_INLINE V clamp(V value) const {
    const auto raised = hn::IfThenElse(hn::Lt(value, min), min, value);
    return hn::IfThenElse(hn::Lt(max, raised), max, raised);
  }
  HWY_INLINE V apply(V accumulator) const { return clamp(hn::Add(accumulator, bias)); }
  HWY_INLINE V applyDynamic(hn::Vec<hn::Rebind<int32_t, D>> accumulator) const {
    return clamp(hn::Add(hn::Mul(hn::ConvertTo(D(), accumulator), scale), bias));
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

/// Stores values that fit as int8, uint8 or int16.
HWY_INLINE void storeNarrow(V32 values, firmware::DataType type, uint8_t *out, size_t count) {
  if (type == firmware::DataType::Int16) {
    const hn::Rebind<int16_t, D32> d16;
    return storeSome(hn::DemoteTo(d16, values), d16, reinterpret_cast<int16_t *>(out), count);
  }
  if (type == firmware::DataType::Int8) {
    const hn::Rebind<int8_t, D32> d8;
    return storeSome(hn::DemoteTo(d8, values), d8, reinterpret_cast<int8_t *>(out), count);
  }
  const hn::Rebind<uint8_t, D32> d8;
  storeSome(hn::DemoteTo(d8, values), d8, out, count);
}

/// Output stages by scaling, for one vector of channels.
template <class Vectors> struct IntegerStore {
  Vectors vectors;
  const StageArrays &stage;
  IntegerStore(const StageArrays &s, size_t channel) : vectors(s, channel), stage(s) {}
  template <class Sum> HWY_INLINE void operator()(Sum sum, uint8_t *pixel, size_t channel, size_t count) const {
    const size_t size = stage.outputType == firmware::DataType::Int16 ? 2 : 1;
    storeNarrow(vectors.apply(sum), stage.outputType, pixel + channel * size, count);
    if (HWY_UNLIKELY(stage.table != nullptr))
      for (size_t i = channel; i < channel + count; ++i)
        pixel[i] = stage.table[pixel[i]];
  }
};

using RequantStore = IntegerStore<RequantVectors<TwoRoundings>>;
using SingleStore = IntegerStore<RequantVectors<OneRounding>>;
using EvenStore = IntegerStore<RequantVectors<EvenRounding>>;
using WideStore = IntegerStore<WideRequantVectors>;

/// 32-bit sums as they are.
struct SumsStore {
  V32 bias, min, max;
  SumsStore(const StageArrays &s, size_t channel) {
    const D32 d;
    bias = hn::LoadU(d, s.bias.data() + channel);
    min = hn::Set(d, s.min);
    max = hn::Set(d, s.max);
  }
  HWY_INLINE void operator()(V32 sum, uint8_t *pixel, size_t channel, size_t count) const {
    const auto value = hn::Min(hn::Max(hn::Add(sum, bias), min), max);
    storeSome(value, D32(), reinterpret_cast<int32_t *>(pixel) + channel, count);
  }
};

/// 64-bit sums as they are.
struct WideSumsStore {
  static constexpr size_t kHalf = hn::MaxLanes(D64());
  V64 lower, upper;
  WideSumsStore(const StageArrays &s, size_t channel) {
    lower = hn::LoadU(D64(), s.wideBias.data() + channel);
    upper = hn::LoadU(D64(), s.wideBias.data() + channel + kHalf);
  }
  HWY_INLINE void operator()(WideSums sums, uint8_t *pixel, size_t channel, size_t count) const {
    auto *out = reinterpret_cast<int64_t *>(pixel) + channel;
    storeSome(hn::Add(sums.lower, lower), D64(), out, std::min(count, kHalf));
    if (count > kHalf)
      storeSome(hn::Add(sums.upper, upper), D64(), out + kHalf, count - kHalf);
  }
};

/// The types of sums that a store takes.
template <class Store>
constexpr bool kTakesWideSums = std::is_same_v<Store, WideStore> || std::is_same_v<Store, WideSumsStore>;

struct DynamicStore {
  FloatVectors<> vectors;
  DynamicStore(const StageArrays &s, size_t channel) : vectors(s, channel) {}
  HWY_INLINE void operator()(V32 sum, uint8_t *pixel, size_t channel, size_t count) const {
    storeSome(vectors.applyDynamic(sum), DF32(), reinterpret_cast<float *>(pixel) + channel, count);
  }
};

/// Calls f with a null pointer to the store of 32-bit sums that a stage needs. Float has none.
template <class F> HWY_INLINE void withStore(const StageArrays &stage, F &&f) {
  if (stage.scaling == firmware::OutputScaling::Dynamic)
    f(static_cast<DynamicStore *>(nullptr));
  else if (stage.scaling == firmware::OutputScaling::Sums)
    f(static_cast<SumsStore *>(nullptr));
  else if (stage.rounding == firmware::Rounding::Single)
    f(static_cast<SingleStore *>(nullptr));
  else if (stage.rounding == firmware::Rounding::Even)
    f(static_cast<EvenStore *>(nullptr));
  else
    f(static_cast<RequantStore *>(nullptr));
}

} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // AVOCET_HAVE_VECTORS

#endif // AVOCET_KERNELS_LIB_CONV_STAGE_INL_H
