//===- ReportTable.cpp - A report for people --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportTable.h"

#include "TextTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;
using firmware::EngineKind;

constexpr size_t kMaxNameWidth = 24;
constexpr size_t kMaxOperationWidth = 18;

std::string_view engineName(EngineKind engine) {
  constexpr std::string_view kNames[] = {"MAC", "DSP", "DMA"};
  return kNames[static_cast<size_t>(engine)];
}

/// Names in models are paths ("net/block3/conv/Relu6;net/..."): the end of the first one says most.
std::string shortName(const std::string &name) {
  std::string first = name.substr(0, name.find(';'));
  if (displayWidth(first) <= kMaxNameWidth)
    return first;
  return "…" + first.substr(first.size() - (kMaxNameWidth - 1));
}

std::string percent(double part) { return fmt::format("{:.1f}%", part * 100); }

/// The two largest causes in percent of the cycles: "transfer 31, sram 4".
std::string stallText(const Figures &figures) {
  constexpr std::string_view kNames[] = {"wait", "sram", "dram", "lat", "issue"};
  std::vector<std::pair<uint64_t, size_t>> causes;
  for (size_t i = 0; i < figures.stallCycles.size(); ++i)
    causes.emplace_back(figures.stallCycles[i], i);
  std::ranges::sort(causes, std::greater<>());
  std::string text;
  for (size_t i = 0; i < 2; ++i) {
    double share =
        figures.cycles == 0 ? 0 : 100.0 * static_cast<double>(causes[i].first) / static_cast<double>(figures.cycles);
    if (share >= 0.5)
      text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : " ", kNames[causes[i].second], share);
  }
  return text;
}

std::vector<std::string> layerCells(size_t index, const LayerReport &layer) {
  const Figures &figures = layer.figures;
  return {std::to_string(index),
          shortName(layer.name),
          layer.operation,
          std::string(engineName(layer.engine)),
          figures.macs == 0 ? "" : formatCount(figures.macs),
          withCommas(figures.cycles),
          withCommas(figures.rooflineCycles),
          figures.macs == 0 ? "" : percent(figures.utilisation),
          stallText(figures),
          formatBytes(figures.sramBytes),
          formatBytes(figures.dramBytes),
          figures.boundBy == Bound::None ? "" : std::string(toString(figures.boundBy))};
}

std::vector<std::string> totalCells(const Report &report) {
  const Figures &total = report.total;
  return {"",
          "total",
          "",
          "",
          formatCount(total.macs),
          withCommas(total.cycles),
          withCommas(total.rooflineCycles),
          percent(total.utilisation),
          stallText(total),
          formatBytes(total.sramBytes),
          formatBytes(total.dramBytes),
          total.boundBy == Bound::None ? "" : std::string(toString(total.boundBy))};
}

std::string layerTable(const Report &report) {
  TextTable table;
  table.addColumn("#", Align::Right);
  table.addColumn("layer", Align::Left, kMaxNameWidth);
  table.addColumn("operation", Align::Left, kMaxOperationWidth);
  table.addColumn("eng", Align::Left);
  table.addColumn("MACs", Align::Right);
  table.addColumn("cycles", Align::Right);
  table.addColumn("roofline", Align::Right);
  table.addColumn("util", Align::Right);
  table.addColumn("stalls", Align::Left);
  table.addColumn("SRAM", Align::Right);
  table.addColumn("DRAM", Align::Right);
  table.addColumn("bound", Align::Left);
  for (size_t i = 0; i < report.layers.size(); ++i)
    table.addRow(layerCells(i, report.layers[i]));
  table.addRule();
  table.addRow(totalCells(report));
  return table.toString();
}

std::string engineTable(const Report &report) {
  TextTable table;
  table.addColumn("engine", Align::Left);
  for (auto title : {"busy", "of all", "wait", "sram port", "dram port", "latency", "issue"})
    table.addColumn(title, Align::Right);
  for (const EngineReport &engine : report.engines) {
    double share = report.total.cycles == 0
                       ? 0
                       : static_cast<double>(engine.busyCycles) / static_cast<double>(report.total.cycles);
    std::vector<std::string> cells = {std::string(engineName(engine.engine)), withCommas(engine.busyCycles),
                                      percent(share)};
    for (uint64_t stall : engine.stallCycles)
      cells.push_back(withCommas(stall));
    table.addRow(std::move(cells));
  }
  return table.toString();
}

std::string formatEnergy(double picojoules) {
  return picojoules < 1e9 ? fmt::format("{:.1f} uJ", picojoules / 1e6) : fmt::format("{:.2f} mJ", picojoules / 1e9);
}

std::string measuredTotals(const Report &report) {
  const Figures &total = report.total;
  double ratio =
      total.rooflineCycles == 0 ? 0 : static_cast<double>(total.cycles) / static_cast<double>(total.rooflineCycles);
  return fmt::format("simulated  {} cycles, {:.3f} ms at {} MHz; {:.2f} times the roofline bound\n"
                     "energy     {}\n",
                     withCommas(total.cycles), report.simulatedMs, report.clockHz / 1000000, ratio,
                     formatEnergy(total.energyPicojoules));
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
  if (!report.measured)
    text += "note       cycles were not counted in this mode\n";
  if (!report.computed)
    text += "note       values were not computed in this mode: the outputs mean nothing\n";
  return text;
}

} // namespace

std::string renderTable(const Report &report) {
  std::string text =
      fmt::format("{} on {} ({})\n\n{}\n", report.model, report.target, report.backend, layerTable(report));
  if (report.measured)
    text += engineTable(report) + "\n" + measuredTotals(report);
  return text + hostTotals(report) + remarks(report);
}

} // namespace avocet::tool
