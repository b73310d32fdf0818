//===- WideTable.cpp - Interpolated tables of 16-bit functions ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/WideTable.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/WideTable.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "hwy/highway.h"
#include "simd/Targets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

// Other machines have no loads of scattered elements.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<int32_t>;
using D16 = hn::Rebind<int16_t, D32>;

void lookUpAll(const int16_t *table, const int16_t *input, int16_t *output, size_t count) {
  constexpr size_t kLanes = hn::MaxLanes(D32());
  const D32 d;
  const auto low16 = [&](auto v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto value = hn::PromoteTo(d, hn::LoadU(D16(), input + i));
    const auto index = hn::Add(hn::ShiftRight<7>(value), hn::Set(d, 256)), offset = hn::And(value, hn::Set(d, 127));
    // A sample and the next one, which follows it in memory.
    const auto pair = hn::GatherOffset(d, reinterpret_cast<const int32_t *>(table), hn::ShiftLeft<1>(index));
    const auto sample = low16(pair), slope = low16(hn::Sub(hn::ShiftRight<16>(pair), sample));
    const auto rise = hn::ShiftRight<7>(hn::Add(hn::Mul(slope, offset), hn::Set(d, 64)));
    hn::StoreU(hn::DemoteTo(D16(), low16(hn::Add(sample, rise))), D16(), output + i);
  }
  for (; i < count; ++i)
    output[i] = lookUp(table, input[i]);
}

#else

void lookUpAll(const int16_t *table, const int16_t *input, int16_t *output, size_t count) {
  for (size_t i = 0; i < count; ++i)
    output[i] = lookUp(table, input[i]);
}

#endif

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(lookUpAll);

void lookUpRow(const WideTable &table, const int16_t *input, int16_t *output, size_t count) {
  HWY_DYNAMIC_DISPATCH(lookUpAll)(table.data(), input, output, count);
}

} // namespace avocet::kernels

#endif // HWY_ONCE
