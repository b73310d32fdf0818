//===- WeightCode.h - Huffman code of weight streams ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_WEIGHTCODE_H
#define AVOCET_FIRMWARE_IFACE_LIB_WEIGHTCODE_H

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::firmware {

inline constexpr uint32_t kLongestCode = 12;
inline constexpr uint32_t kRunClasses = 16;
inline constexpr uint32_t kWideLiterals = 17;

constexpr uint32_t literalsOf(uint32_t elementSize) { return elementSize == 1 ? 256 : kWideLiterals; }
constexpr uint32_t symbolsOf(uint32_t elementSize) { return literalsOf(elementSize) + kRunClasses; }

/// Lengths of the codes for symbols with these frequencies, at most kLongestCode; 0 for symbols that do not occur.
std::vector<uint8_t> codeLengths(std::span<const uint64_t> frequencies);

/// The canonical codes for lengths that form a code.
std::vector<uint16_t> canonicalCodes(std::span<const uint8_t> lengths);

/// Whether each code exists at most once: the lengths do not exceed the code space.
bool formCode(std::span<const uint8_t> lengths);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_WEIGHTCODE_H
