//===- ReportTable.cpp - A report for people --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportTable.h"

#include "ReportCsv.h"
#include "avocet/analysis/LayerGroups.h"
#include "avocet/analysis/Report.h"
#include "avocet/base/NumberText.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/firmware_iface/Names.h"
#include "layers/ReportCsv.h"
#include "output/TextTable.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

std::string milliseconds(double time) { return fmt::format("{:.3f}", time); }

std::string timesTable(const analysis::ServedFigures &served) {
  TextTable table;
  table.addColumn("time in ms", Align::Left);
  for (auto title : {"least", "median", "most"})
    table.addColumn(title, Align::Right);
  auto addRow = [&](const char *name, const analysis::Spread &spread) {
    table.addRow({name, milliseconds(spread.least), milliseconds(spread.median), milliseconds(spread.most)});
  };
  addRow("on device", served.deviceMs);
  addRow("in driver", served.driverMs);
  addRow("call", served.callMs);
  return table.toString();
}

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

std::string deviceLines(const analysis::Report &report) {
  const double cycles = static_cast<double>(report.total.cycles);
  std::string predicted = report.predictedCycles == 0
                              ? "none: the compiler gave no prediction"
                              : fmt::format("{} cycles, {:.3f} ms; the shortest run took {:.2f} times as many",
                                            withCommas(report.predictedCycles), report.predictedMs,
                                            ratio(cycles, static_cast<double>(report.predictedCycles)));
  return labeledText("on device",
                     fmt::format("{} cycles, {:.3f} ms at {} MHz; {:.2f} times the roofline bound",
                                 withCommas(report.total.cycles), report.simulatedMs, report.clockHz / 1000000,
                                 ratio(cycles, static_cast<double>(report.total.rooflineCycles)))) +
         labeledText("predicted", predicted);
}

std::string deadlineText(const analysis::ServedFigures &served) {
  return served.deadlineMs > 0 ? fmt::format(", each within {} ms", served.deadlineMs) : "";
}

/// The table of times, and further lines in the form of renderTable().
std::string servedText(const analysis::Report &report, const analysis::ServedFigures &served) {
  return timesTable(served) + "\n" + deviceLines(report) + powerText(report) +
         labeledText("service", fmt::format("{}, version {}, at {}; prepared in {:.1f} ms", served.device,
                                            served.version, served.socket, served.prepareMs)) +
         labeledText("runs", fmt::format("{} by {}, priority {}, preference {}{}", report.runs, served.way,
                                         served.priority, served.preference, deadlineText(served)));
}

using Align = TextTable::Align;
using firmware::StallCause;

constexpr size_t kLeastNameWidth = 16;
constexpr size_t kMostNameWidth = 60;
constexpr size_t kLeastOperationWidth = 10;
constexpr size_t kOperationWidth = 24;

/// "DEPTHWISE_CONV_2D" as "DEPTHWISE_CONV", also in "CONV_2D + ADD".
std::string shortOperation(std::string operation) {
  constexpr std::string_view kSuffix = "_2D";
  for (size_t at = operation.find(kSuffix); at != std::string::npos; at = operation.find(kSuffix, at))
    operation.erase(at, kSuffix.size());
  return operation;
}

