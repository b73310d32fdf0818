//===- ReportTable.cpp - A report for people --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportTable.h"

#include "LayerNames.h"
#include "ServedText.h"
#include "TextTable.h"

#include "avocet/firmware_iface/Names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;
using firmware::StallCause;

constexpr size_t kTableWidth = 120;
constexpr size_t kLeastNameWidth = 12;
constexpr size_t kMostNameWidth = 32;
constexpr size_t kOperationWidth = 14;

/// "DEPTHWISE_CONV_2D" as "DEPTHWISE_CONV", also in "CONV_2D + ADD".
std::string shortOperation(std::string operation) {
  constexpr std::string_view kSuffix = "_2D";
  for (size_t at = operation.find(kSuffix); at != std::string::npos; at = operation.find(kSuffix, at))
    operation.erase(at, kSuffix.size());
  return operation;
}

/// Bytes in eight columns: "512 B", "12.3 Ki", "224.9 Ki". The binary prefix tells them from MACs in thousands ("12.3
/// k").
std::string shortBytes(uint64_t bytes) {
  std::string text = formatBytes(bytes);
  return text.ends_with("iB") ? text.substr(0, text.size() - 1) : text;
}

std::string percent(double part) { return fmt::format("{:.1f}%", part * 100); }

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The two largest causes in percent of the cycles: "wait 31 sram 4".
std::string stallText(const Figures &figures) {
  std::vector<std::pair<uint64_t, size_t>> causes;
  for (size_t i = 0; i < figures.stallCycles.size(); ++i)
    causes.emplace_back(figures.stallCycles[i], i);
  std::ranges::sort(causes, std::greater<>());
  std::string text;
  for (size_t i = 0; i < 2; ++i) {
    double percentage = 100 * ratio(causes[i].first, figures.cycles);
    if (percentage >= 0.5)
      text += fmt::format("{}{} {:.0f}", text.empty() ? "" : " ",
                          shortTitleOf(static_cast<StallCause>(causes[i].second)), percentage);
  }
  return text;
}

std::string boundText(const Figures &figures) {
  return figures.boundBy == Bound::None ? "" : std::string(toString(figures.boundBy));
}

/// Columns that need no run.
constexpr std::array kStaticTitles = {"MACs", "roofline"};

void addStaticCells(std::vector<std::string> &cells, const Figures &figures) {
  cells.push_back(figures.macs != 0 ? formatCount(figures.macs) : "");
  cells.push_back(withCommas(figures.rooflineCycles));
}

/// Cells that layers and the total share, from the MACs on.
void addMeasuredCells(std::vector<std::string> &cells, const Figures &figures) {
  bool hasMacs = figures.macs != 0;
  for (std::string cell :
       {hasMacs ? formatCount(figures.macs) : "", withCommas(figures.cycles), withCommas(figures.rooflineCycles),
        hasMacs ? percent(figures.utilisation) : "", stallText(figures), shortBytes(figures.sramBytes),
        shortBytes(figures.dramBytes), boundText(figures)})
    cells.push_back(std::move(cell));
}

std::vector<std::string> namesOf(const Report &report, size_t width) {
  std::vector<std::string> names;
  for (const LayerReport &layer : report.layers)
    names.push_back(layer.name);
  return shortenNames(names, width);
}

void addMeasuredColumns(TextTable &table) {
  for (auto title : {"MACs", "cycles", "roofline", "util"})
    table.addColumn(title, Align::Right);
  table.addColumn("stalls in %", Align::Left);
  for (auto title : {"SRAM r+w", "DRAM r+w"})
    table.addColumn(title, Align::Right);
  table.addColumn("bound", Align::Left);
}

TextTable buildLayerTable(const Report &report, size_t nameWidth) {
  TextTable table;
  table.addColumn("#", Align::Right);
  table.addColumn("layer", Align::Left, nameWidth);
  table.addColumn("operation", Align::Left, kOperationWidth);
  table.addColumn("eng", Align::Left);
  if (report.measured)
    addMeasuredColumns(table);
  else
    for (auto title : kStaticTitles)
      table.addColumn(title, Align::Right);
  auto addFigures = report.measured ? addMeasuredCells : addStaticCells;
  std::vector<std::string> names = namesOf(report, nameWidth);
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const LayerReport &layer = report.layers[i];
    std::vector<std::string> cells = {std::to_string(i), names[i], shortOperation(layer.operation),
                                      std::string(shortTitleOf(layer.engine))};
    addFigures(cells, layer.figures);
    table.addRow(std::move(cells));
  }
  table.addRule();
  std::vector<std::string> cells = {"", "total", "", ""};
  addFigures(cells, report.total);
  table.addRow(std::move(cells));
  return table;
}

