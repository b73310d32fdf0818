//===- ExplanationText.cpp - The answers of avocet explain ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/Explanation.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/base/NumberText.h"
#include "avocet/documents/LayerDecisions.h"
#include "avocet/documents/RunJson.h"
#include "explain/DecisionText.h"
#include "layers/ReportCsv.h"
#include "output/TextTable.h"
#include "where/SourceText.h"

#include <algorithm>
#include <fmt/format.h>

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

std::string causeText(const SourceNames &names, const documents::WaitCause &cause, uint32_t self) {
  const std::string of = cause.layer == firmware::kNoLayer ? ""
                         : cause.layer == self
                             ? " of this layer"
                             : " of layer " + std::to_string(cause.layer) + " " + names.layer(cause.layer);
  switch (cause.kind) {
  case documents::WaitCause::Kind::Constants:
    return "constants" + of + " from off chip";
  case documents::WaitCause::Kind::Reload:
    return "a spilled result" + of + " from off chip";
  case documents::WaitCause::Kind::Input:
    return "a network input from off chip";
  case documents::WaitCause::Kind::Store:
    return "memory until a result" + of + " is stored";
  case documents::WaitCause::Kind::Result:
    return "a result" + of;
  }
  return "";
}

/// What ran at the same time, in percent of all cycles, and what stood still.
std::string overlapText(const analysis::Report &report) {
  const runtime::Overlap &overlap = report.overlap;
  const auto part = [&](uint64_t cycles) { return fmt::format("{:.1f}%", percent(cycles, report.total.cycles)); };
  return labeledText("overlap", fmt::format("array or DSP work and data moves in {} of all cycles; in {} no data moves "
                                            "while they work, in {} they wait while data moves, in {} both stand still",
                                            part(overlap.both), part(overlap.onlyComputing), part(overlap.onlyMoving),
                                            part(overlap.neither)));
}

std::string changeOf(uint64_t now, uint64_t before) {
  return fmt::format("{:+.1f}%", before ? 100.0 * (double(now) / double(before) - 1) : 0.0);
}

/// What the figures that overlap needs would change, of sizes of SRAM the best one. Empty if none was tried.
std::string overlapChangeText(const documents::Explanation &explanation) {
  std::string text;
  for (const documents::WhatIf::Figure figure :
       {documents::WhatIf::Figure::SramBytes, documents::WhatIf::Figure::Bandwidth,
        documents::WhatIf::Figure::Channels}) {
    const documents::WhatIf *best = nullptr;
    for (const documents::WhatIf &each : *explanation.changes)
      if (each.figure == figure && (!best || each.cycles < best->cycles))
        best = &each;
    if (best)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", best->change,
                          changeOf(best->cycles, explanation.base.report.total.cycles));
  }
  return text.empty() ? "" : labeledText("more", "overlap by simulation, in cycles: " + text);
}

double ratio(uint64_t part, uint64_t whole) { return double(part) / double(std::max<uint64_t>(1, whole)); }

std::string summary(const analysis::Report &report) {
  const analysis::Figures &total = report.total;
  return fmt::format(
             "{} on {}: {} cycles, {:.2f} times the bound of {}\n"
             "device     {} cycles with all its limits, {:.2f} times the bound; the schedule takes {:.2f} times "
             "as many\n"
             "limited by {}; moves {} off chip, at least {} are needed\n",
             report.model, report.target, withCommas(report.total.cycles), ratio(total.cycles, total.rooflineCycles),
             withCommas(total.rooflineCycles), withCommas(total.deviceCycles),
             ratio(total.deviceCycles, total.rooflineCycles), ratio(total.cycles, total.deviceCycles),
             limitText(total.boundBy), formatBytes(total.dramBytes), formatBytes(total.leastDramBytes)) +
         overlapText(report);
}

/// Losses of layers as rows of a table, and of what is not shown.
class LossTable {
public:
  explicit LossTable(const documents::Explanation &explanation) : explanation_(explanation), names_(explanation.map) {
    table_.addColumn("#", TextTable::Align::Right);
    table_.addColumn("layer", TextTable::Align::Left, 30).cutTo(12);
    for (const char *title : {"cycles", "least", "loss of all"})
      table_.addColumn(title, TextTable::Align::Right);
    table_.addColumn("overlap", TextTable::Align::Right);
    table_.addColumn("limited by", TextTable::Align::Left);
  }