std::string percent(double part) { return fmt::format("{:.1f}%", part * 100); }

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The two largest causes in percent of the cycles: "wait 31 sram 4".
std::string stallText(const analysis::Figures &figures) {
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

std::string boundText(const analysis::Figures &figures) {
  return figures.boundBy == analysis::Bound::None ? "" : std::string(toString(figures.boundBy));
}

/// What a layer is, and what it needs on its target.
void addPlainColumns(TextTable &table, size_t nameWidth, size_t operationWidth) {
  table.addColumn("#", Align::Right);
  table.addColumn("layer", Align::Left, nameWidth).cutTo(kLeastNameWidth);
  table.addColumn("operation", Align::Left, operationWidth).cutTo(kLeastOperationWidth);
  table.addColumn("eng", Align::Left).drop(2);
  table.addColumn("MACs", Align::Right).drop(4);
}

/// The numbers give the order in which columns make room: the time and its cause stay.
void addMeasuredColumns(TextTable &table, bool hasHiddenDsp) {
  table.addColumn("cycles", Align::Right);
  if (hasHiddenDsp)
    table.addColumn("DSP hidden", Align::Right).drop(6);
  table.addColumn("roofline", Align::Right).drop(5);
  table.addColumn("util", Align::Right);
  table.addColumn("stalls in %", Align::Left);
  table.addColumn("SRAM r+w", Align::Right).drop(1);
  table.addColumn("DRAM r+w", Align::Right).drop(3);
  table.addColumn("bound", Align::Left);
}

std::string countOf(const analysis::Figures &figures) { return figures.macs != 0 ? formatCount(figures.macs) : ""; }

bool hasHiddenDsp(const analysis::Report &report) { return report.measured && report.total.hidden.dsp != 0; }

/// Cells that layers and the total share, from the MACs on.
std::vector<std::string> cellsOf(const analysis::Figures &figures, const analysis::Report &report) {
  const std::string roofline = &figures == &report.withoutLayer ? "" : withCommas(figures.rooflineCycles);
  if (!report.measured)
    return {countOf(figures), roofline};
  std::vector<std::string> cells = {countOf(figures), withCommas(figures.cycles)};
  if (hasHiddenDsp(report))
    cells.push_back(figures.hidden.dsp == 0 ? "" : withCommas(figures.hidden.dsp));
  std::ranges::move(std::vector<std::string>{roofline, figures.macs != 0 ? percent(figures.utilization) : "",
                                             stallText(figures), formatBytes(figures.sramBytes),
                                             formatBytes(figures.dramBytes), boundText(figures)},
                    std::back_inserter(cells));
  return cells;
}

/// Whether the row of what belongs to no layer has figures of the columns that are shown.
bool hasRest(const analysis::Report &report, bool hasTraffic) {
  const analysis::Figures &rest = report.withoutLayer;
  return rest.cycles != 0 || (hasTraffic && (rest.sramBytes != 0 || rest.dramBytes != 0));
}

enum class Rest { Hidden, Shown };

/// A row for "ATTENTION name" and one for each of its layers, which are together even if others run between them.
template <typename AddRow, typename AddLayer>
void addGroup(const analysis::LayerGroup &group, const AddRow &addRow, const AddLayer &addLayer) {
  const size_t space = std::min(group.name.find(' '), group.name.size());
  addRow({"", group.name.substr(std::min(space + 1, group.name.size())), group.name.substr(0, space), ""},
         group.figures);
  for (const size_t layer : group.layers)
    addLayer(layer, "  ");
}

TextTable buildLayerTable(const analysis::Report &report, const std::vector<std::string> &names, bool isWide,
                          Rest rest) {
  TextTable table;
  addPlainColumns(table, isWide ? kAnyWidth : kMostNameWidth, isWide ? kAnyWidth : kOperationWidth);
  if (report.measured)
    addMeasuredColumns(table, hasHiddenDsp(report));
  else
    table.addColumn("roofline", Align::Right);
  auto addRow = [&](std::vector<std::string> cells, const analysis::Figures &figures) {
    std::ranges::move(cellsOf(figures, report), std::back_inserter(cells));
    table.addRow(std::move(cells));
  };
  const auto addLayer = [&](size_t i, const char *indent) {
    const analysis::LayerReport &layer = report.layers[i];
    addRow({std::to_string(i), indent + names[i], shortOperation(layer.operation),
            std::string(shortTitleOf(layer.engine))},
           layer.figures);
  };
  const std::vector<analysis::LayerGroup> groups = analysis::groupsOf(report);
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const auto group = std::ranges::find(groups, report.layers[i].group, &analysis::LayerGroup::name);
    if (group == groups.end())
      addLayer(i, "");
    else if (group->layers.front() == i)
      addGroup(*group, addRow, addLayer);
  }
  if (rest == Rest::Shown)
    addRow({"", kNoLayerName, "", ""}, report.withoutLayer);
  table.addRule();
  addRow({"", "total", "", ""}, report.total);
  return table;
}

