//===- EltwiseRow.cpp - Quantized sums and products on vectors ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "eltwise/EltwiseRow.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "eltwise/EltwiseRow.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "simd/Rescale-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {
namespace {

#if AVOCET_HAVE_VECTORS

using firmware::EltwiseKind;

constexpr size_t kLanes = hn::MaxLanes(D32());

/// Elements of type T, all fields of the command as vectors.
template <typename T, class Roundings> struct Context {
  explicit Context(const EltwiseRow &row)
      : a(vectorsOf(row.command.rescaleA)), b(vectorsOf(row.command.rescaleB)),
        output(vectorsOf(row.command.rescaleOutput)) {
    const D32 d;
    zeroA = hn::Set(d, row.command.inputA.zeroPoint);
    zeroB = hn::Set(d, row.command.inputB.zeroPoint);
    zeroOutput = hn::Set(d, row.command.output.zeroPoint);
    leftShift = hn::Set(d, static_cast<int32_t>(row.command.leftShift));
    min = hn::Set(d, row.clamp.min - row.command.output.zeroPoint);
    max = hn::Set(d, row.clamp.max - row.command.output.zeroPoint);
  }

  template <EltwiseKind kind> HWY_INLINE void compute(const T *aIn, const T *bIn, T *out) const {
    const D32 d;
    const hn::Rebind<T, D32> narrow;
    auto x = hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, aIn)), zeroA);
    auto y = hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, bIn)), zeroB);
    V32 value;
    if constexpr (kind == EltwiseKind::Mul) {
      value = hn::Mul(x, y);
    } else {
      x = a.apply(x << leftShift);
      y = b.apply(y << leftShift);
      value = kind == EltwiseKind::Add ? hn::Add(x, y) : hn::Sub(x, y);
    }
    const auto scaled = output.apply(value);
    hn::StoreU(hn::DemoteTo(narrow, hn::Add(hn::Min(hn::Max(scaled, min), max), zeroOutput)), narrow, out);
  }

  Roundings a, b, output;
  V32 zeroA, zeroB, zeroOutput, leftShift, min, max;
};

template <EltwiseKind kind, typename T, class Roundings> void computeKind(const EltwiseRow &row) {
  const Context<T, Roundings> context(row);
  auto a = reinterpret_cast<const T *>(row.a), b = reinterpret_cast<const T *>(row.b);
  auto out = reinterpret_cast<T *>(row.output);
  size_t i = 0;
  for (; i + kLanes <= row.count; i += kLanes)
    context.template compute<kind>(a + i, b + i, out + i);
  if (i == row.count)
    return;
  T lastA[kLanes] = {}, lastB[kLanes] = {}, lastOut[kLanes];
  std::memcpy(lastA, a + i, (row.count - i) * sizeof(T));
  std::memcpy(lastB, b + i, (row.count - i) * sizeof(T));
  context.template compute<kind>(lastA, lastB, lastOut);
  std::memcpy(out + i, lastOut, (row.count - i) * sizeof(T));
}

template <typename T, class Roundings> void computeKinds(const EltwiseRow &row) {
  if (row.command.kind == EltwiseKind::Add)
    return computeKind<EltwiseKind::Add, T, Roundings>(row);
  if (row.command.kind == EltwiseKind::Sub)
    return computeKind<EltwiseKind::Sub, T, Roundings>(row);
  computeKind<EltwiseKind::Mul, T, Roundings>(row);
}

template <typename T> void computeType(const EltwiseRow &row) {
  if (row.command.rounding == firmware::Rounding::Single)
    return computeKinds<T, OneRounding>(row);
  if (row.command.rounding == firmware::Rounding::Even)
    return computeKinds<T, EvenRounding>(row);
  computeKinds<T, TwoRoundings>(row);
}

bool computeRow(const EltwiseRow &row) {
  if (row.command.output.type == firmware::DataType::Int8)
    computeType<int8_t>(row);
  else if (row.command.output.type == firmware::DataType::Int16)
    computeType<int16_t>(row);
  else
    computeType<uint8_t>(row);
  return true;
}

#else

bool computeRow(const EltwiseRow &) { return false; }

#endif // AVOCET_HAVE_VECTORS

} // namespace
} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace avocet::kernels {

HWY_EXPORT(computeRow);

bool computeEltwiseRow(const EltwiseRow &row) {
  const auto saturates = [](const firmware::Rescale &rescale) { return rescale.shift >= kSaturatingShift; };
  const firmware::EltwiseCommand &command = row.command;
  if (saturates(command.rescaleA) || saturates(command.rescaleB) || saturates(command.rescaleOutput))
    return false;
  return HWY_DYNAMIC_DISPATCH(computeRow)(row);
}

} // namespace avocet::kernels

#endif // HWY_ONCE
