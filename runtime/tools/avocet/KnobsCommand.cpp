//===- KnobsCommand.cpp - avocet knobs --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "TextTable.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"

#include <fmt/core.h>

namespace avocet::tool {
namespace {

Status listKnobs() {
  TextTable table;
  for (auto title : {"variable", "default", "now", "meaning"})
    table.addColumn(title, TextTable::Align::Left);
  for (const Knob &knob : allKnobs())
    table.addRow({std::string(knob.name), std::string(knob.defaultValue), knobText(knob), std::string(knob.meaning)});
  printOut("{}\nFor one command: {}=debug avocet run model.tflite\n", table.toString(), knobs::kLog.name);
  return Status::ok();
}

} // namespace

void addKnobsCommand(CommandLine &app, Action &action) {
  CommandLine command = app.addSubcommand("knobs", "List the environment variables that change behaviour");
  command.onSelected([&action] { action = listKnobs; });
}

} // namespace avocet::tool
