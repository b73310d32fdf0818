//===- ProgramAnswer.h - What another program prints ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMANSWER_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMANSWER_H

#include <string>
#include <vector>

namespace avocet::tool {

inline constexpr int kNotInstalled = 127; ///< exit code of the shell

/// The words as a line for the shell, each of them quoted.
std::string shellLine(const std::vector<std::string> &words);

struct ProgramAnswer {
  int exitCode = 0;
  std::string text; ///< both streams, without the last end of line
};

/// Runs a program, by its path or by its name on PATH, and waits for its end.
ProgramAnswer askProgram(const std::vector<std::string> &words);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_PROGRAMANSWER_H
