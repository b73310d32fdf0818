//===- SubcommandProgram.cpp - A subcommand as a program --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SubcommandProgram.h"

#include "ProgramCommands.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/runtime/LinkedBackends.h"

#include <vector>

namespace avocet::tool {
namespace {

int printDescription(const CommandLine &app) {
  prepareStandardStreams();
  printOut("{}", describeJson(describe(app).subcommands.front()));
  return finishStandardOutput().isOk() ? kExitOk : kExitFailed;
}

} // namespace

int runSubcommand(int argc, char **argv, std::string_view name, void (*add)(CommandLine &, Action &)) {
  const ProgramCommand &command = *findProgramCommand(name);
  runtime::registerLinkedBackends();
  const std::string_view only = argc == 2 ? argv[1] : "";
  CommandLine app(command.description, only == "--version" ? programName(command) : "avocet");
  Action action;
  app.requireSubcommand();
  app.setHelpColumn(kHelpColumn);
  add(app, action);
  if (only == kDescribeOption)
    return printDescription(app);
  std::vector<const char *> words(argv, argv + argc);
  if (argc > 0 && only != "--version")
    words.insert(words.begin() + 1, command.name);
  return runProgram(app, static_cast<int>(words.size()), words.data(), [&action] { return action(); });
}

} // namespace avocet::tool
