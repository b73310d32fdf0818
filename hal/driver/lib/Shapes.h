//===- Shapes.h - Sizes of operands -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_SHAPES_H
#define AVOCET_HAL_DRIVER_LIB_SHAPES_H

#include "avocet/hal/Types.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace avocet::hal {

bool isScalarType(OperandType type);
/// Whether the rank or an extent is not known.
bool isUnknown(OperandType type, const std::vector<uint32_t> &dimensions);

/// Bytes of an operand whose dimensions are known; nothing if they are not, or do not fit 64 bits.
std::optional<uint64_t> byteSizeOf(OperandType type, const std::vector<uint32_t> &dimensions);

/// What two descriptions of one shape say together (empty: unknown rank, 0: unknown extent); nothing if they disagree.
std::optional<std::vector<uint32_t>> combine(const std::vector<uint32_t> &left, const std::vector<uint32_t> &right);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_SHAPES_H
