//===- DataType.cpp - Element types the device knows ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/DataType.h"

#include <array>

namespace avocet::firmware {

namespace {
struct Entry {
  std::string_view name;
  uint32_t bytes;
};
constexpr std::array<Entry, kNumDataTypes> kTypes = {{
    {"i8", 1}, {"u8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"f16", 2}, {"f32", 4}, {"bool8", 1}, {"u16", 2},
}};
} // namespace

uint32_t sizeOf(DataType type) { return kTypes[static_cast<uint32_t>(type)].bytes; }

std::string_view toString(DataType type) { return kTypes[static_cast<uint32_t>(type)].name; }

} // namespace avocet::firmware
