//===- TargetsCommand.cpp - avocet targets ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/firmware_iface/Target.h"
#include "output/TextTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;
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

double bytesPerCycle(const firmware::DramModel &dram) {
  return static_cast<double>(dram.bandwidth.count) / static_cast<double>(dram.bandwidth.cycles);
}

uint32_t lanesOf(const firmware::Target &target) {
  return target.dsp().lanes[static_cast<size_t>(firmware::DataType::Int8)];
}

std::vector<std::string> cellsOf(const firmware::Target &target) {
  return {target.name(),
          fmt::format("{} MHz", target.clockHz() / 1000000),
          withCommas(target.macsPerCycle(firmware::DataType::Int8)),
          std::to_string(lanesOf(target)),
          formatBytes(target.sram().bytes),
          fmt::format("{} B", target.sram().portBytesPerCycle),
          fmt::format("{:.2f} B", bytesPerCycle(target.dram())),
          std::to_string(target.dma().channels),
          target.description()};
}

Json levelsJson(const firmware::Target &target) {
  Json levels = Json::array();
  for (uint32_t i = 0; i < target.power().levels.size(); ++i) {
    const firmware::ClockLevel &level = target.power().levels[i];
    levels.push_back({{"name", level.name},
                      {"clock_hz", firmware::levelHz(target, i)},
                      {"millivolts", level.millivolts},
                      {"static_milliwatts", level.staticMilliwatts},
                      {"is_default", i == target.power().defaultLevel}});
  }
  return levels;
}

Json idleStatesJson(const firmware::Target &target) {
  Json states = Json::array();
  for (const firmware::IdleState &state : target.power().idleStates)
    states.push_back({{"name", state.name},
                      {"milliwatts", state.milliwatts},
                      {"entry_nanoseconds", state.entryNanoseconds},
                      {"wake_nanoseconds", state.wakeNanoseconds},
                      {"wake_nanojoules", state.wakeNanojoules}});
  return states;
}

Json jsonOf(const firmware::Target &target) {
  return {{"name", target.name()},
          {"description", target.description()},
          {"fingerprint", fmt::format("{:016x}", target.fingerprint())},
          {"clock_hz", target.clockHz()},
          {"macs_per_cycle", target.macsPerCycle(firmware::DataType::Int8)},
          {"dsp_lanes", lanesOf(target)},
          {"sram_bytes", target.sram().bytes},
          {"sram_bytes_per_cycle", target.sram().portBytesPerCycle},
          {"dram_bytes_per_cycle", bytesPerCycle(target.dram())},
          {"dma_channels", target.dma().channels},
          {"clock_levels", levelsJson(target)},
          {"idle_states", idleStatesJson(target)}};
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

using Targets = std::vector<std::shared_ptr<const firmware::Target>>;

void printTable(const Targets &targets) {
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

void printJson(const Targets &targets) {
  Json json = {{documents::kSchemaVersionKey, documents::kTargetsSchema}, {"targets", Json::array()}};
  for (const auto &target : targets)
    json["targets"].push_back(jsonOf(*target));
  printOut("{}\n", json.dump(2));
}

Status listTargets(const TargetsOptions &options) {
  if (!options.print.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const std::string text, firmware::targetText(options.print));
    printOut("{}", text);
    return Status::ok();
  }
  Targets targets;
  for (const std::string &name : firmware::Target::shippedNames()) {
    AVOCET_ASSIGN_OR_RETURN(targets.emplace_back(), firmware::Target::load(name));
  }
  if (options.json)
    printJson(targets);
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
