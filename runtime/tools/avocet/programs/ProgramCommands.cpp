//===- ProgramCommands.cpp - Subcommands that are programs ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramCommands.h"

#include "Commands.h"
#include "DescriptionJson.h"
#include "ProgramAnswer.h"
#include "avocet/base/File.h"
#include "avocet/base/ProgramBeside.h"

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace avocet::tool {
namespace {

constexpr ProgramCommand kProgramCommands[] = {kConformanceProgram, kRandomProgram};

/// A path, or the plain name, which is searched on PATH.
std::string programToStart(const ProgramCommand &command) {
  std::string beside = programBeside(programName(command));
  return ::access(beside.c_str(), F_OK) == 0 ? beside : programName(command);
}

Status notInstalled(const ProgramCommand &command) {
  const std::string name = programName(command);
  return notFound(fmt::format("'avocet {}' is the program {}, which is neither in {} nor on PATH; install Avocet's "
                              "component Validation (cmake --install BUILD --component Validation), or build the "
                              "target {} beside this program",
                              command.name, name, std::filesystem::path(programBeside("")).parent_path().string(),
                              name));
}

/// As the program itself describes them; its name and description remain if it is not installed or too old.
CommandDescription describeProgram(const ProgramCommand &command, CommandDescription known) {
  const ProgramAnswer answer = askProgram({programToStart(command), std::string(kDescribeOption)});
  if (answer.exitCode != 0)
    return known;
  Result<CommandDescription> described = parseDescription(answer.text);
  return described ? std::move(*described) : std::move(known);
}

} // namespace

std::string programName(const ProgramCommand &command) { return std::string("avocet-") + command.name; }

void addProgramCommands(CommandLine &app, Action &) {
  for (const ProgramCommand &command : kProgramCommands)
    app.addSubcommand(command.name, command.description);
}

const ProgramCommand *findProgramCommand(std::string_view name) {
  for (const ProgramCommand &command : kProgramCommands)
    if (name == command.name)
      return &command;
  return nullptr;
}

Status executeProgram(const ProgramCommand &command, char **argv) {
  std::string name = programName(command);
  argv[1] = name.data();
  ::execvp(programToStart(command).c_str(), argv + 1);
  const int error = errno;
  return error == ENOENT ? notInstalled(command) : errnoStatus(error, "cannot start " + programToStart(command));
}

CommandDescription describeWithPrograms(const CommandLine &app) {
  CommandDescription described = describe(app);
  for (CommandDescription &subcommand : described.subcommands)
    if (const ProgramCommand *command = findProgramCommand(subcommand.name))
      subcommand = describeProgram(*command, std::move(subcommand));
  return described;
}

} // namespace avocet::tool
