//===- Commands.h - The subcommands of the avocet program -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each subcommand lives in one file and adds itself to the command line: options, help with examples, and an action
// that is called after parsing. Exit codes: see avocet/base/CommandLine.h.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_H

#include "avocet/base/CommandLine.h"

#include <CLI/CLI.hpp>
#include <functional>

namespace avocet::tool {

/// The action of the chosen subcommand.
using Action = std::function<Status()>;

void addCompileCommand(CLI::App &app, Action &action);
void addRunCommand(CLI::App &app, Action &action);
void addInspectCommand(CLI::App &app, Action &action);
void addGraphCommand(CLI::App &app, Action &action);
void addClassifyCommand(CLI::App &app, Action &action);
void addReplayCommand(CLI::App &app, Action &action);
void addTargetsCommand(CLI::App &app, Action &action);
void addKnobsCommand(CLI::App &app, Action &action);
void addConformanceCommand(CLI::App &app, Action &action);
void addCalibrateCommand(CLI::App &app, Action &action);
void addDevicesCommand(CLI::App &app, Action &action);

/// The program's command line with all subcommands; parsing sets `action`, which must outlive `app`.
void addCommands(CLI::App &app, Action &action);

/// The whole program: parses, runs the action, prints errors, returns the exit code.
int runAvocet(int argc, char **argv);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_H
