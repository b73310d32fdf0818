//===- ExploreTable.cpp - The table of an exploration --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExploreTable.h"

#include "avocet/base/NumberText.h"
#include "output/TextTable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

constexpr size_t kWidth = 80;
constexpr size_t kReasonLines = 12; ///< of refusals in one table

struct Column {
  std::string title;
  Align align;
  std::function<std::string(const ResultRow &)> cell;
};

/// By importance: the last ones are left out if the table is too wide.
std::vector<Column> figureColumns(const Results &results, uint64_t fewestCycles) {
  return {{"cycles", Align::Right, [](const ResultRow &row) { return withCommas(row.record->cycles); }},
          {"energy", Align::Right, [](const ResultRow &row) { return energyText(row.record->energyPicojoules); }},
          {"x best", Align::Right,
           [fewestCycles](const ResultRow &row) {
             return fmt::format("{:.2f}", static_cast<double>(row.record->cycles) /
                                              static_cast<double>(std::max<uint64_t>(1, fewestCycles)));
           }},
          {"off-chip", Align::Right, [](const ResultRow &row) { return formatBytes(row.record->dramBytes); }},
          {"bound", Align::Left, [](const ResultRow &row) { return row.record->bound; }},
          {"ms", Align::Right,
           [&results](const ResultRow &row) {
             return fmt::format("{:.3f}", results.target(row.target).nanoseconds(row.record->cycles) / 1e6);
           }},
          {"SRAM peak", Align::Right, [](const ResultRow &row) { return formatBytes(row.record->sramPeakBytes); }}};
}

void addAxisColumns(TextTable &table, const DesignSpace &space) {
  table.addColumn("", Align::Left); // the mark of the front
  if (space.axes.empty())
    table.addColumn("target", Align::Left);
  for (const Axis &axis : space.axes)
    table.addColumn(axis.key, Align::Right);
}

std::vector<std::string> axisCells(const DesignSpace &space, size_t target, bool isOnFront) {
  std::vector<std::string> cells = {isOnFront ? "*" : ""};
  if (space.axes.empty())
    cells.push_back(space.base->name());
  for (size_t i = 0; i < space.axes.size(); ++i)
    cells.push_back(shownValue(space.axes[i], space.axes[i].values[space.targets[target].places[i]]));
  return cells;
}

TextTable buildTable(const Results &results, const std::vector<const ResultRow *> &rows,
                     std::span<const Column> columns) {
  TextTable table;
  const DesignSpace &space = results.exploration.space;
  addAxisColumns(table, space);
  for (const Column &column : columns)
    table.addColumn(column.title, column.align);
  for (const ResultRow *row : rows) {
    std::vector<std::string> cells = axisCells(space, row->target, row->isOnFront);
    for (const Column &column : columns)
      cells.push_back(column.cell(*row));
    table.addRow(std::move(cells));
  }
  return table;
}

std::vector<const ResultRow *> rowsWithFigures(const NetworkResults &network) {
  std::vector<const ResultRow *> rows;
  for (const ResultRow &row : network.rows)
    if (row.reason.empty())
      rows.push_back(&row);
  return rows;
}

std::string figuresTable(const Results &results, const NetworkResults &network, ShownRows shown) {
  std::vector<const ResultRow *> rows = rowsWithFigures(network);
  if (rows.empty())
    return "";
  const auto cyclesOf = [](const ResultRow *row) { return row->record->cycles; };
  const std::vector<Column> columns = figureColumns(results, cyclesOf(*std::ranges::min_element(rows, {}, cyclesOf)));
  if (shown == ShownRows::Front)
    std::erase_if(rows, [](const ResultRow *row) { return !row->isOnFront; });
  for (size_t count = columns.size(); count > 1; --count) {
    const std::string text = buildTable(results, rows, std::span(columns).first(count)).toString(kAnyWidth);
    if (displayWidth(text.substr(0, text.find('\n'))) <= kWidth)
      return text;
  }
  return buildTable(results, rows, std::span(columns).first(1)).toString();
}

