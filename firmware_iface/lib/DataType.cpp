//===- DataType.cpp - Element types that the device supports ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/DataType.h"
#include "avocet/firmware_iface/Reflection.h"

#include <array>

namespace avocet::firmware {

namespace {
constexpr std::array<uint32_t, kNumDataTypes> kBytes = {1, 1, 2, 4, 8, 2, 4, 1, 2, 2};
} // namespace

uint32_t sizeOf(DataType type) { return kBytes[static_cast<uint32_t>(type)]; }

std::string_view toString(DataType type) { return valueName(type); }

} // namespace avocet::firmware
