//===- InspectCommand.cpp - avocet inspect ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Tensors.h"
#include "TextTable.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Reflection.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

struct InspectOptions {
  std::string directory;
  bool summary = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet inspect out              everything, with every command of every stream
  avocet inspect out --summary    without the commands
For the IR of a phase: avocet compile MODEL --stop-after PHASE -o -)";

std::string quantisation(const cache::OperandView &operand) {
  if (operand.scales.empty())
    return "";
  if (operand.scales.size() > 1)
    return fmt::format("{} scales on axis {}", operand.scales.size(), operand.axis);
  return fmt::format("scale {:g} zero {}", operand.scales[0], operand.zeroPoints.empty() ? 0 : operand.zeroPoints[0]);
}

void printSizes(const cache::Artefacts &artefacts) {
  const cache::ModelCache &model = *artefacts.model;
  printOut("model      {}\ntarget     {} (fingerprint {:016x})\ncompiler   {}\nmodel cache {}, data cache {}\n"
           "SRAM up to {}, scratch {}\nroofline   {} cycles, predicted {}\n",
           model.modelName(), model.targetName(), model.targetFingerprint(), model.compilerVersion(),
           formatBytes(model.bytes().size()), formatBytes(artefacts.data->bytes().size()),
           formatBytes(model.sramPeakBytes()), formatBytes(model.scratchBytes()), withCommas(model.rooflineCycles()),
           withCommas(model.predictedCycles()));
}

void printOperands(const cache::ModelCache &model) {
  TextTable table;
  for (auto title : {"operand", "name", "type and shape"})
    table.addColumn(title, Align::Left, 48);
  table.addColumn("bytes", Align::Right);
  table.addColumn("quantisation", Align::Left);
  auto addRow = [&](std::string_view kind, size_t index, const cache::OperandView &operand) {
    table.addRow({fmt::format("{} {}", kind, index), std::string(operand.name), describeTensor(operand),
                  withCommas(operand.bytes), quantisation(operand)});
  };
  const size_t inputs = model.numInputs() - model.numStates(), outputs = model.numOutputs() - model.numStates();
  for (size_t i = 0; i < inputs; ++i)
    addRow("input", i, model.input(i));
  for (size_t i = 0; i < outputs; ++i)
    addRow("output", i, model.output(i));
  for (size_t i = 0; i < model.numStates(); ++i)
    addRow("state", i, model.input(inputs + i));
  printOut("\n{}", table.toString());
}

void printRegions(const cache::ModelCache &model) {
  TextTable table;
  table.addColumn("region", Align::Right);
  table.addColumn("means", Align::Left);
  table.addColumn("bytes", Align::Right);
  for (size_t i = 0; i < model.numRegions(); ++i) {
    cache::Region region = model.region(i);
    table.addRow(
        {std::to_string(i + 1), fmt::format("{} {}", toString(region.kind), region.index), withCommas(region.bytes)});
  }
  printOut("\n{}", table.toString());
}

void printMemoryPlan(const cache::ModelCache &model) {
  TextTable table;
  table.addColumn("buffer", Align::Left, 48);
  table.addColumn("where", Align::Left);
  for (auto title : {"address", "bytes", "first step", "last step"})
    table.addColumn(title, Align::Right);
  for (size_t i = 0; i < model.numMemoryEntries(); ++i) {
    cache::MemoryEntryView entry = model.memoryEntry(i);
    std::string where = entry.region == firmware::kSramRegion ? "SRAM" : fmt::format("region {}", entry.region);
    table.addRow({std::string(entry.name), where, fmt::format("{:#x}", entry.address), withCommas(entry.bytes),
                  std::to_string(entry.firstStep), std::to_string(entry.lastStep)});
  }
  printOut("\nmemory plan\n{}", table.toString());
}

void printLayers(const cache::ModelCache &model) {
  TextTable table;
  table.addColumn("#", Align::Right);
  table.addColumn("layer", Align::Left, 40);
  table.addColumn("operation", Align::Left);
  table.addColumn("engine", Align::Left);
  for (auto title : {"MACs", "roofline", "weights", "input", "output"})
    table.addColumn(title, Align::Right);
  for (size_t i = 0; i < model.numLayers(); ++i) {
    cache::LayerView layer = model.layer(i);
    table.addRow({std::to_string(i), std::string(layer.name), std::string(layer.operation),
                  std::string(valueName(layer.engine)), withCommas(layer.macs), withCommas(layer.rooflineCycles),
                  formatBytes(layer.weightBytes), formatBytes(layer.inputBytes), formatBytes(layer.outputBytes)});
  }
  printOut("\n{}", table.toString());
}

Status printStream(const cache::StreamView &stream, bool summary) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<firmware::Command> commands, firmware::decodeStream(stream.words));
  std::string section = stream.section == 0 ? "" : fmt::format("section {} ", stream.section);
  printOut("\n{}stream {} {}: {} commands, {}\n", section, valueName(stream.engine.kind), stream.engine.index,
           commands.size(), formatBytes(stream.words.size_bytes()));
  for (size_t i = 0; !summary && i < commands.size(); ++i)
    printOut("{:6}  {}\n", i, firmware::print(commands[i]));
  return Status::ok();
}

Status printControl(const cache::ModelCache &model, bool summary) {
  if (model.control().empty())
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(auto program, firmware::decodeControl(model.control()));
  printOut("\ncontrol program: {} instructions\n", program.size());
  for (size_t i = 0; !summary && i < program.size(); ++i)
    printOut("{:6}  {}\n", i, firmware::print(program[i]));
  return Status::ok();
}

Status inspect(const InspectOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(cache::Artefacts artefacts, cache::readArtefacts(options.directory));
  const cache::ModelCache &model = *artefacts.model;
  printSizes(artefacts);
  printOperands(model);
  printRegions(model);
  printMemoryPlan(model);
  printLayers(model);
  AVOCET_RETURN_IF_ERROR(printControl(model, options.summary));
  for (size_t i = 0; i < model.numStreams(); ++i)
    AVOCET_RETURN_IF_ERROR(printStream(model.stream(i), options.summary));
  return Status::ok();
}

} // namespace

void addInspectCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<InspectOptions>();
  CommandLine command = app.addSubcommand("inspect", "Show what artefacts hold");
  command.setFooter(kExamples);
  command.addText("directory", options->directory, "Directory that 'avocet compile' wrote").required();
  command.addFlag("--summary", options->summary, "Leave out the commands");
  command.onSelected([options, &action] { action = [options] { return inspect(*options); }; });
}

} // namespace avocet::tool