/// Names lose leading or trailing components to fit into their column, not just their ends.
std::string layerTable(const analysis::Report &report) {
  constexpr size_t kNameColumn = 1;
  const size_t trafficColumn = hasHiddenDsp(report) ? 11 : 10;
  const size_t limit = tableWidth();
  const bool isWide = limit == kAnyWidth;
  std::vector<std::string> names;
  for (const analysis::LayerReport &layer : report.layers)
    names.push_back(layer.name);
  const std::vector<std::string> longest = cache::shortenNames(names, isWide ? kAnyWidth : kMostNameWidth);
  const TextTable draft = buildLayerTable(report, longest, isWide, Rest::Hidden);
  const bool hasTraffic = report.measured && draft.fittedWidth(trafficColumn, limit) != 0;
  const bool isRestShown = report.measured && hasRest(report, hasTraffic);
  names = cache::shortenNames(std::move(names), draft.fittedWidth(kNameColumn, limit));
  return buildLayerTable(report, names, isWide, isRestShown ? Rest::Shown : Rest::Hidden).toString(limit);
}

/// Cycles of the engines by what they did. A stream that has ended leaves its engine idle, so the columns add up to the
/// cycles of the run, times the number of channels.
std::string engineTable(const analysis::Report &report) {
  TextTable table;
  table.addColumn("cycles", Align::Left);
  for (const analysis::EngineReport &engine : report.engines) {
    const std::string units = engine.units > 1 ? fmt::format(" x{}", engine.units) : "";
    table.addColumn(std::string(shortTitleOf(engine.engine)) + units, Align::Right);
    table.addColumn("of all", Align::Right);
  }
  std::vector<uint64_t> rest;
  for (const analysis::EngineReport &engine : report.engines)
    rest.push_back(report.total.cycles * engine.units);
  auto addRow = [&](std::string_view title, auto &&cyclesOf) {
    std::vector<std::string> cells = {std::string(title)};
    for (size_t i = 0; i < report.engines.size(); ++i) {
      const uint64_t cycles = cyclesOf(i);
      rest[i] -= std::min(rest[i], cycles);
      cells.push_back(withCommas(cycles));
      cells.push_back(percent(ratio(cycles, report.total.cycles * report.engines[i].units)));
    }
    table.addRow(std::move(cells));
  };
  addRow("busy", [&](size_t i) { return report.engines[i].busyCycles; });
  for (uint32_t cause = 0; cause < firmware::kNumStallCauses; ++cause)
    addRow(titleOf(static_cast<StallCause>(cause)), [&](size_t i) { return report.engines[i].stallCycles[cause]; });
  addRow("idle", [&](size_t i) { return rest[i]; });
  return table.toString();
}

std::string rooflineTotals(const analysis::Figures &total) {
  const bool isComputation = total.rooflineCycles == total.computeCycles;
  const std::string setBy = isComputation ? "computation" : "the off-chip port";
  return labeledText("roofline", fmt::format("{} cycles, set by {}: {} must cross the port, computation takes {} "
                                             "cycles; that of a layer is its computation or its weights, so the "
                                             "column does not add up",
                                             withCommas(total.rooflineCycles), setBy, formatBytes(total.leastDramBytes),
                                             withCommas(total.computeCycles)));
}

