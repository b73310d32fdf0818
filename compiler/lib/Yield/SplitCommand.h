//===- SplitCommand.h - Long commands in pieces -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine stops only between commands, so a long command is split into commands that do the same work in sequence.
// Transfers are split along their outermost count, at last within a run at whole bursts. MAC array commands are split
// by rows, columns or granules of output channels, in the way that costs the fewest cycles; pieces are whole blocks if
// these are short enough. DSP commands are split along the axes that their kernel offers. Other commands stay whole;
// lib/Yield/README.md lists them with their times.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_SPLITCOMMAND_H
#define AVOCET_COMPILER_LIB_YIELD_SPLITCOMMAND_H

#include "CommandCosts.h"

#include <cstdint>
#include <vector>

namespace avocet::compiler {

/// The pieces of a command in the order in which they must run; the command alone if it takes at most `bound` cycles or
/// cannot be cut.
std::vector<firmware::CommandBody> splitCommand(CommandCosts &costs, const firmware::CommandBody &command,
                                                uint64_t bound);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_SPLITCOMMAND_H
