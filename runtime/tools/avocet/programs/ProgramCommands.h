//===- ProgramCommands.h - Subcommands that are programs --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `avocet benchmark` executes the program avocet-benchmark, as git does: the one beside this program, else the one on
// PATH. So this program contains none of it, is built without it, and can be installed without it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMCOMMANDS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMCOMMANDS_H

#include "avocet/base/CommandDescription.h"

#include <span>
#include <string>
#include <string_view>

namespace avocet::tool {

/// A command without subcommands, for parseDescription() in another program.
std::string describeJson(const CommandDescription &command);

/// DataLoss: the text is no such description.
Result<CommandDescription> parseDescription(const std::string &text);

/// A subcommand that is a program of its own.
struct ProgramCommand {
  const char *name; ///< of the subcommand
  const char *description;
  const char *component; ///< of Avocet's installation, which contains the program
  /// Not empty: `avocet` does the subcommand itself, unless it gets one of these options.
  std::span<const std::string_view> options = {};
  const char *program = nullptr; ///< its name; null: "avocet-" and that of the subcommand
};

/// Runs outside this process need the whole HAL.
inline constexpr std::string_view kRemoteRunOptions[] = {"--device", "--through"};

/// To add one, add a row, name it in Commands.cpp where the help should list it, and declare the program with
/// avocet_subcommand() (scripts/cmake).
inline constexpr ProgramCommand kProgramCommands[] = {
    {"benchmark", "Measure latency and accuracy of networks against the CPU device", "Runtime"},
    {"bisect", "Find the option, pass or version of the compiler that changes a result", "Runtime"},
    {"calibrate", "Measure the performance figures of a target that the NN HAL reports", "Validation"},
    {"compare", "Compare every tensor of a run with an oracle", "Runtime"},
    {"conformance", "Run test vectors with known results through the driver", "Validation"},
    {"devices", "List the devices that driver services offer", "Runtime"},
    {"doctor", "Check what programs of Avocet need on this machine, and say what to do", "Runtime"},
    {"explain", "Explain why a network or a layer takes its time", "Runtime"},
    {"explore", "Compare networks on many targets: cycles, energy, memories", "Runtime"},
    {"graph", "Show an NNAPI model as a graph, or the HAL versions that express it", "Runtime"},
    {"inspect", "Show what artefacts hold", "Runtime"},
    {"random", "Run random graphs on a device and compare with the CPU", "Validation"},
    {"reduce", "Shrink a model while a command on it ends in the same way", "Runtime", {}, "avocet-reduce-model"},
    {"report", "Write an HTML page about a model's run, or compare two runs", "Runtime"},
    {"run", "Run a model once and report what the device did", "Runtime", kRemoteRunOptions},
    {"where", "Show where a cycle, command or byte comes from in the model", "Runtime"},
};

/// The only argument with which such a program prints its options as describeJson() and does nothing else.
inline constexpr std::string_view kDescribeOption = "--describe-options";

/// Adds a subcommand of kProgramCommands, without its options.
CommandLine addSubcommandOf(CommandLine &app, std::string_view name);

std::string programName(const ProgramCommand &command);

/// Null: no subcommand of this name is a program of its own.
constexpr const ProgramCommand *findProgramCommand(std::string_view name) {
  for (const ProgramCommand &command : kProgramCommands)
    if (name == command.name)
      return &command;
  return nullptr;
}

/// The program that the arguments of `avocet` need. Null: `avocet` itself.
const ProgramCommand *programFor(std::span<char *const> arguments);

/// Replaces this process by the program of `command`; `argv` is that of this process, in which the name of the
/// subcommand comes first. Returns only an error. NotFound: the program is not installed.
Status executeProgram(const ProgramCommand &command, char **argv);

/// As describe(), with the options of the programs that are installed.
CommandDescription describeWithPrograms(const CommandLine &app);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMCOMMANDS_H
