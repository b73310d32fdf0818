//===- Pattern.h - Lists of operands written in letters ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SIGNATURES_PATTERN_H
#define AVOCET_HAL_SIGNATURES_PATTERN_H

#include "avocet/hal/types/Types.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace avocet::hal {

/// Standard operand types, one bit for each code.
using TypeSet = uint32_t;
constexpr TypeSet setOf(OperandType type) { return TypeSet{1} << static_cast<uint32_t>(type); }
/// Every type, including those of extensions.
inline constexpr TypeSet kAnyType = ~TypeSet{0};

bool contains(TypeSet set, OperandType type);

/// "TENSOR_FLOAT32 or TENSOR_FLOAT16"
std::string namesOf(TypeSet set);

/// The types that `letter` (see Signatures.h) allows with a leading tensor of type `leading`.
TypeSet typesOfLetter(char letter, OperandType leading);

/// The types in a list like "f1 h3", or the level that it gives for one type (0: not in the list).
TypeSet typesInList(std::string_view list);
uint32_t levelInList(std::string_view list, OperandType type);

/// The number of operands that a pattern ("twcI4", "t+I") matches.
struct PatternCount {
  size_t least = 0;
  bool isOpen = false; ///< any number above `least` too
  bool admits(size_t count) const { return isOpen ? count >= least : count == least; }
};
PatternCount countOf(std::string_view pattern);

/// One letter for each of `count` operands; empty if the pattern does not match this count.
std::optional<std::string> expand(std::string_view pattern, size_t count);

/// The letters of the first operands of `count`; a pattern without + or * may match fewer or more operands.
std::string expandPrefix(std::string_view pattern, size_t count);

} // namespace avocet::hal

#endif // AVOCET_HAL_SIGNATURES_PATTERN_H