/// What the device costs, and what the schedule loses.
std::string deviceTotals(const analysis::Figures &total) {
  return labeledText("device",
                     fmt::format("{} cycles with all limits of the device, {:.2f} times the roofline; the "
                                 "schedule takes {:.2f} times as many",
                                 withCommas(total.deviceCycles), ratio(total.deviceCycles, total.rooflineCycles),
                                 ratio(total.cycles, total.deviceCycles)));
}

std::string executedTotals(const analysis::Report &report) {
  const analysis::DramTraffic &dram = report.dram;
  return labeledText("executed", fmt::format("{} MACs, {} needed", formatCount(report.total.executedMacs),
                                             formatCount(report.total.macs))) +
         labeledText("off chip", fmt::format("{}: weights {}, refetched {}, spills {}, inputs {}, outputs {}",
                                             formatBytes(report.total.dramBytes), formatBytes(dram.weights),
                                             formatBytes(dram.refetchedWeights), formatBytes(dram.spills),
                                             formatBytes(dram.inputs), formatBytes(dram.outputs)));
}

/// Why a layer takes less than its bound.
enum class Below { Transfers, Dsp, Results, OthersLoad, OnDsp, NoCommands };
constexpr std::array<std::string_view, 6> kBelowTexts = {
    "by transfers in cycles of other layers",
    "by the DSP in cycles of other layers",
    "by last results in cycles of other layers",
    "because other layers load their constants",
    "because the DSP takes less than the array, which their bound counts",
    "because they have no commands that ran"};

Below causeOf(const analysis::LayerReport &layer) {
  if (layer.commands == 0)
    return Below::NoCommands;
  if (layer.omittedCycles() != 0)
    return layer.engine == firmware::EngineKind::Dsp ? Below::OnDsp : Below::OthersLoad;
  const runtime::HiddenCycles &hidden = layer.figures.hidden;
  const std::array cycles = {hidden.transfers, hidden.dsp, hidden.results};
  return static_cast<Below>(std::ranges::max_element(cycles) - cycles.begin());
}

/// "3 layers (1, 4, 6)".
std::string layersText(const std::vector<size_t> &layers) {
  constexpr size_t kMost = 8;
  std::string numbers;
  for (size_t i = 0; i < std::min(layers.size(), kMost); ++i)
    numbers += fmt::format("{}{}", i ? ", " : "", layers[i]);
  return fmt::format("{} layer{} ({}{})", layers.size(), layers.size() == 1 ? "" : "s", numbers,
                     layers.size() > kMost ? ", ..." : "");
}

