//===- SubcommandProgram.h - A subcommand as a program ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs that avocet executes for some of its subcommands. Their help and their messages name the subcommand, as
// those of git's programs do.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_SUBCOMMANDPROGRAM_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_SUBCOMMANDPROGRAM_H

#include "Commands.h"
#include "ProgramCommands.h"

namespace avocet::tool {

void addBenchmarkCommand(CommandLine &app, Action &action);
void addBisectCommand(CommandLine &app, Action &action);
void addCalibrateCommand(CommandLine &app, Action &action);
void addCompareCommand(CommandLine &app, Action &action);
void addConformanceCommand(CommandLine &app, Action &action);
void addDevicesCommand(CommandLine &app, Action &action);
void addDoctorCommand(CommandLine &app, Action &action);
void addExplainCommand(CommandLine &app, Action &action);
void addExploreCommand(CommandLine &app, Action &action);
void addGraphCommand(CommandLine &app, Action &action);
void addInspectCommand(CommandLine &app, Action &action);
void addRandomCommand(CommandLine &app, Action &action);
void addReduceCommand(CommandLine &app, Action &action);
void addRemoteRunCommand(CommandLine &app, Action &action);
void addReportCommand(CommandLine &app, Action &action);
void addWhereCommand(CommandLine &app, Action &action);

/// The whole program: `add` adds the subcommand `name` of kProgramCommands, whose options the arguments are. --version
/// and kDescribeOption, alone, are those of the program.
int runSubcommand(int argc, char **argv, std::string_view name, void (*add)(CommandLine &, Action &));

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_SUBCOMMANDPROGRAM_H
