//===- TargetsCommand.cpp - avocet targets ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "TextTable.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/firmware_iface/Target.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

std::vector<std::string> cellsOf(const firmware::Target &target) {
  const firmware::DramModel &dram = target.dram();
  return {
      target.name(),
      fmt::format("{} MHz", target.clockHz() / 1000000),
      std::to_string(target.macsPerCycle(firmware::DataType::Int8)),
      std::to_string(target.dsp().lanes[static_cast<size_t>(firmware::DataType::Int8)]),
      formatBytes(target.sram().bytes),
      fmt::format("{} B", target.sram().portBytesPerCycle),
      fmt::format("{:.2f} B", static_cast<double>(dram.bandwidth.count) / static_cast<double>(dram.bandwidth.cycles)),
      std::to_string(target.dma().channels),
      target.description()};
}

Status listTargets() {
  TextTable table;
  table.addColumn("target", TextTable::Align::Left);
  for (auto title : {"clock", "MAC/cycle", "DSP lanes", "SRAM", "port/cycle", "DRAM/cycle", "DMA"})
    table.addColumn(title, TextTable::Align::Right);
  table.addColumn("description", TextTable::Align::Left, 50);
  for (const std::string &name : firmware::Target::shippedNames()) {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const firmware::Target> target, firmware::Target::load(name));
    table.addRow(cellsOf(*target));
  }
  printOut("{}\nOptions that take a target also accept the path of a target file (.toml).\n", table.toString());
  return Status::ok();
}

} // namespace

void addTargetsCommand(CommandLine &app, Action &action) {
  CommandLine command = app.addSubcommand("targets", "List the targets that can be selected by name");
  command.onSelected([&action] { action = listTargets; });
}

} // namespace avocet::tool
