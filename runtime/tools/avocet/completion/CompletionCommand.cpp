//===- CompletionCommand.cpp - avocet completion --------------------------===//
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

} // namespace avocet::tool
