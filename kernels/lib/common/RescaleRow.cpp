//===- RescaleRow.cpp - Fixed-point scaling of rows -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/RescaleRow.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/RescaleRow.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "simd/Rescale-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

void rescaleAll(const RowRescale &rescale, int32_t *row, size_t count) {
  constexpr size_t kLanes = hn::MaxLanes(D32());
  const D32 d;
  const RescaleVectors above = vectorsOf(rescale.above), below = vectorsOf(rescale.below);
  const auto zeroInput = hn::Set(d, rescale.zeroInput), zeroOutput = hn::Set(d, rescale.zeroOutput);
  // Clamped before the zero point is added, so that the sum cannot overflow.
  const auto low = hn::Set(d, rescale.low - rescale.zeroOutput), high = hn::Set(d, rescale.high - rescale.zeroOutput);
  auto compute = [&](int32_t *at) HWY_ATTR {
    const auto x = hn::Sub(hn::LoadU(d, at), zeroInput);
    const auto isBelow = hn::Lt(x, hn::Zero(d));
    const auto scaled = multiplyByQuantizedMultiplier(x, {hn::IfThenElse(isBelow, below.multiplier, above.multiplier),
                                                          hn::IfThenElse(isBelow, below.left, above.left),
                                                          hn::IfThenElse(isBelow, below.right, above.right)});
    hn::StoreU(hn::Add(hn::Min(hn::Max(scaled, low), high), zeroOutput), d, at);
  };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    compute(row + i);
  if (i == count) // an empty row has no address
    return;
  int32_t last[kLanes] = {};
  std::memcpy(last, row + i, (count - i) * sizeof(int32_t));
  compute(last);
  std::memcpy(row + i, last, (count - i) * sizeof(int32_t));
}

#else

void rescaleAll(const RowRescale &rescale, int32_t *row, size_t count) {
  std::transform(row, row + count, row, rescale);
}

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(rescaleAll);

void rescaleRow(const RowRescale &rescale, int32_t *row, size_t count) {
  // The vector form lacks single rounding, saturating shifts, and the saturation of the product of two smallest
  // numbers.
  const auto isPlain = [](const firmware::Rescale &factor) {
    return factor.multiplier == std::numeric_limits<int32_t>::min() || factor.shift >= kSaturatingShift;
  };
  if (rescale.rounding != firmware::Rounding::Double || isPlain(rescale.above) || isPlain(rescale.below))
    std::transform(row, row + count, row, rescale);
  else
    HWY_DYNAMIC_DISPATCH(rescaleAll)(rescale, row, count);
}

} // namespace avocet::kernels

#endif // HWY_ONCE
