//===- InspectTables.cpp - Tables of avocet inspect -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InspectTables.h"

#include "avocet/base/NumberText.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/session/Tensors.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

constexpr size_t kLeastName = 12, kMostName = 48;

std::string quantization(const cache::OperandView &operand) {
  if (operand.scales.empty())
    return "";
  if (operand.scales.size() > 1)
    return fmt::format("{} scales on axis {}", operand.scales.size(), operand.axis);
  return fmt::format("scale {:g} zero {}", operand.scales[0], operand.zeroPoints.empty() ? 0 : operand.zeroPoints[0]);
}

/// "section 2 " for sections of networks with branches or loops.
std::string sectionName(const cache::StreamView &stream) {
  return stream.section == 0 ? "" : fmt::format("section {} ", stream.section);
}

std::string controlText(std::span<const firmware::ControlInstruction> program) {
  std::string text = fmt::format("\ncontrol program: {} instructions\n", program.size());
  for (size_t i = 0; i < program.size(); ++i)
    text += fmt::format("{:6}  {}\n", i, firmware::print(program[i]));
  return text;
}

/// Columns that layers and operations share.
void addWorkColumns(TextTable &table) {
  table.addColumn("MACs", Align::Right);
  table.addColumn("least cycles", Align::Right);
  table.addColumn("weights", Align::Right);
  table.addColumn("input", Align::Right).drop(2);
  table.addColumn("output", Align::Right).drop(1);
}

std::vector<std::string> workCells(const cache::LayerView &work) {
  return {formatCount(work.macs), withCommas(work.rooflineCycles), formatBytes(work.weightBytes),
          formatBytes(work.inputBytes), formatBytes(work.outputBytes)};
}

void addWork(cache::LayerView &sum, const cache::LayerView &layer) {
  sum.macs += layer.macs;
  sum.rooflineCycles += layer.rooflineCycles;
  sum.weightBytes += layer.weightBytes;
  sum.inputBytes += layer.inputBytes;
  sum.outputBytes += layer.outputBytes;
}

constexpr size_t kNameColumn = 1;

TextTable layersNamed(const cache::ModelCache &model, const std::vector<std::string> &names) {
  constexpr size_t kLeastLayer = 16;
  TextTable table;
  table.addColumn("#", Align::Right);
  table.addColumn("layer", Align::Left).cutTo(kLeastLayer);
  table.addColumn("operation", Align::Left).cutTo(kLeastName);
  table.addColumn("engine", Align::Left).drop(3);
  addWorkColumns(table);
  for (size_t i = 0; i < model.numLayers(); ++i) {
    const cache::LayerView layer = model.layer(i);
    std::vector<std::string> cells = {std::to_string(i), names[i], std::string(layer.operation),
                                      std::string(valueName(layer.engine))};
    std::ranges::move(workCells(layer), std::back_inserter(cells));
    table.addRow(std::move(cells));
  }
  return table;
}

} // namespace

std::string regionName(uint32_t region) {
  return region == firmware::kSramRegion ? "SRAM" : fmt::format("region {}", region);
}

std::string sizesText(const cache::Artefacts &artefacts) {
  const cache::ModelCache &model = *artefacts.model;
  return fmt::format("model      {}\ntarget     {} (fingerprint {:016x})\ncompiler   {}\n"
                     "files      model cache {}, data cache {}\nmemory     SRAM up to {}, scratch {}\n"
                     "cycles     {} roofline, {} bound of the device, {} predicted\n",
                     model.modelName(), model.targetName(), model.targetFingerprint(), model.compilerVersion(),
                     formatBytes(model.bytes().size()), formatBytes(artefacts.data->bytes().size()),
                     formatBytes(model.sramPeakBytes()), formatBytes(model.scratchBytes()),
                     withCommas(model.rooflineCycles()), withCommas(model.deviceCycles()),
                     withCommas(model.predictedCycles()));
}

std::string operandTable(const cache::ModelCache &model) {
  TextTable table;
  table.addColumn("operand", Align::Left);
  table.addColumn("name", Align::Left, kMostName).cutTo(kLeastName);
  table.addColumn("type and shape", Align::Left, kMostName);
  table.addColumn("bytes", Align::Right);
  table.addColumn("quantization", Align::Left).drop(1);
  auto addRow = [&](std::string_view kind, size_t index, const cache::OperandView &operand) {
    table.addRow({fmt::format("{} {}", kind, index), std::string(operand.name), session::describeTensor(operand),
                  withCommas(operand.bytes), quantization(operand)});
  };
  const size_t inputs = model.numInputs() - model.numStates(), outputs = model.numOutputs() - model.numStates();
  for (size_t i = 0; i < inputs; ++i)
    addRow("input", i, model.input(i));
  for (size_t i = 0; i < outputs; ++i)
    addRow("output", i, model.output(i));
  for (size_t i = 0; i < model.numStates(); ++i)
    addRow("state", i, model.input(inputs + i));
  return table.toString();
}

