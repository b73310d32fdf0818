//===- Elements.h - Elements by run-time type -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maxima and minima in every kernel. Clamps need no function of their own: std::min(std::max(x, low), high) keeps an x
// that is NaN.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_ELEMENTS_H
#define AVOCET_KERNELS_LIB_COMMON_ELEMENTS_H

#include "avocet/firmware_iface/DataType.h"
#include "common/Computed.h"
#include "common/FeatureMapView.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace avocet::kernels {

/// An integer element (8, 16 or 32 bits); 0 for other types.
inline int32_t loadInteger(firmware::DataType type, const void *element) {
  switch (type) {
  case firmware::DataType::Int8:
    return *static_cast<const int8_t *>(element);
  case firmware::DataType::UInt8:
  case firmware::DataType::Bool8:
    return *static_cast<const uint8_t *>(element);
  case firmware::DataType::Int16:
    return *static_cast<const int16_t *>(element);
  case firmware::DataType::UInt16:
    return *static_cast<const uint16_t *>(element);
  case firmware::DataType::Int32:
    return *static_cast<const int32_t *>(element);
  default:
    return 0;
  }
}

/// Stores the low bits of a value that fits the type.
inline void storeInteger(firmware::DataType type, void *element, int32_t value) {
  switch (firmware::sizeOf(type)) {
  case 1:
    *static_cast<uint8_t *>(element) = static_cast<uint8_t>(value);
    break;
  case 2:
    *static_cast<uint16_t *>(element) = static_cast<uint16_t>(value);
    break;
  default:
    *static_cast<int32_t *>(element) = value;
    break;
  }
}

/// A float element of 16 or 32 bits.
inline float loadFloat(firmware::DataType type, const void *element) {
  if (type == firmware::DataType::BFloat16)
    return static_cast<float>(*static_cast<const firmware::BFloat16 *>(element));
  return type == firmware::DataType::Float16 ? static_cast<float>(*static_cast<const _Float16 *>(element))
                                             : *static_cast<const float *>(element);
}

inline void storeFloat(firmware::DataType type, void *element, float value) {
  if (type == firmware::DataType::Float16)
    *static_cast<_Float16 *>(element) = static_cast<_Float16>(value);
  else if (type == firmware::DataType::BFloat16)
    *static_cast<firmware::BFloat16 *>(element) = firmware::BFloat16(value);
  else
    *static_cast<float *>(element) = value;
}

/// Calls f with a value-initialized object of the C++ type of an i8, u8, i16, i32, f16 or f32 element; no call for
/// other types.
template <typename F> void withElementType(firmware::DataType type, F &&f) {
  switch (type) {
  case firmware::DataType::Int8:
    return f(int8_t());
  case firmware::DataType::UInt8:
    return f(uint8_t());
  case firmware::DataType::Int16:
    return f(int16_t());
  case firmware::DataType::Int32:
    return f(int32_t());
  case firmware::DataType::Float16:
    return f(_Float16());
  case firmware::DataType::Float32:
    return f(float());
  default:
    return;
  }
}

/// The same for every type of numbers: also u16 and i64.
template <typename F> void withNumberType(firmware::DataType type, F &&f) {
  if (type == firmware::DataType::UInt16)
    return f(uint16_t());
  if (type == firmware::DataType::Int64)
    return f(int64_t());
  withElementType(type, f);
}

/// Whether the pixels of a row follow each other without gaps.
inline bool hasDenseRows(const firmware::FeatureMap &map) { return map.pixelStride == map.channels * sizeOf(map.type); }

template <typename In, typename Out>
using ElementRun = std::function<void(const Computed<In> *from, Computed<Out> *to, size_t count)>;

/// Calls `compute` with runs of elements at the same places of windows of the same shape. A template of the types
/// alone: there are many functions of elements, and each needs only its inner loop.
template <typename In, typename Out>
void forEachRun(const firmware::FeatureMap &input, const firmware::FeatureMap &output, std::span<uint8_t> sram,
                const ElementRun<In, Out> &compute) {
  FeatureMapView<In> in(input, sram);
  FeatureMapView<Out> out(output, sram);
  const bool dense = hasDenseRows(input) && hasDenseRows(output);
  const uint32_t runs = dense ? 1 : in.width();
  const size_t count = size_t(in.channels()) * (dense ? in.width() : 1), most = computedRun<In, Out>(count);
  ComputedInput<In> computedIn;
  ComputedOutput<Out> computedOut;
  for (uint32_t y = 0; y < in.height(); ++y)
    for (uint32_t x = 0; x < runs; ++x)
      for (size_t first = 0; first < count; first += most) {
        const size_t some = std::min(most, count - first);
        Out *to = out.pixel(y, x) + first;
        compute(computedIn.read(in.pixel(y, x) + first, some), computedOut.begin(to, some), some);
        computedOut.store(to, some);
      }
}

/// output(y, x, c) = f(input(y, x, c)) over windows of the same shape, in the computing types.
template <typename In, typename Out, typename F>
void forEachElement(const firmware::FeatureMap &input, const firmware::FeatureMap &output, std::span<uint8_t> sram,
                    F &&f) {
  forEachRun<In, Out>(input, output, sram, [&f](const Computed<In> *from, Computed<Out> *to, size_t count) {
    for (size_t i = 0; i < count; ++i)
      to[i] = f(from[i]);
  });
}

/// Whether a number is NaN; vector code comes from it.
template <typename T> constexpr bool isNan([[maybe_unused]] T x) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return x != x;
}

/// NaN if one of them is NaN; `b` if they are equal.
template <typename T> constexpr T largerOf(T a, T b) { return a > b || isNan(a) ? a : b; }
template <typename T> constexpr T smallerOf(T a, T b) { return a < b || isNan(a) ? a : b; }

/// First value of a maximum, which every element replaces.
template <typename T> constexpr T least() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::min();
}

/// First value of a minimum.
template <typename T> constexpr T most() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_ELEMENTS_H
