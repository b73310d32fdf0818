//===- OutputPiece.h - A command for a part of its output -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_OUTPUTPIECE_H
#define AVOCET_COMPILER_LIB_YIELD_OUTPUTPIECE_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <optional>

namespace avocet::compiler {

enum class Axis { Rows, Columns, Channels };

/// Number of rows, columns or channels of the output of a MAC array command; 0 for commands without an output.
uint32_t outputExtent(const firmware::CommandBody &command, Axis axis);

/// Whether the output of a MAC array command can be divided along an axis into separate commands. Channels: only for
/// dense convolutions with packed weights; pieces must begin at a granule of the weights' layout.
bool canSplit(const firmware::CommandBody &command, Axis axis);

/// The command that makes only [first, first + count) of the output, with the same block. Nullopt if it would read only
/// padding, or if the weights cannot be divided there. Requires canSplit().
std::optional<firmware::CommandBody> pieceOf(const firmware::CommandBody &command, Axis axis, uint32_t first,
                                             uint32_t count);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_OUTPUTPIECE_H