/// The column of names uses the width that the figures leave.
std::string layerTable(const Report &report) {
  size_t width = buildLayerTable(report, kLeastNameWidth).width();
  size_t room = width < kTableWidth ? kTableWidth - width : 0;
  return buildLayerTable(report, std::min(kMostNameWidth, kLeastNameWidth + room)).toString();
}

std::string engineTable(const Report &report) {
  TextTable table;
  table.addColumn("engine", Align::Left);
  for (auto title : {"units", "busy", "of all"})
    table.addColumn(title, Align::Right);
  for (uint32_t cause = 0; cause < firmware::kNumStallCauses; ++cause)
    table.addColumn(std::string(titleOf(static_cast<StallCause>(cause))), Align::Right);
  for (const EngineReport &engine : report.engines) {
    std::vector<std::string> cells = {std::string(shortTitleOf(engine.engine)), std::to_string(engine.units),
                                      withCommas(engine.busyCycles),
                                      percent(ratio(engine.busyCycles, report.total.cycles * engine.units))};
    for (uint64_t stall : engine.stallCycles)
      cells.push_back(withCommas(stall));
    table.addRow(std::move(cells));
  }
  return table.toString();
}

std::string formatEnergy(double picojoules) {
  return picojoules < 1e9 ? fmt::format("{:.1f} uJ", picojoules / 1e6) : fmt::format("{:.2f} mJ", picojoules / 1e9);
}

std::string rooflineTotals(const Figures &total) {
  const bool isComputation = total.rooflineCycles == total.computeCycles;
  return fmt::format("roofline   {} cycles, set by {}: {} must cross the port, computation takes {} cycles\n",
                     withCommas(total.rooflineCycles), isComputation ? "computation" : "the off-chip port",
                     formatBytes(total.leastDramBytes), withCommas(total.computeCycles));
}

std::string executedTotals(const Report &report) {
  const DramTraffic &dram = report.dram;
  return fmt::format("executed   {} MACs, {} needed\n"
                     "off chip   {}: weights {}, refetched {}, spills {}, inputs {}, outputs {}\n",
                     formatCount(report.total.executedMacs), formatCount(report.total.macs),
                     formatBytes(report.total.dramBytes), formatBytes(dram.weights), formatBytes(dram.refetchedWeights),
                     formatBytes(dram.spills), formatBytes(dram.inputs), formatBytes(dram.outputs));
}

std::string measuredTotals(const Report &report) {
  const Figures &total = report.total;
  return fmt::format("simulated  {} cycles, {:.3f} ms at {} MHz; {:.2f} times the roofline bound\n"
                     "{}{}"
                     "energy     {}\n",
                     withCommas(total.cycles), report.simulatedMs, report.clockHz / 1000000,
                     ratio(total.cycles, total.rooflineCycles), rooflineTotals(total), executedTotals(report),
                     formatEnergy(total.energyPicojoules));
}

/// Cycles lost to other jobs on the device; empty if there are none.
std::string sharedTotals(const Report &report) {
  std::string text;
  if (report.waitCycles != 0)
    text += fmt::format("waited     {} cycles for other jobs before it started\n", withCommas(report.waitCycles));
  const firmware::PreemptionCounters &preemption = report.preemption;
  if (preemption.preemptions != 0)
    text += fmt::format("preempted  {} times, for {} cycles; {} of {} that it needed again were moved out of SRAM\n",
                        preemption.preemptions, withCommas(preemption.suspendedCycles),
                        formatBytes(preemption.evacuatedBytes), formatBytes(preemption.liveBytes));
  return text;
}

std::string hostTotals(const Report &report) {
  std::string compile = report.hostCompileMs > 0 ? fmt::format("compiled in {:.1f} ms, ", report.hostCompileMs) : "";
  std::string runs = report.runs > 1 ? fmt::format(" (shortest of {} runs)", report.runs) : "";
  return fmt::format("SRAM peak  {} of {}\n"
                     "host       {}ran in {:.2f} ms{}\n",
                     formatBytes(report.total.sramPeakBytes), formatBytes(report.sramTargetBytes), compile,
                     report.hostRunMs, runs);
}

std::string remarks(const Report &report) {
  std::string text;
  if (!report.measured && report.notes.empty())
    text += "note       cycles were not counted in this mode\n";
  if (!report.computed)
    text += "note       values were not computed in this mode: the outputs are not valid\n";
  for (const std::string &note : report.notes)
    text += "note       " + note + "\n";
  return text;
}

} // namespace

std::string renderTable(const Report &report) {
  std::string text =
      fmt::format("{} on {} ({})\n\n{}\n", report.model, report.target, report.backend, layerTable(report));
  if (report.measured)
    text += engineTable(report) + "\n" + measuredTotals(report) + sharedTotals(report);
  if (report.served)
    text += servedText(report, *report.served);
  return text + hostTotals(report) + remarks(report);
}

} // namespace avocet::tool
