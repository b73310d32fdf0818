//===- SplitCommand.h - Long commands in pieces -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine stops between commands only, so a long one is cut into commands that do the same one after the other:
// transfers along their outermost count, at last within a run at whole bursts; commands of the MAC array by rows,
// columns or granules of output channels, at whole blocks where those are short enough, in the way that costs the
// fewest cycles; those of the DSP along the axes that their kernel offers. What cannot be cut stays as it is; README.md
// of lib/Yield has what that is and how long it takes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_YIELD_SPLITCOMMAND_H
#define AVOCET_COMPILER_YIELD_SPLITCOMMAND_H

#include "avocet/compiler/Yield/CommandCosts.h"

#include <cstdint>
#include <vector>

namespace avocet::compiler {

/// The pieces of a command in the order in which they must run; the command alone if it takes at most `bound` cycles or
/// cannot be cut.
std::vector<firmware::CommandBody> splitCommand(CommandCosts &costs, const firmware::CommandBody &command,
                                                uint64_t bound);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_YIELD_SPLITCOMMAND_H
