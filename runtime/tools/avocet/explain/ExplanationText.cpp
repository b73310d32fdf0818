//===- ExplanationText.cpp - The answers of avocet explain ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"

#include "LayerDecisions.h"
#include "output/TextTable.h"
#include "where/SourceMap.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace avocet::tool {
namespace {

double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * double(part) / double(whole) : 0; }

/// "what the layer waits for, or works on", in words.
std::string limitText(analysis::Bound bound) {
  switch (bound) {
  case analysis::Bound::None:
    return "not measured";
  case analysis::Bound::Array:
    return "the MAC array";
  case analysis::Bound::Dsp:
    return "the DSP";
  case analysis::Bound::Data:
    return "data";
  case analysis::Bound::Sram:
    return "the SRAM port";
  case analysis::Bound::Dram:
    return "the off-chip port";
  case analysis::Bound::Latency:
    return "off-chip latency";
  case analysis::Bound::Issue:
    return "issue, fill, drain";
  }
  return "";
}

std::string causeText(const SourceNames &names, const WaitCause &cause, uint32_t self) {
  const std::string of = cause.layer == firmware::kNoLayer ? ""
                         : cause.layer == self
                             ? " of this layer"
                             : " of layer " + std::to_string(cause.layer) + " " + names.layer(cause.layer);
  switch (cause.kind) {
  case WaitCause::Kind::Constants:
    return "constants" + of + " from off chip";
  case WaitCause::Kind::Reload:
    return "a spilled result" + of + " from off chip";
  case WaitCause::Kind::Input:
    return "a network input from off chip";
  case WaitCause::Kind::Store:
    return "memory until a result" + of + " is stored";
  case WaitCause::Kind::Result:
    return "a result" + of;
  }
  return "";
}

std::string summary(const analysis::Report &report) {
  const uint64_t traffic = report.total.dramBytes;
  return fmt::format("{} on {}: {} cycles, {:.2f} times the bound of {}\n"
                     "limited by {}; moves {} off chip, at least {} are needed\n",
                     report.model, report.target, withCommas(report.total.cycles),
                     double(report.total.cycles) / double(std::max<uint64_t>(1, report.total.rooflineCycles)),
                     withCommas(report.total.rooflineCycles), limitText(report.total.boundBy), formatBytes(traffic),
                     formatBytes(report.total.leastDramBytes));
}

std::string worstLayers(const analysis::Report &report, const SourceNames &names) {
  std::vector<size_t> order(report.layers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::pair(lossOf(report.layers[b]), a) < std::pair(lossOf(report.layers[a]), b);
  });
  constexpr size_t kShown = 10;
  order.resize(std::min(kShown, order.size()));
  TextTable table;
  table.addColumn("#", TextTable::Align::Right);
  table.addColumn("layer", TextTable::Align::Left, 30);
  for (const char *title : {"cycles", "least", "loss of all"})
    table.addColumn(title, TextTable::Align::Right);
  table.addColumn("limited by", TextTable::Align::Left);
  for (size_t i : order) {
    const analysis::LayerReport &layer = report.layers[i];
    if (lossOf(layer) == 0)
      break;
    table.addRow(
        {std::to_string(i), names.layer(i), withCommas(layer.figures.cycles), withCommas(layer.figures.rooflineCycles),
         fmt::format("{:.1f}%", percent(lossOf(layer), report.total.cycles)), limitText(layer.figures.boundBy)});
  }
  return table.numRows() == 0 ? "\nevery layer takes its least time\n"
                              : fmt::format("\nlayers that lose most\n{}", table.toString());
}

