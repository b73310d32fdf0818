//===- Completion.cpp - Completion for bash ---------------------*- C++ -*-===//
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

namespace {

/// The text within single quotes, where both shells need another escape for each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (char c : text) {
    if (c == '\n')
      c = ' ';
    if (special.find(c) != special.npos)
      result += '\\';
    result += c;
  }
  return result;
}

/// zsh ends a quoted text at each quote; ":" and brackets divide the parts of a specification.
std::string forZsh(std::string_view text) {
  std::string result;
  for (char c : escaped(text, ":[]\\"))
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::string forFish(std::string_view text) { return "'" + escaped(text, "'\\") + "'"; }

std::string zshValue(const OptionDescription &option) {
  if (option.value.empty())
    return "";
  if (!option.choices.empty())
    return fmt::format(":value:({})", fmt::join(option.choices, " "));
  const std::vector<std::string> named = namedValues(option);
  return named.empty() ? ":value:_files" : fmt::format(":value:({})", fmt::join(named, " "));
}

std::string zshCommand(const CommandDescription &command) {
  std::string lines = fmt::format("        {})\n          _arguments", command.name);
  for (const OptionDescription &option : command.options)
    for (const std::string &name : option.names)
      lines += fmt::format(" \\\n            '*{}[{}]{}'", name, forZsh(option.help), zshValue(option));
  for (const OptionDescription &argument : command.arguments)
    lines += fmt::format(" \\\n            '{}{}'", forZsh(":" + argument.names.front()).substr(1), zshValue(argument));
  return lines + "\n          ;;\n";
}

std::string fishOption(const std::string &condition, const OptionDescription &option) {
  std::string line = "complete -c avocet -n " + forFish(condition);
  for (const std::string &name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const std::vector<std::string> named = namedValues(option);
  const auto &words = named.empty() ? option.choices : named;
  if (!words.empty())
    line += fmt::format(" -r -a {}", forFish(fmt::to_string(fmt::join(words, " "))));
  else if (!option.value.empty())
    line += " -r -F";
  return line + " -d " + forFish(option.help) + "\n";
}

} // namespace

std::string zshCompletion(const CommandDescription &program) {
  std::string commands, cases;
  for (const CommandDescription &command : program.subcommands) {
    commands += fmt::format("        '{}:{}'\n", command.name, forZsh(command.description));
    cases += zshCommand(command);
  }
  return fmt::format(R"(#compdef avocet
# Completion of avocet for zsh; written by 'avocet completion zsh'.
_avocet() {{
  local state line
  local -a commands
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      commands=(
{}      )
      _describe command commands
      ;;
    argument)
      case $words[1] in
{}      esac
      ;;
  esac
}}
if [[ $funcstack[1] == _avocet ]]; then
  _avocet "$@"
else
  compdef _avocet avocet
fi
)",
                     commands, cases);
}

std::string fishCompletion(const CommandDescription &program) {
  std::string script = "# Completion of avocet for fish; written by 'avocet completion fish'.\n";
  for (const CommandDescription &command : program.subcommands)
    script += fmt::format("complete -c avocet -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                          forFish(command.description));
  for (const CommandDescription &command : program.subcommands) {
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const OptionDescription &option : command.options)
      script += fishOption(condition, option);
    for (const OptionDescription &argument : command.arguments)
      if (!argument.choices.empty())
        script += fmt::format("complete -c avocet -n {} -f -a {}\n", forFish(condition),
                              forFish(fmt::to_string(fmt::join(argument.choices, " "))));
  }
  return script;
}

} // namespace avocet::tool
