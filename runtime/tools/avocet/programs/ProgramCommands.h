//===- ProgramCommands.h - Subcommands that are programs --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `avocet conformance` executes the program avocet-conformance, as git does: the one beside this program, else the one
// on PATH. So this program contains none of it, and it is installed where it is wanted (tests/validation).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMCOMMANDS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMCOMMANDS_H

#include "avocet/base/CommandDescription.h"

#include <string>
#include <string_view>

namespace avocet::tool {

struct ProgramCommand {
  const char *name; ///< of the subcommand
  const char *description;
};
inline constexpr ProgramCommand kConformanceProgram = {"conformance",
                                                       "Run test vectors with known results through the driver"};
inline constexpr ProgramCommand kRandomProgram = {"random", "Run random graphs on a device and compare with the CPU"};

/// The only argument with which such a program prints its options as describeJson() and does nothing else.
inline constexpr std::string_view kDescribeOption = "--describe-options";

/// "avocet-conformance".
std::string programName(const ProgramCommand &command);

/// Null: no program has this name.
const ProgramCommand *findProgramCommand(std::string_view name);

/// Replaces this process by the program of `command`; `argv` is that of this process, in which the name of the
/// subcommand comes first. Returns only an error. NotFound: the program is not installed.
Status executeProgram(const ProgramCommand &command, char **argv);

/// As describe(), with the options of the programs that are installed.
CommandDescription describeWithPrograms(const CommandLine &app);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMCOMMANDS_H
