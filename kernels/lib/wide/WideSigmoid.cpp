//===- WideSigmoid.cpp - Logistic and tanh of 16-bit numbers --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wide/WideSigmoid.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/WideSigmoid.cpp"
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

/// As many numbers as fill whole vectors; returns how many. The products with the multiplier must fit in 32 bits.
size_t computeSome(const WideSigmoidParameters &parameters, const SigmoidTable &table, const int16_t *input,
                   int16_t *output, size_t count) {
  constexpr size_t kLanes = hn::MaxLanes(D32());
  const D32 d;
  const SigmoidForm form = formOf(parameters);
  const auto set = [&](int32_t number) HWY_ATTR { return hn::Set(d, number); };
  const auto half = set(parameters.shift > 0 ? 1 << (parameters.shift - 1) : 0);
  const auto roundUp = set(1 << (form.scaleBits - 1)), roundDown = set((1 << (form.scaleBits - 1)) - 1);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto value = hn::PromoteTo(d, hn::LoadU(D16(), input + i));
    const auto x = hn::Add(hn::Mul(value, set(static_cast<int32_t>(parameters.multiplier))), half) >>
                   set(static_cast<int32_t>(parameters.shift));
    const auto magnitude = hn::Abs(x), index = magnitude >> set(form.bits);
    // An entry and the next one, which follows it in memory.
    const auto pair = hn::GatherOffset(d, reinterpret_cast<const int32_t *>(table.data()),
                                       hn::ShiftLeft<1>(hn::Min(index, set(254))));
    const auto entry = hn::And(pair, set(0xFFFF)), next = hn::And(hn::ShiftRight<16>(pair), set(0xFFFF));
    const auto rest = hn::And(magnitude, set((1 << form.bits) - 1));
    const auto between = hn::Add(entry << set(form.bits), hn::Mul(rest, hn::Sub(next, entry)));
    const auto positive = hn::Sub(hn::IfThenElse(hn::Gt(index, set(254)), set(form.beyond), between), set(form.offset));
    const auto rounded = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Add(hn::Sub(set(form.mirror), positive), roundDown),
                                        hn::Add(positive, roundUp));
    // The results fit, or have the low 16 bits that count.
    const auto result = hn::ShiftRight<16>(hn::ShiftLeft<16>(rounded >> set(form.scaleBits)));
    hn::StoreU(hn::DemoteTo(D16(), result), D16(), output + i);
  }
  return i;
}

#else

size_t computeSome(const WideSigmoidParameters &, const SigmoidTable &, const int16_t *, int16_t *, size_t) {
  return 0;
}

#endif

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(computeSome);

/// logistic(i / 24) in Q0.16. Entries are raised by half of the greatest distance of the function from the chord
/// between two entries, as in the reference: this halves the error of the interpolation.
static SigmoidTable makeTable() {
  constexpr double kStep = 1 / 24.0;
  SigmoidTable table;
  for (size_t i = 0; i < 255; ++i) {
    const double value = 1 / (1 + std::exp(-static_cast<double>(i) * kStep));
    const double secondDerivative = value * (1 - value) * (1 - 2 * value);
    const double distance = -secondDerivative * kStep * kStep / 8;
    table[i] = static_cast<uint16_t>(std::round(65536 * (value + distance / 2)));
  }
  table[255] = 65535;
  return table;
}

static const SigmoidTable &sigmoidTable() {
  static const SigmoidTable kTable = makeTable();
  return kTable;
}

static int64_t interpolate(const SigmoidForm &form, uint64_t position) {
  const SigmoidTable &table = sigmoidTable();
  const uint64_t index = position >> form.bits;
  if (index >= 255)
    return form.beyond;
  const auto rest = static_cast<int64_t>(position & ((uint64_t(1) << form.bits) - 1));
  return (int64_t(table[index]) << form.bits) + rest * (table[index + 1] - table[index]);
}

int16_t wideSigmoid(const WideSigmoidParameters &parameters, int16_t value) {
  const SigmoidForm form = formOf(parameters);
  const int64_t half = parameters.shift > 0 ? int64_t(1) << (parameters.shift - 1) : 0;
  const int64_t x = (value * int64_t(parameters.multiplier) + half) >> parameters.shift;
  const int64_t positive = interpolate(form, static_cast<uint64_t>(std::abs(x))) - form.offset;
  const int64_t round = int64_t(1) << (form.scaleBits - 1);
  return static_cast<int16_t>((x >= 0 ? positive + round : form.mirror - positive + round - 1) >> form.scaleBits);
}

void wideSigmoidRow(const WideSigmoidParameters &parameters, const int16_t *input, int16_t *output, size_t count) {
  const bool narrow = parameters.multiplier <= std::numeric_limits<int16_t>::max() && parameters.shift <= 30;
  const size_t done = narrow ? HWY_DYNAMIC_DISPATCH(computeSome)(parameters, sigmoidTable(), input, output, count) : 0;
  for (size_t i = done; i < count; ++i)
    output[i] = wideSigmoid(parameters, input[i]);
}

} // namespace avocet::kernels

#endif // HWY_ONCE