/// Why layers take less than their bounds; empty if there are none.
std::string overlapTotals(const analysis::Report &report) {
  std::array<std::vector<size_t>, kBelowTexts.size()> groups;
  for (size_t i = 0; i < report.layers.size(); ++i)
    if (report.layers[i].figures.cycles < report.layers[i].figures.rooflineCycles)
      groups[static_cast<size_t>(causeOf(report.layers[i]))].push_back(i);
  std::string text;
  for (size_t i = 0; i < groups.size(); ++i)
    if (!groups[i].empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", layersText(groups[i]), kBelowTexts[i]);
  return text.empty() ? "" : labeledText("overlap", "less than their roofline take " + text);
}

std::string measuredTotals(const analysis::Report &report) {
  const analysis::Figures &total = report.total;
  return labeledText("simulated", fmt::format("{} cycles, {:.3f} ms at {} MHz; {:.2f} times the roofline bound",
                                              withCommas(total.cycles), report.simulatedMs, report.clockHz / 1000000,
                                              ratio(total.cycles, total.rooflineCycles))) +
         rooflineTotals(total) + deviceTotals(total) + overlapTotals(report) + executedTotals(report) +
         labeledText("energy", formatEnergy(total.energyPicojoules)) + powerText(report);
}

/// Cycles lost to other jobs on the device; empty if there are none.
std::string sharedTotals(const analysis::Report &report) {
  std::string text;
  if (report.waitCycles != 0)
    text +=
        labeledText("waited", fmt::format("{} cycles for other jobs before it started", withCommas(report.waitCycles)));
  const firmware::PreemptionCounters &preemption = report.preemption;
  if (preemption.preemptions != 0)
    text += labeledText("preempted",
                        fmt::format("{} times, for {} cycles; {} of {} that it needed again were moved out of SRAM",
                                    preemption.preemptions, withCommas(preemption.suspendedCycles),
                                    formatBytes(preemption.evacuatedBytes), formatBytes(preemption.liveBytes)));
  return text;
}

std::string hostTotals(const analysis::Report &report) {
  std::string compile = report.hostCompileMs > 0 ? fmt::format("compiled in {:.1f} ms, ", report.hostCompileMs) : "";
  std::string runs = report.runs > 1 ? fmt::format(" (shortest of {} runs)", report.runs) : "";
  return labeledText("SRAM peak", fmt::format("{} of {}", formatBytes(report.total.sramPeakBytes),
                                              formatBytes(report.sramTargetBytes))) +
         labeledText("host", fmt::format("{}ran in {:.2f} ms{}", compile, report.hostRunMs, runs));
}

std::string hostTable(const analysis::Report &report) {
  if (report.host.empty())
    return "";
  TextTable table;
  constexpr size_t kLeastName = 16;
  table.addColumn("#", Align::Right);
  table.addColumn("on the host", Align::Left).cutTo(kLeastName);
  table.addColumn("operator", Align::Left).cutTo(kLeastName);
  table.addColumn("place", Align::Left);
  table.addColumn("ms", Align::Right);
  double total = 0;
  for (const analysis::HostReport &each : report.host) {
    table.addRow({each.number ? std::to_string(*each.number) : "", each.name, each.operation, each.place,
                  milliseconds(each.ms)});
    total += each.ms;
  }
  table.addRule();
  table.addRow({"", "total", "", "", milliseconds(total)});
  return "\n" + table.toString(tableWidth());
}

std::string classTable(const analysis::Report &report) {
  if (report.classes.empty())
    return "";
  TextTable table;
  constexpr size_t kLeastName = 16;
  table.addColumn("picture", Align::Left).cutTo(kLeastName);
  table.addColumn("class", Align::Left).cutTo(kLeastName);
  table.addColumn("label", Align::Right);
  table.addColumn("score", Align::Right);
  std::string_view last;
  for (const analysis::ClassReport &found : report.classes) {
    table.addRow({found.picture == last ? "" : found.picture, found.name, withCommas(found.label),
                  fmt::format("{:.4f}", found.score)});
    last = found.picture;
  }
  return "\n" + table.toString();
}

std::string remarks(const analysis::Report &report) {
  std::string text;
  if (!report.measured && report.notes.empty())
    text += labeledText("note", "cycles were not counted in this mode");
  if (!report.computed)
    text += labeledText("note", "values were not computed in this mode: the outputs are not valid");
  for (const std::string &note : report.notes)
    text += labeledText("note", note);
  return text;
}

} // namespace

std::string powerText(const analysis::Report &report) {
  if (!report.power)
    return "";
  const analysis::PowerFigures &power = *report.power;
  return labeledText("power", fmt::format("{} and {} static, together {}, at clock level {} of {} MHz",
                                          formatEnergy(power.dynamicPicojoules), formatEnergy(power.staticPicojoules),
                                          formatEnergy(power.dynamicPicojoules + power.staticPicojoules),
                                          power.clockLevel, power.clockHz / 1000000));
}

std::string renderTable(const analysis::Report &report) {
  std::string text =
      fmt::format("{} on {} ({})\n\n{}\n", report.model, report.target, report.backend, layerTable(report));
  if (report.measured)
    text += engineTable(report) + "\n" + measuredTotals(report) + sharedTotals(report);
  if (report.served)
    text += servedText(report, *report.served);
  return text + hostTotals(report) + remarks(report) + hostTable(report) + classTable(report);
}

} // namespace avocet::tool
