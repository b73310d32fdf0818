//===- OptHelp.h - The --help text of avocet-opt ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_AVOCET_OPT_OPTHELP_H
#define AVOCET_COMPILER_TOOLS_AVOCET_OPT_OPTHELP_H

namespace avocet::compiler {

/// Whether the command line asks for --help.
bool wantsHelp(int argc, char **argv);

/// Prints the options in groups, without those for work on MLIR itself, which --help-hidden has. Then the passes in
/// groups by the dialect on which they work. All options and passes must be registered.
void printHelp();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_AVOCET_OPT_OPTHELP_H
