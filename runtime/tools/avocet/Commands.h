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
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_H

#include "avocet/base/CommandLine.h"

#include <functional>

namespace avocet::tool {

/// Helps of -t,--target: of commands in general, of those that compile, and of those that also run artefacts.
inline constexpr const char *kTargetHelp = "Device: a name from 'avocet targets' or a target file";
inline constexpr const char *kCompileTargetHelp =
    "Device: a name from 'avocet targets' or a target file; default: e256";
inline constexpr const char *kRunTargetHelp =
    "Device: a name from 'avocet targets' or a target file; default: the artefacts' own, or e256";

/// Where the descriptions of a help begin.
inline constexpr size_t kHelpColumn = 34;

/// The action of the chosen subcommand.
using Action = std::function<Status()>;

void addCompileCommand(CommandLine &app, Action &action);
void addRunCommand(CommandLine &app, Action &action);
void addClassifyCommand(CommandLine &app, Action &action);
void addReplayCommand(CommandLine &app, Action &action);
void addTargetsCommand(CommandLine &app, Action &action);
void addKnobsCommand(CommandLine &app, Action &action);
void addCompletionCommand(CommandLine &app, Action &action);

/// Adds --wide, which tables on the standard output obey.
void addWideOption(CommandLine &command);

/// Adds --trust-data, for commands that run artefacts (cache::DataCheck).
void addTrustDataOption(CommandLine &command, bool &trustData);

/// The program's command line with all subcommands; parsing sets `action`, which must outlive `app`.
void addCommands(CommandLine &app, Action &action);

/// The whole program: parses, runs the action, prints errors, returns the exit code.
int runAvocet(int argc, char **argv);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_H
