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

/// Rows, columns or channels of the output of a command of the MAC array; 0 for commands without one.
uint32_t outputExtent(const firmware::CommandBody &command, Axis axis);

/// Whether parts of the output of a command of the MAC array along an axis can be made by commands of their own.
/// Channels are those of dense convolutions with packed weights; pieces have to begin at a granule of the weights'
/// layout.
bool canSplit(const firmware::CommandBody &command, Axis axis);

/// The command that makes [first, first + count) of the output only, with the same block. Nothing if that would read
/// padding alone, or cuts the weights where they cannot be cut. Requires canSplit().
std::optional<firmware::CommandBody> pieceOf(const firmware::CommandBody &command, Axis axis, uint32_t first,
                                             uint32_t count);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_OUTPUTPIECE_H
