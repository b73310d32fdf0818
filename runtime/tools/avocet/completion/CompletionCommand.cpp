//===- CompletionCommand.cpp - avocet completion ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Completion.h"
#include "avocet/base/StandardStreams.h"
#include "programs/ProgramCommands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace avocet::tool {
namespace {

enum class Form { Bash, Zsh, Fish, Man };

constexpr const char *kExamples = R"(Examples:
  source <(avocet completion bash)                        for this shell; in ~/.bashrc for all
  avocet completion zsh > ~/.zfunc/_avocet                with fpath+=~/.zfunc before compinit in ~/.zshrc
  avocet completion fish > ~/.config/fish/completions/avocet.fish
  avocet completion man | man -l -                        the manual page
'cmake --install' installs all of them.)";

std::string textOf(Form form, const CommandDescription &program) {
  switch (form) {
  case Form::Bash:
    return bashCompletion(program);
  case Form::Zsh:
    return zshCompletion(program);
  case Form::Fish:
    return fishCompletion(program);
  case Form::Man:
    break;
  }
  return manualPage(program);
}

} // namespace

void addCompletionCommand(CommandLine &app, Action &action) {
  auto form = std::make_shared<Form>(Form::Bash);
  CommandLine command = app.addSubcommand("completion", "Print a shell's completion script, or the manual page");
  command.setFooter(kExamples);
  addChoice(command, "form", *form, "bash, zsh, fish: script for this shell; man: the manual page",
            {{"bash", Form::Bash}, {"zsh", Form::Zsh}, {"fish", Form::Fish}, {"man", Form::Man}})
      .required();
  command.onSelected([form, &app, &action] {
    action = [form, &app] {
      printOut("{}", textOf(*form, describeWithPrograms(app)));
      return Status::ok();
    };
  });
}

namespace {

/// Text of roff: a backslash begins a command, as does a dot or a quote at the start of a line, and a plain "-" is a
/// hyphen, which cannot be copied into a shell.
std::string roff(std::string_view text) {
  std::string result;
  bool isLineStart = true;
  for (char c : text) {
    if (isLineStart && (c == '.' || c == '\''))
      result += "\\&";
    result += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    isLineStart = c == '\n';
  }
  return result;
}

std::string optionText(const OptionDescription &option) {
  std::vector<std::string> names;
  for (const std::string &name : option.names)
    names.push_back("\\fB" + roff(name) + "\\fR");
  std::string value = option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR";
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, roff(option.help));
}

std::string argumentText(const OptionDescription &argument) {
  return fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(argument.names.front()), roff(argument.help));
}

std::string literal(const std::string &text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

std::string commandText(const CommandDescription &command) {
  std::string synopsis;
  for (const OptionDescription &argument : command.arguments)
    synopsis += " \\fI" + roff(argument.names.front()) + "\\fR";
  std::string text = fmt::format(".SS avocet {}\n\\fBavocet {}\\fR{} [\\fIoptions\\fR]\n.PP\n{}.\n", command.name,
                                 command.name, synopsis, roff(command.description));
  for (const OptionDescription &argument : command.arguments)
    text += argumentText(argument);
  for (const OptionDescription &option : command.options)
    text += optionText(option);
  return text + literal(command.footer);
}

} // namespace

std::string manualPage(const CommandDescription &program) {
  std::string page = fmt::format(R"(.\" Written by 'avocet completion man'.
.TH AVOCET 1 "" "avocet {}" "Avocet"
.ad l
.SH NAME
avocet \- compiler and tools of a neural accelerator
.SH SYNOPSIS
\fBavocet\fR \fIcommand\fR [\fIoptions\fR]
.SH DESCRIPTION
{}
)",
                                 AVOCET_VERSION, roff(program.description));
  page += literal(program.footer) + ".SH COMMANDS\n";
  for (const CommandDescription &command : program.subcommands)
    page += commandText(command);
  return page + ".SH SEE ALSO\n\\fBavocet\\-accel\\fR(4)\n";
}

} // namespace avocet::tool
