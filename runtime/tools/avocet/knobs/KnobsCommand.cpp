//===- KnobsCommand.cpp - avocet knobs --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "output/TextTable.h"

#include <fmt/core.h>

namespace avocet::tool {
namespace {

constexpr const char *kExamples = R"(Examples:
  avocet knobs                              every variable with its value now
  AVOCET_LOG=debug avocet run model.tflite  one of them, for one command
A variable with a value that is not accepted ends each command with exit code 2.
Tables also obey COLUMNS (their width) and NO_COLOR (no colors), as other programs do.)";

/// "debug (default: warning)"; "-" for nothing.
std::string valueText(const Knob &knob) {
  auto orDash = [](std::string text) { return text.empty() ? "-" : text; };
  const std::string now = knobText(knob);
  if (now == knob.defaultValue)
    return orDash(now);
  return fmt::format("{} (default: {})", now, orDash(std::string(knob.defaultValue)));
}

Status listKnobs() {
  TextTable table;
  constexpr size_t kLeastValue = 16, kLeastMeaning = 24;
  table.addColumn("variable", TextTable::Align::Left);
  table.addColumn("value", TextTable::Align::Left).wrapTo(kLeastValue);
  table.addColumn("meaning", TextTable::Align::Left).wrapTo(kLeastMeaning);
  for (const Knob &knob : allKnobs())
    table.addRow({std::string(knob.name), valueText(knob), std::string(knob.meaning)});
  printOut("{}\nFor one command: {}=debug avocet run model.tflite\n", table.toString(), knobs::kLog.name);
  return Status::ok();
}

} // namespace

void addKnobsCommand(CommandLine &app, Action &action) {
  CommandLine command = app.addSubcommand("knobs", "List the environment variables that change behavior");
  command.setFooter(kExamples);
  addWideOption(command);
  command.onSelected([&action] { action = listKnobs; });
}

} // namespace avocet::tool
