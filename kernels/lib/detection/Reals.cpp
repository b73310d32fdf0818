//===- Reals.cpp - Operands as real numbers -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "detection/Reals.h"

#include "common/Elements.h"
#include "common/Rounding.h"

#include <algorithm>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

namespace {

template <typename T> constexpr bool kIsReal = std::is_same_v<T, float> || std::is_same_v<T, _Float16>;

template <typename F> void withRealType(DataType type, F &&f) {
  if (type == DataType::UInt16)
    return f(uint16_t());
  withElementType(type, f);
}

template <typename T> T fromReal(float value, float scale, int32_t zeroPoint) {
  if constexpr (kIsReal<T>) {
    return static_cast<T>(value);
  } else {
    constexpr int32_t kBias = std::is_same_v<T, int8_t> ? 128 : 0;
    const int32_t rounded = roundToInteger(value / scale + static_cast<float>(zeroPoint + kBias)) - kBias;
    return static_cast<T>(std::clamp<int32_t>(rounded, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}

} // namespace

Status checkPositive(std::string_view name, float value) {
  if (std::isfinite(value) && value > 0)
    return Status::ok();
  return invalidArgument(std::string(name) + " is " + std::to_string(value) + ", must be positive");
}

Status checkReals(std::string_view name, const FeatureMap &map, float scale, std::initializer_list<uint64_t> shape) {
  AVOCET_RETURN_IF_ERROR(checkType(
      name, map.type,
      {DataType::Float32, DataType::Float16, DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16}));
  AVOCET_RETURN_IF_ERROR(checkPositive(std::string(name) + ".scale", scale));
  return checkDenseCount(name, map, shape);
}

Status checkIndices(std::string_view name, const FeatureMap &map, std::initializer_list<uint64_t> shape) {
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {DataType::Int32}));
  return checkDenseCount(name, map, shape);
}

std::vector<float> readReals(const FeatureMap &map, float scale, std::span<uint8_t> sram) {
  std::vector<float> reals(elementCount(map));
  withRealType(map.type, [&](auto element) {
    using T = decltype(element);
    const T *from = denseData<T>(map, sram);
    for (float &real : reals)
      if constexpr (kIsReal<T>)
        real = static_cast<float>(*from++);
      else
        real = static_cast<float>(*from++ - map.zeroPoint) * scale;
  });
  return reals;
}

void writeReals(const FeatureMap &map, float scale, std::span<const float> values, std::span<uint8_t> sram) {
  withRealType(map.type, [&](auto element) {
    using T = decltype(element);
    T *to = denseData<T>(map, sram);
    for (float value : values)
      *to++ = fromReal<T>(value, scale, map.zeroPoint);
  });
}

} // namespace avocet::kernels
