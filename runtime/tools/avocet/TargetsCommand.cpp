//===- TargetsCommand.cpp - avocet targets ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "SchemaVersions.h"
#include "TextTable.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/firmware_iface/TargetText.h"

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
          {"dma_channels", target.dma().channels}};
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
  TextTable table = emptyTable();
  for (const auto &target : targets)
    table.addRow(cellsOf(*target));
  printOut("{}\nMACs and lanes are those of int8.\n"
           "Options that take a target also accept the path of a target file (.toml).\n",
           table.toString());
}

void printJson(const Targets &targets) {
  Json json = {{kSchemaVersionKey, kTargetsSchema}, {"targets", Json::array()}};
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
