//===- TypeSet.h - Sets of operand types and the letters for them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SIGNATURES_TYPESET_H
#define AVOCET_HAL_SIGNATURES_TYPESET_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
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

} // namespace avocet::hal

#endif // AVOCET_HAL_SIGNATURES_TYPESET_H
