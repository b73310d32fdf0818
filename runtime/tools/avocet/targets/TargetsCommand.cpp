//===- TargetsCommand.cpp - avocet targets ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/documents/TargetsJson.h"
#include "avocet/firmware_iface/Target.h"
#include "output/TextTable.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

struct TargetsOptions {
  std::string print;
  bool json = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet targets                        names and main figures
  avocet targets --print e256           all figures of one target, as a target file with comments
  avocet targets --print e256 > my.toml
  avocet run model.tflite -t my.toml    a target of your own, made from it
  avocet targets --json                 the table for a program)";

std::vector<std::string> cellsOf(const firmware::Target &target) {
  return {target.name(),
          fmt::format("{} MHz", target.clockHz() / 1000000),
          withCommas(target.macsPerCycle(firmware::DataType::Int8)),
          std::to_string(documents::dspLanes(target)),
          formatBytes(target.sram().bytes),
          fmt::format("{} B", target.sram().portBytesPerCycle),
          fmt::format("{:.2f} B", documents::dramBytesPerCycle(target)),
          std::to_string(target.dma().channels),
          target.description()};
}

std::string formatTime(uint64_t nanoseconds) {
  const auto value = static_cast<double>(nanoseconds);
  if (nanoseconds >= 1'000'000)
    return fmt::format("{:g} ms", value / 1e6);
  return nanoseconds >= 1'000 ? fmt::format("{:g} us", value / 1e3) : fmt::format("{} ns", nanoseconds);
}

/// Clock levels, then idle states.
void addStates(TextTable &table, const firmware::Target &target) {
  const firmware::PowerModel &power = target.power();
  for (uint32_t i = 0; i < power.levels.size(); ++i) {
    const firmware::ClockLevel &level = power.levels[i];
    table.addRow({target.name(), level.name, fmt::format("{} MHz", firmware::levelHz(target, i) / 1000000),
                  fmt::format("{:.2f} V", level.millivolts / 1e3), fmt::format("{:g} mW", level.staticMilliwatts)});
  }
  for (const firmware::IdleState &state : power.idleStates)
    table.addRow({target.name(), state.name, "", "", fmt::format("{:g} mW", state.milliwatts),
                  formatTime(state.entryNanoseconds), formatTime(state.wakeNanoseconds),
                  fmt::format("{:g} nJ", state.wakeNanojoules)});
}

TextTable emptyStates() {
  TextTable table;
  table.addColumn("target", Align::Left);
  table.addColumn("state", Align::Left);
  for (auto title : {"clock", "voltage", "power"})
    table.addColumn(title, Align::Right);
  table.addColumn("entered after", Align::Right);
  table.addColumn("wake-up", Align::Right);
  table.addColumn("wake energy", Align::Right).drop(1);
  return table;
}

TextTable emptyTable() {
  constexpr size_t kLeastDescription = 20;
  TextTable table;
  table.addColumn("target", Align::Left);
  for (auto title : {"clock", "MACs/cycle", "DSP lanes", "SRAM"})
    table.addColumn(title, Align::Right);
  table.addColumn("SRAM/cycle", Align::Right).drop(2);
  table.addColumn("DRAM/cycle", Align::Right);
  table.addColumn("DMA", Align::Right).drop(3);
  table.addColumn("description", Align::Left).wrapTo(kLeastDescription).drop(1);
  return table;
}

void printTable(const documents::Targets &targets) {
  TextTable table = emptyTable(), states = emptyStates();
  for (const auto &target : targets) {
    table.addRow(cellsOf(*target));
    addStates(states, *target);
  }
  printOut("{}\nMACs and lanes are those of int8; the clock is that of the default level.\n\n{}\n"
           "The power of a clock level is static: what the device takes while awake,\n"
           "beside the energy of its work.\n"
           "Options that take a target also accept the path of a target file (.toml).\n",
           table.toString(), states.toString());
}

Status listTargets(const TargetsOptions &options) {
  if (!options.print.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const std::string text, firmware::targetText(options.print));
    printOut("{}", text);
    return Status::ok();
  }
  AVOCET_ASSIGN_OR_RETURN(const documents::Targets targets, documents::shippedTargets());
  if (options.json)
    printOut("{}\n", documents::targetsJson(targets));
  else
    printTable(targets);
  return Status::ok();
}

} // namespace

void addTargetsCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<TargetsOptions>();
  CommandLine command = app.addSubcommand("targets", "List the targets that can be selected by name");
  command.setFooter(kExamples);
  CommandOption print = command.addText("--print", options->print, "Print the file of one target instead");
  print.valueName("NAME");
  command.addFlag("--json", options->json, "Print JSON, for programs").excludes(print);
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return listTargets(*options); }; });
}

} // namespace avocet::tool
