//===- Elements.h - Elements by run-time type ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_ELEMENTS_H
#define AVOCET_KERNELS_LIB_COMMON_ELEMENTS_H

#include "avocet/firmware_iface/DataType.h"

#include <cstdint>

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
  return type == firmware::DataType::Float16 ? static_cast<float>(*static_cast<const _Float16 *>(element))
                                             : *static_cast<const float *>(element);
}

inline void storeFloat(firmware::DataType type, void *element, float value) {
  if (type == firmware::DataType::Float16)
    *static_cast<_Float16 *>(element) = static_cast<_Float16>(value);
  else
    *static_cast<float *>(element) = value;
}

/// Calls f with a value-initialised object of the C++ type of an i8, u8, i16, i32, f16 or f32 element; no call for
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

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_ELEMENTS_H