/// The sections of a network with branches or loops, and which of them ran.
std::string sectionTable(const Explanation &explanation) {
  if (explanation.map.isStraight())
    return "";
  TextTable table;
  for (const char *title : {"section", "runs", "cycles", "of all"})
    table.addColumn(title, TextTable::Align::Right);
  const std::vector<SectionFigures> sections = sectionFigures(explanation.map, explanation.times);
  for (size_t section = 0; section < sections.size(); ++section)
    table.addRow({std::to_string(section), withCommas(sections[section].runs), withCommas(sections[section].cycles),
                  fmt::format("{:.1f}%", percent(sections[section].cycles, explanation.times.cycles()))});
  const bool hasValues = explanation.base.report.computed;
  return fmt::format("\nsections that ran {}\n{}",
                     hasValues ? "with random inputs (seed 1)" : "with all conditions false: random inputs end no loop",
                     table.toString());
}

std::string layerText(const Explanation &explanation) {
  const LayerExplanation &layer = *explanation.layer;
  const analysis::Figures &network = explanation.base.report.total;
  const SourceNames names(explanation.map);
  const analysis::LayerReport &report = explanation.base.report.layers[layer.number];
  const analysis::LayerTiles &tiles = layer.plan.tiles;
  std::string text =
      fmt::format("\nlayer {} {} ({}): {} cycles, {:.1f}% of the network's; at least {}\nlimited by {}\n", layer.number,
                  names.layer(layer.number), report.operation, withCommas(report.figures.cycles),
                  percent(report.figures.cycles, network.cycles), withCommas(report.figures.rooflineCycles),
                  limitText(report.figures.boundBy));
  text += fmt::format("{} commands, the largest makes {} x {} x {}\n", withCommas(tiles.count), tiles.rows,
                      tiles.columns, tiles.channels);
  if (!explanation.map.isStraight())
    text += fmt::format("in section {}; cycles are those of all {} runs of it\n", layer.plan.section,
                        withCommas(explanation.times.runsOf(layer.plan.section).size()));
  if (layer.storedBytes != 0)
    text += fmt::format("loads {} of constants, {:.1f} times the {} that are stored\n",
                        formatBytes(layer.plan.constantBytes),
                        double(layer.plan.constantBytes) / double(layer.storedBytes), formatBytes(layer.storedBytes));
  TextTable table;
  table.addColumn("waits for", TextTable::Align::Left, 56);
  table.addColumn("cycles", TextTable::Align::Right);
  for (const auto &[cause, cycles] : layer.waits)
    if (cycles * 100 >= report.figures.cycles)
      table.addRow({causeText(names, cause, layer.number), withCommas(cycles)});
  return text +
         (table.numRows() == 0 ? "it waits for nothing for as much as 1% of its time\n" : "\n" + table.toString());
}

std::string changeText(const Measured &base, const std::vector<WhatIf> &changes, const analysis::LayerReport *layer) {
  TextTable table;
  table.addColumn("with", TextTable::Align::Left);
  table.addColumn("cycles", TextTable::Align::Right);
  table.addColumn("change", TextTable::Align::Right);
  if (layer)
    table.addColumn("of the layer", TextTable::Align::Right);
  const auto change = [](uint64_t now, uint64_t before) {
    return fmt::format("{:+.1f}%", before ? 100.0 * (double(now) / double(before) - 1) : 0.0);
  };
  for (const WhatIf &each : changes) {
    std::vector<std::string> row = {each.change, withCommas(each.cycles),
                                    change(each.cycles, base.report.total.cycles)};
    if (layer)
      row.push_back(each.layerCycles ? change(each.layerCycles, layer->figures.cycles) : "-");
    table.addRow(std::move(row));
  }
  return fmt::format("\nwhat would help (compiled and simulated)\n{}", table.toString());
}

} // namespace

std::string explanationText(const Explanation &explanation) {
  const analysis::Report &report = explanation.base.report;
  std::string text = summary(report) + sectionTable(explanation);
  const analysis::LayerReport *layer = explanation.layer ? &report.layers[explanation.layer->number] : nullptr;
  if (layer)
    text += layerText(explanation) + decisionText(explanation.layer->decisions, report.total.cycles);
  else
    text += worstLayers(report, SourceNames(explanation.map));
  if (explanation.changes)
    text += changeText(explanation.base, *explanation.changes, layer);
  return text;
}

} // namespace avocet::tool