  std::string toString() {
    const std::vector<size_t> shown = documents::worstLayers(explanation_);
    std::vector<bool> isShown(layers().size());
    for (size_t layer : shown) {
      addLayer(layer);
      isShown[layer] = true;
    }
    addOthers(isShown);
    if (losses().layers.back().total() != 0)
      table_.addRow(
          rowOf("", kNoLayerName, explanation_.base.report.withoutLayer.cycles, "", losses().layers.back(), ""));
    return table_.numRows() == 0 ? "" : table_.toString();
  }

private:
  const std::vector<analysis::LayerReport> &layers() const { return explanation_.base.report.layers; }
  const analysis::Losses &losses() const { return explanation_.losses; }

  std::vector<std::string> rowOf(const std::string &number, const std::string &name, uint64_t cycles,
                                 const std::string &least, const analysis::Loss &loss, const std::string &limit) const {
    const uint64_t all = explanation_.base.report.total.cycles;
    const auto part = [&](uint64_t lost) { return fmt::format("{:.1f}%", percent(lost, all)); };
    const std::string overlap = loss.overlap ? part(loss.overlap) : "";
    return {number, name, withCommas(cycles), least, part(loss.total()), overlap, limit};
  }

  void addLayer(size_t i) {
    const analysis::Figures &figures = layers()[i].figures;
    table_.addRow(rowOf(std::to_string(i), names_.layer(i), figures.cycles, withCommas(figures.rooflineCycles),
                        losses().layers[i], limitText(figures.boundBy)));
  }

  void addOthers(const std::vector<bool> &isShown) {
    size_t count = 0;
    uint64_t cycles = 0;
    analysis::Loss loss;
    for (size_t i = 0; i < isShown.size(); ++i) {
      if (isShown[i] || losses().layers[i].total() == 0)
        continue;
      ++count;
      cycles += layers()[i].figures.cycles;
      loss.own += losses().layers[i].own;
      loss.overlap += losses().layers[i].overlap;
    }
    if (count != 0)
      table_.addRow(rowOf("", fmt::format("{} other layers", count), cycles, "", loss, ""));
  }

  const documents::Explanation &explanation_;
  const SourceNames names_;
  TextTable table_;
};

/// The layers of the table whose shapes leave much of the array idle, the worst first; empty if there are none.
std::string emptyPlacesText(const documents::Explanation &explanation) {
  constexpr double kMuch = 0.75;
  constexpr size_t kMost = 5;
  std::vector<std::pair<double, size_t>> layers;
  for (size_t layer : documents::worstLayers(explanation))
    if (const auto &fill = explanation.fills[layer]; fill && fill->part() < kMuch)
      layers.emplace_back(fill->part(), layer);
  std::ranges::sort(layers);
  std::string text;
  for (size_t i = 0; i < std::min(layers.size(), kMost); ++i)
    text += fmt::format("{}layer {} {:.0f}% ({})", i ? ", " : "", layers[i].second, 100 * layers[i].first,
                        textOf(explanation.fills[layers[i].second]->worst()));
  if (layers.size() > kMost)
    text += fmt::format(", and {} more", layers.size() - kMost);
  return text.empty() ? "" : "\n" + labeledText("array", "shapes fill only a part of it: " + text);
}

std::string lossText(const documents::Explanation &explanation) {
  const std::string table = LossTable(explanation).toString();
  if (table.empty())
    return "\nevery layer takes its least time\n" + emptyPlacesText(explanation);
  const analysis::Losses &losses = explanation.losses;
  uint64_t overlap = 0;
  for (const analysis::Loss &loss : losses.layers)
    overlap += loss.overlap;
  std::string text =
      fmt::format("in {} cycles {} does nothing that it must do, in {} of them only because layers do not "
                  "overlap; {} are above the bound",
                  withCommas(losses.total), losses.isPortLimit ? "the off-chip port" : "computation",
                  withCommas(overlap), withCommas(losses.gap));
  if (losses.total > losses.gap)
    text += fmt::format(", since work in cycles of others saves {}", withCommas(losses.total - losses.gap));
  return labeledText("losses", text) + "\nlayers that lose most\n" + table + emptyPlacesText(explanation);
}

/// The sections of a network with branches or loops, and which of them ran.
std::string sectionTable(const documents::Explanation &explanation) {
  if (explanation.map.isStraight())
    return "";
  TextTable table;
  for (const char *title : {"section", "runs", "cycles", "of all"})
    table.addColumn(title, TextTable::Align::Right);
  const std::vector<documents::SectionFigures> sections = documents::sectionFigures(explanation.map, explanation.times);
  for (size_t section = 0; section < sections.size(); ++section)
    table.addRow({std::to_string(section), withCommas(sections[section].runs), withCommas(sections[section].cycles),
                  fmt::format("{:.1f}%", percent(sections[section].cycles, explanation.times.cycles()))});
  const bool hasValues = explanation.base.report.computed;
  return fmt::format("\nsections that ran {}\n{}",
                     hasValues ? "with random inputs (seed 1)" : "with all conditions false: random inputs end no loop",
                     table.toString());
}

