//===- DataType.h - Element types that the device supports ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_DATATYPE_H
#define AVOCET_FIRMWARE_IFACE_DATATYPE_H

#include <cstdint>
#include <string_view>

namespace avocet::firmware {

/// Element type of a tensor in device memory. The numbers are part of the command encoding and of the model cache.
enum class DataType : uint32_t {
  Int8 = 0,
  UInt8 = 1,
  Int16 = 2,
  Int32 = 3,
  Int64 = 4,
  Float16 = 5,
  Float32 = 6,
  Bool8 = 7, ///< one byte, 0 or 1
  UInt16 = 8,
  BFloat16 = 9, ///< stored, moved and converted (BFloat16.h); no engine computes with it
};
inline constexpr uint32_t kNumDataTypes = 10;

/// Bytes of one element: 1, 2, 4 or 8.
uint32_t sizeOf(DataType type);

/// Short name: "i8", "u8", "i16", "i32", "i64", "f16", "f32", "bool8", "u16", "bf16".
std::string_view toString(DataType type);

inline bool isFloat(DataType type) {
  return type == DataType::Float16 || type == DataType::Float32 || type == DataType::BFloat16;
}

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_DATATYPE_H
