//===- CommandDescription.h - What a command line accepts -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and subcommands of a CommandLine as plain data, for what is generated from them: completions of shells
// and manual pages.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_COMMANDDESCRIPTION_H
#define AVOCET_BASE_COMMANDDESCRIPTION_H

#include "avocet/base/CommandLine.h"

#include <string>
#include <string_view>
#include <vector>

namespace avocet {

/// An option, or an argument without a name.
struct OptionDescription {
  std::vector<std::string> names;   ///< "-t", "--target"; of an argument: "model"
  std::string value;                ///< as the help shows it: "table|json|none", "N from 1 to 64"; empty: a flag
  std::vector<std::string> choices; ///< all values, if `value` lists them
  std::string help;
  std::string group; ///< heading in the help
  bool isRequired = false;
};

struct CommandDescription {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionDescription> options;
  std::vector<OptionDescription> arguments;
  std::vector<CommandDescription> subcommands;
};

/// Without options that the help leaves out.
CommandDescription describe(const CommandLine &line);

/// The name with the fewest changes from `text`, if they are few enough for a slip; empty: none is close.
std::string_view nearestName(std::string_view text, const std::vector<std::string> &names);

} // namespace avocet

#endif // AVOCET_BASE_COMMANDDESCRIPTION_H
