//===- SubcommandProgram.h - A subcommand as a program ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs that `avocet conformance` and `avocet random` execute. Their help and their messages name the
// subcommand, as those of git's programs do.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_SUBCOMMANDPROGRAM_H
#define AVOCET_VALIDATION_TOOL_SUBCOMMANDPROGRAM_H

#include "Commands.h"
#include "programs/ProgramCommands.h"

namespace avocet::tool {

void addConformanceCommand(CommandLine &app, Action &action);
void addRandomCommand(CommandLine &app, Action &action);

/// The whole program: `add` adds the subcommand, whose options the arguments are. --version and kDescribeOption, alone,
/// are those of the program.
int runSubcommand(int argc, char **argv, const ProgramCommand &command, void (*add)(CommandLine &, Action &));

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_SUBCOMMANDPROGRAM_H
