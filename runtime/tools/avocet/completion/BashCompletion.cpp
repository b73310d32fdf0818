//===- BashCompletion.cpp - Completion for bash ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Completion.h"

#include "avocet/firmware_iface/Target.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace avocet::tool {
namespace {

/// bash divides "--report=json" at the "=", which it gives as a word of its own.
constexpr const char *kHead = R"(# Completion of avocet for bash; written by 'avocet completion bash'.
_avocet() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= options= words= i
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      command=${{COMP_WORDS[i]}}
      break
    fi
  done
  COMPREPLY=()
  case $command in
)";

/// Without COMPREPLY, "-o default" completes names of files.
constexpr const char *kTail = R"(  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o default -F _avocet avocet
)";

std::string valuesCase(const OptionDescription &option) {
  const std::string pattern = fmt::to_string(fmt::join(option.names, "|"));
  if (option.value.empty())
    return "";
  const std::vector<std::string> named = namedValues(option);
  const auto &words = named.empty() ? option.choices : named;
  std::string reply =
      words.empty() ? "" : fmt::format(R"(COMPREPLY=($(compgen -W "{}" -- "$current")); )", fmt::join(words, " "));
  return fmt::format("        {}) {}return ;;\n", pattern, reply);
}

std::string commandCase(const CommandDescription &command, const std::string &pattern) {
  std::string values;
  std::vector<std::string> options, words;
  for (const OptionDescription &option : command.options) {
    values += valuesCase(option);
    options.insert(options.end(), option.names.begin(), option.names.end());
  }
  for (const OptionDescription &argument : command.arguments)
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  for (const CommandDescription &subcommand : command.subcommands)
    words.push_back(subcommand.name);
  std::string cases = values.empty() ? "" : fmt::format("      case $previous in\n{}      esac\n", values);
  return fmt::format("    {})\n{}      options=\"{}\"\n      words=\"{}\"\n      ;;\n", pattern, cases,
                     fmt::join(options, " "), fmt::join(words, " "));
}

} // namespace

std::vector<std::string> namedValues(const OptionDescription &option) {
  return std::ranges::find(option.names, "--target") == option.names.end() ? std::vector<std::string>()
                                                                           : firmware::Target::shippedNames();
}

std::string bashCompletion(const CommandDescription &program) {
  std::string script = fmt::format(kHead) + commandCase(program, "''");
  for (const CommandDescription &command : program.subcommands)
    script += commandCase(command, command.name);
  return script + fmt::format(kTail);
}

} // namespace avocet::tool