/// Why a layer takes less than its least time; empty if it does not.
std::string belowBoundText(const analysis::LayerReport &layer) {
  const analysis::Figures &figures = layer.figures;
  if (figures.cycles >= figures.rooflineCycles)
    return "";
  std::string text;
  for (const auto &[what, cycles] : {std::pair{"its transfers ran", figures.hidden.transfers},
                                     {"the DSP worked for it", figures.hidden.dsp},
                                     {"its last results left the array", figures.hidden.results}})
    if (cycles != 0)
      text += fmt::format("{}{} {} cycles", text.empty() ? "" : ", ", what, withCommas(cycles));
  if (layer.commands == 0)
    return "less than the least, because it has no commands that ran\n";
  if (layer.omittedCycles() != 0)
    text += (text.empty() ? "" : ", ") + std::string(layer.engine == firmware::EngineKind::Dsp
                                                         ? "the DSP takes less than the array would"
                                                         : "another layer loads its constants");
  return "less than the least, because of overlap with other layers: " + text + "\n";
}

/// What the shapes of a layer leave of the array; empty if nothing.
std::string fillSentence(const std::optional<analysis::ArrayFill> &fill) {
  std::string text;
  for (size_t i = 0; fill && i < fill->axes.size(); ++i)
    if (fill->axes[i].used != fill->axes[i].of)
      text += (text.empty() ? "" : ", ") + textOf(fill->axes[i]);
  return text.empty() ? "" : fmt::format("its shape fills {:.0f}% of the array: {}\n", 100 * fill->part(), text);
}

std::string layerText(const documents::Explanation &explanation) {
  const documents::LayerExplanation &layer = *explanation.layer;
  const analysis::Figures &network = explanation.base.report.total;
  const SourceNames names(explanation.map);
  const analysis::LayerReport &report = explanation.base.report.layers[layer.number];
  const analysis::LayerTiles &tiles = layer.plan.tiles;
  std::string text = fmt::format(
      "\nlayer {} {} ({}): {} cycles, {:.1f}% of the network's; at least {}, on the device {}\nlimited by {}\n",
      layer.number, names.layer(layer.number), report.operation, withCommas(report.figures.cycles),
      percent(report.figures.cycles, network.cycles), withCommas(report.figures.rooflineCycles),
      withCommas(report.figures.deviceCycles), limitText(report.figures.boundBy));
  text += fmt::format("{} commands, the largest makes {} x {} x {}\n", withCommas(tiles.count), tiles.rows,
                      tiles.columns, tiles.channels);
  text += belowBoundText(report) + fillSentence(explanation.fills[layer.number]);
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

std::string changeText(const documents::Measured &base, const std::vector<documents::WhatIf> &changes,
                       const analysis::LayerReport *layer) {
  TextTable table;
  table.addColumn("with", TextTable::Align::Left);
  table.addColumn("cycles", TextTable::Align::Right);
  table.addColumn("change", TextTable::Align::Right);
  if (layer)
    table.addColumn("of the layer", TextTable::Align::Right);
  for (const documents::WhatIf &each : changes) {
    std::vector<std::string> row = {each.change, withCommas(each.cycles),
                                    changeOf(each.cycles, base.report.total.cycles)};
    if (layer)
      row.push_back(each.layerCycles ? changeOf(each.layerCycles, layer->figures.cycles) : "-");
    table.addRow(std::move(row));
  }
  return fmt::format("\nwhat would help (compiled and simulated)\n{}", table.toString());
}

} // namespace

std::string explanationText(const documents::Explanation &explanation) {
  const analysis::Report &report = explanation.base.report;
  std::string text = summary(report);
  if (explanation.changes)
    text += overlapChangeText(explanation);
  text += sectionTable(explanation);
  const analysis::LayerReport *layer = explanation.layer ? &report.layers[explanation.layer->number] : nullptr;
  if (layer)
    text += layerText(explanation) + decisionText(explanation.layer->decisions, report.total.cycles);
  else
    text += lossText(explanation);
  if (explanation.changes)
    text += changeText(explanation.base, *explanation.changes, layer);
  return text;
}

} // namespace avocet::tool
