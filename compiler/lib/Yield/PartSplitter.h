//===- PartSplitter.h - Commands in the parts of their kernel ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_PARTSPLITTER_H
#define AVOCET_COMPILER_LIB_YIELD_PARTSPLITTER_H

#include "avocet/compiler/Yield/CommandCosts.h"

#include <vector>

namespace avocet::compiler {

/// Splits a command along the axes that its kernel offers (Kernel::part), outermost first, until no piece exceeds the
/// bound or another split would cost more than it gains. A command that its kernel cannot divide stays whole.
std::vector<firmware::CommandBody> splitByParts(CommandCosts &costs, const firmware::CommandBody &command,
                                                uint64_t bound);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_PARTSPLITTER_H
