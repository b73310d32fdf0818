//===- HalfFloat.cpp - Conversion between f16 and f32 ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "simd/HalfFloat.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/HalfFloat.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "hwy/highway.h"
#include "simd/Targets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

// Highway's emulation on older machines truncates, and lacks NaNs.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

namespace hn = hwy::HWY_NAMESPACE;

using DF32 = hn::ScalableTag<float>;
using DF16 = hn::Rebind<hwy::float16_t, DF32>;

constexpr size_t kLanes = hn::MaxLanes(DF32());

/// Calls convert(from, to) for each vector of elements; the last one may be a copy.
template <typename From, typename To, typename F>
HWY_INLINE void convertRow(const From *from, To *to, size_t count, F &&convert) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    convert(from + i, to + i);
  if (i == count)
    return;
  From last[kLanes] = {};
  To results[kLanes];
  std::memcpy(last, from + i, (count - i) * sizeof(From));
  convert(last, results);
  std::memcpy(to + i, results, (count - i) * sizeof(To));
}

void widen(const _Float16 *from, float *to, size_t count) {
  convertRow(from, to, count, [](const _Float16 *in, float *out) HWY_ATTR {
    hn::StoreU(hn::PromoteTo(DF32(), hn::LoadU(DF16(), reinterpret_cast<const hwy::float16_t *>(in))), DF32(), out);
  });
}

void narrow(const float *from, _Float16 *to, size_t count) {
  convertRow(from, to, count, [](const float *in, _Float16 *out) HWY_ATTR {
    hn::StoreU(hn::DemoteTo(DF16(), hn::LoadU(DF32(), in)), DF16(), reinterpret_cast<hwy::float16_t *>(out));
  });
}

#else

void widen(const _Float16 *from, float *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(from[i]);
}

void narrow(const float *from, _Float16 *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<_Float16>(from[i]);
}

#endif

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(widen);
HWY_EXPORT(narrow);

void widenHalves(const _Float16 *from, float *to, size_t count) { HWY_DYNAMIC_DISPATCH(widen)(from, to, count); }
void narrowFloats(const float *from, _Float16 *to, size_t count) { HWY_DYNAMIC_DISPATCH(narrow)(from, to, count); }

} // namespace avocet::kernels

#endif // HWY_ONCE