/// Points with one reason share a line, because a network is often refused on all targets.
std::string refusals(const Results &results, const NetworkResults &network) {
  std::vector<std::pair<std::string, std::vector<size_t>>> reasons;
  for (const ResultRow &row : network.rows) {
    if (row.reason.empty())
      continue;
    auto known = std::ranges::find(reasons, row.reason, [](const auto &entry) { return entry.first; });
    if (known == reasons.end())
      known = reasons.insert(reasons.end(), {row.reason, {}});
    known->second.push_back(row.target);
  }
  std::string text;
  const DesignSpace &space = results.exploration.space;
  for (size_t i = 0; i < std::min(reasons.size(), kReasonLines); ++i) {
    const auto &[reason, targets] = reasons[i];
    const std::string where = targets.size() == network.rows.size() ? "all targets"
                              : targets.size() == 1 ? shownValues(space, space.targets[targets.front()])
                                                    : fmt::format("{} targets from {}", targets.size(),
                                                                  shownValues(space, space.targets[targets.front()]));
    text += fmt::format("no result for {}:\n  {}\n", where, reason);
  }
  if (reasons.size() > kReasonLines)
    text += fmt::format("{} more reasons are in explore.csv\n", reasons.size() - kReasonLines);
  return text;
}

std::string networkText(const Results &results, const NetworkResults &network, ShownRows shown) {
  const size_t numRows = rowsWithFigures(network).size();
  std::string text =
      fmt::format("{}: {} of {} targets, {} on the front (*)\n", results.exploration.networks[network.network].name,
                  numRows, network.rows.size(), network.numOnFront);
  return text + figuresTable(results, network, shown) + refusals(results, network) + "\n";
}

std::string leftOutText(const Results &results) {
  std::string text;
  for (const std::string &name : results.leftOut)
    text += fmt::format("{}{}", text.empty() ? "without " : ", ", name);
  return text.empty() ? "" : text + ", which has no result on any target\n";
}

std::string summaryText(const Results &results, ShownRows shown) {
  if (results.summary.empty())
    return "";
  TextTable table;
  const DesignSpace &space = results.exploration.space;
  addAxisColumns(table, space);
  table.addColumn("mean cycles", Align::Right);
  table.addColumn("mean energy", Align::Right);
  size_t numOnFront = 0, numComplete = 0;
  for (const TargetSummary &summary : results.summary) {
    numComplete += summary.cycles > 0 ? 1 : 0;
    numOnFront += summary.isOnFront ? 1 : 0;
    if (summary.cycles == 0 || (shown == ShownRows::Front && !summary.isOnFront))
      continue;
    std::vector<std::string> cells = axisCells(space, summary.target, summary.isOnFront);
    cells.push_back(withCommas(static_cast<uint64_t>(std::llround(summary.cycles))));
    cells.push_back(energyText(summary.energyPicojoules));
    table.addRow(std::move(cells));
  }
  return fmt::format("all networks, geometric means: {} of {} targets, {} on the front (*)\n{}{}\n", numComplete,
                     results.summary.size(), numOnFront, table.toString(), leftOutText(results));
}

} // namespace

std::string energyText(double picojoules) {
  return picojoules < 1e9 ? fmt::format("{:.1f} uJ", picojoules / 1e6) : fmt::format("{:.2f} mJ", picojoules / 1e9);
}

std::string exploreTable(const Results &results, ShownRows rows) {
  std::string text;
  for (const NetworkResults &network : results.networks)
    text += networkText(results, network, rows);
  text += summaryText(results, rows);
  const size_t numPoints = results.exploration.numPoints();
  text += fmt::format("{} points: {} with figures, {} refused, {} failed, {} not computed\n", numPoints,
                      numPoints - results.numRefused - results.numFailed - results.numMissing, results.numRefused,
                      results.numFailed, results.numMissing);
  return text;
}

} // namespace avocet::tool