std::string regionTable(const cache::ModelCache &model) {
  TextTable table;
  table.addColumn("region", Align::Right);
  table.addColumn("means", Align::Left);
  table.addColumn("bytes", Align::Right);
  for (size_t i = 0; i < model.numRegions(); ++i) {
    cache::Region region = model.region(i);
    table.addRow(
        {std::to_string(i + 1), fmt::format("{} {}", toString(region.kind), region.index), withCommas(region.bytes)});
  }
  return table.toString();
}

std::string memoryPlanTable(const cache::ModelCache &model) {
  TextTable table;
  table.addColumn("buffer", Align::Left, kMostName).cutTo(kLeastName);
  table.addColumn("where", Align::Left);
  for (auto title : {"address", "bytes", "first step", "last step"})
    table.addColumn(title, Align::Right);
  for (size_t i = 0; i < model.numMemoryEntries(); ++i) {
    cache::MemoryEntryView entry = model.memoryEntry(i);
    table.addRow({std::string(entry.name), regionName(entry.region), fmt::format("{:#x}", entry.address),
                  withCommas(entry.bytes), std::to_string(entry.firstStep), std::to_string(entry.lastStep)});
  }
  return table.toString();
}

std::string layerTable(const cache::ModelCache &model) {
  const size_t width = tableWidth();
  const size_t most = width == kAnyWidth ? kAnyWidth : kMostName;
  const size_t fitted = layersNamed(model, cache::layerNames(model, most)).fittedWidth(kNameColumn, width);
  return layersNamed(model, cache::layerNames(model, fitted)).toString(width);
}

std::string operationTable(const cache::ModelCache &model) {
  std::map<std::string_view, std::pair<size_t, cache::LayerView>> operations;
  cache::LayerView total{};
  for (size_t i = 0; i < model.numLayers(); ++i) {
    const cache::LayerView layer = model.layer(i);
    auto &[count, sum] = operations[layer.operation];
    ++count;
    addWork(sum, layer);
    addWork(total, layer);
  }
  TextTable table;
  table.addColumn("operation", Align::Left, kMostName).cutTo(kLeastName);
  table.addColumn("layers", Align::Right);
  addWorkColumns(table);
  auto addRow = [&](std::string_view name, size_t count, const cache::LayerView &sum) {
    std::vector<std::string> cells = {std::string(name), std::to_string(count)};
    std::ranges::move(workCells(sum), std::back_inserter(cells));
    table.addRow(std::move(cells));
  };
  for (const auto &[name, entry] : operations)
    addRow(name, entry.first, entry.second);
  table.addRule();
  addRow("total", model.numLayers(), total);
  return table.toString();
}

Result<std::string> streamTable(const cache::ModelCache &model) {
  TextTable table;
  table.addColumn("stream", Align::Left);
  table.addColumn("commands", Align::Right);
  table.addColumn("bytes", Align::Right);
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView stream = model.stream(i);
    table.addRow({fmt::format("{}{} {}", sectionName(stream), valueName(stream.engine.kind), stream.engine.index),
                  withCommas(firmware::countCommands(stream.words)), withCommas(stream.words.size_bytes())});
  }
  if (!model.control().empty()) {
    AVOCET_ASSIGN_OR_RETURN(auto program, firmware::decodeControl(model.control()));
    table.addRow({"control program", withCommas(program.size()), withCommas(model.control().size_bytes())});
  }
  return table.toString();
}

Result<std::string> commandText(const cache::ModelCache &model) {
  std::string text;
  if (!model.control().empty()) {
    AVOCET_ASSIGN_OR_RETURN(auto program, firmware::decodeControl(model.control()));
    text += controlText(program);
  }
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView stream = model.stream(i);
    AVOCET_ASSIGN_OR_RETURN(std::vector<firmware::Command> commands, firmware::decodeStream(stream.words));
    text += fmt::format("\n{}stream {} {}: {} commands, {}\n", sectionName(stream), valueName(stream.engine.kind),
                        stream.engine.index, commands.size(), formatBytes(stream.words.size_bytes()));
    for (size_t command = 0; command < commands.size(); ++command)
      text += fmt::format("{:6}  {}\n", command, firmware::print(commands[command]));
  }
  return text;
}

} // namespace avocet::tool
