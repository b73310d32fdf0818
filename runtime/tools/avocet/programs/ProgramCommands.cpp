//===- ProgramCommands.cpp - Subcommands that are programs ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramCommands.h"

#include "Commands.h"
#include "ProgramAnswer.h"
#include "avocet/base/File.h"
#include "avocet/base/ProgramBeside.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace avocet {

// The library finds these by the namespace of the structs.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptionDescription, names, value, choices, help, group, isRequired)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CommandDescription, name, description, footer, options, arguments)

} // namespace avocet

namespace avocet::tool {

std::string describeJson(const CommandDescription &command) { return nlohmann::json(command).dump() + "\n"; }

Result<CommandDescription> parseDescription(const std::string &text) {
  try {
    return nlohmann::json::parse(text).get<CommandDescription>();
  } catch (const nlohmann::json::exception &error) {
    return dataLoss(fmt::format("no description of options: {}", error.what()));
  }
}

namespace {

/// A path, or the plain name, which is searched on PATH.
std::string programToStart(const ProgramCommand &command) {
  std::string beside = programBeside(programName(command));
  return ::access(beside.c_str(), F_OK) == 0 ? beside : programName(command);
}

Status notInstalled(const ProgramCommand &command) {
  const std::string name = programName(command);
  return notFound(fmt::format("'avocet {0}' is the program {1}, which is neither in {2} nor on PATH; install Avocet's "
                              "component {3} (cmake --install BUILD --component {3}), or build the "
                              "target {1} beside this program",
                              command.name, name, std::filesystem::path(programBeside("")).parent_path().string(),
                              command.component));
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

std::string programName(const ProgramCommand &command) {
  return command.program != nullptr ? command.program : std::string("avocet-") + command.name;
}

const ProgramCommand *programFor(std::span<char *const> arguments) {
  const ProgramCommand *const command = arguments.size() > 1 ? findProgramCommand(arguments[1]) : nullptr;
  if (command == nullptr || command->options.empty())
    return command;
  const bool needsIt = std::ranges::any_of(arguments.subspan(2), [&](std::string_view argument) {
    const std::string_view name = argument.substr(0, argument.find('='));
    return std::ranges::find(command->options, name) != command->options.end();
  });
  return needsIt ? command : nullptr;
}

CommandLine addSubcommandOf(CommandLine &app, std::string_view name) {
  const ProgramCommand &command = *findProgramCommand(name);
  return app.addSubcommand(command.name, command.description);
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
    if (const ProgramCommand *command = findProgramCommand(subcommand.name); command && command->options.empty())
      subcommand = describeProgram(*command, std::move(subcommand));
  return described;
}

} // namespace avocet::tool
