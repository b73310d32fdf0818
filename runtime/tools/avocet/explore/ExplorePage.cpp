//===- ExplorePage.cpp - The HTML page of an exploration -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorePage.h"

#include "ExploreTable.h"
#include "Results.h"
#include "avocet/base/EmbeddedFile.h"
#include "avocet/base/NumberText.h"
#include "avocet/cache/LayerNames.h"
#include "output/TextTable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <span>

namespace avocet::tool {

/// Generated: the files of page/, and the library.
std::span<const EmbeddedFile> explorePageFiles();

namespace {

constexpr size_t kMostPointRows = 1'000; ///< of a network
constexpr size_t kMostChangeRows = 400;  ///< of a network
constexpr size_t kShownLayers = 3;       ///< of a change

std::string_view fileText(std::string_view name) {
  const auto files = explorePageFiles();
  return std::ranges::find(files, name, &EmbeddedFile::name)->text;
}

/// Rows of cells. Columns from `firstNumber` to before `endNumbers` are numbers, the others text.
class HtmlTable {
public:
  HtmlTable(const std::vector<std::string> &titles, size_t firstNumber, size_t endNumbers = SIZE_MAX)
      : firstNumber_(firstNumber), endNumbers_(endNumbers) {
    text_ = "<table><thead><tr>";
    for (size_t i = 0; i < titles.size(); ++i)
      text_ += fmt::format("<th scope=\"col\"{}>{}</th>", classOf(i), htmlText(titles[i]));
    text_ += "</tr></thead><tbody>\n";
  }
  void addRow(const std::vector<std::string> &cells, std::string_view rowClass = "") {
    text_ += rowClass.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", rowClass);
    for (size_t i = 0; i < cells.size(); ++i)
      text_ += fmt::format("<td{}>{}</td>", classOf(i), htmlText(cells[i]));
    text_ += "</tr>\n";
  }
  std::string finish() { return std::move(text_) + "</tbody></table>\n"; }

private:
  std::string_view classOf(size_t column) const {
    return column >= firstNumber_ && column < endNumbers_ ? " class=\"number\"" : "";
  }
  size_t firstNumber_, endNumbers_;
  std::string text_;
};

std::vector<std::string> axisTitles(const DesignSpace &space) {
  std::vector<std::string> titles;
  for (const Axis &axis : space.axes)
    titles.push_back(axis.key);
  if (titles.empty())
    titles.push_back("target");
  return titles;
}

std::vector<std::string> axisCells(const DesignSpace &space, size_t target) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < space.axes.size(); ++i)
    cells.push_back(shownValue(space.axes[i], space.axes[i].values[space.targets[target].places[i]]));
  if (cells.empty())
    cells.push_back(space.base->name());
  return cells;
}

std::vector<std::string> figureCells(const Results &results, const ResultRow &row) {
  const Record &record = *row.record;
  return {withCommas(record.cycles),
          fmt::format("{:.3f}", results.target(row.target).nanoseconds(record.cycles) / 1e6),
          energyText(record.energyPicojoules),
          formatBytes(record.dramBytes),
          formatBytes(record.refetchedBytes),
          formatBytes(record.spilledBytes),
          formatBytes(record.sramPeakBytes),
          record.bound};
}

std::string pointsTable(const Results &results, const NetworkResults &network, bool isFrontOnly) {
  const DesignSpace &space = results.exploration.space;
  std::vector<std::string> titles = axisTitles(space);
  for (auto title : {"cycles", "ms", "energy", "off-chip", "weights again", "spills", "SRAM peak", "bound"})
    titles.emplace_back(title);
  if (!isFrontOnly)
    titles.emplace_back("front");
  HtmlTable table(titles, 0);
  size_t numRows = 0;
  for (const ResultRow &row : network.rows) {
    if (!row.reason.empty() || (isFrontOnly && !row.isOnFront))
      continue;
    if (++numRows > kMostPointRows)
      break;
    std::vector<std::string> cells = axisCells(space, row.target);
    for (std::string &cell : figureCells(results, row))
      cells.push_back(std::move(cell));
    if (!isFrontOnly)
      cells.emplace_back(row.isOnFront ? "yes" : "");
    table.addRow(cells, row.isOnFront && !isFrontOnly ? "front" : "");
  }
  return table.finish();
}

std::string refusedTable(const Results &results, const NetworkResults &network) {
  const DesignSpace &space = results.exploration.space;
  std::vector<std::string> titles = axisTitles(space);
  titles.emplace_back("reason");
  HtmlTable table(titles, titles.size());
  bool isEmpty = true;
  for (const ResultRow &row : network.rows)
    if (!row.reason.empty()) {
      std::vector<std::string> cells = axisCells(space, row.target);
      cells.push_back(row.reason);
      table.addRow(cells);
      isEmpty = false;
    }
  return isEmpty ? "" : "<h3>Without a result</h3>\n" + table.finish();
}

std::string layersText(const NeighborChange &change, const std::map<std::string, std::string> &names) {
  std::string text;
  for (size_t i = 0; i < std::min(kShownLayers, change.layers.size()); ++i) {
    const LayerChange &layer = change.layers[i];
    text += fmt::format("{}{}: {} ({} -> {} cycles)", i == 0 ? "" : "; ", names.at(layer.layer), layer.what,
                        withCommas(layer.cyclesBefore), withCommas(layer.cyclesAfter));
  }
  if (change.layers.size() > kShownLayers)
    text += fmt::format("; {} more", change.layers.size() - kShownLayers);
  return text;
}

std::string changesTable(const Results &results, const NetworkResults &network) {
  const std::vector<NeighborChange> changes = neighborChanges(results, network);
  if (changes.empty())
    return "";
  const std::map<std::string, std::string> names = shortLayerNames(network);
  const DesignSpace &space = results.exploration.space;
  HtmlTable table({"from", "step", "cycles", "layers changed", "largest differences"}, 2, 4);
  for (size_t i = 0; i < std::min(changes.size(), kMostChangeRows); ++i) {
    const NeighborChange &change = changes[i];
    const Axis &axis = space.axes[change.axis];
    const size_t place = space.targets[change.before].places[change.axis];
    table.addRow({shownValues(space, space.targets[change.before]),
                  fmt::format("{} {} -> {}", axis.key, shownValue(axis, axis.values[place]),
                              shownValue(axis, axis.values[place + 1])),
                  fmt::format("{} -> {}", withCommas(network.rows[change.before].record->cycles),
                              withCommas(network.rows[change.after].record->cycles)),
                  std::to_string(change.layers.size()), layersText(change, names)});
  }
  const std::string note =
      changes.size() > kMostChangeRows
          ? fmt::format("<p>The first {} of {} steps; changes.csv has all.</p>\n", kMostChangeRows, changes.size())
          : "";
  return fmt::format("<details><summary>Schedule changes between neighbors</summary>\n{}{}</details>\n", table.finish(),
                     note);
}

std::string limitNote(size_t numRows) {
  return numRows <= kMostPointRows ? ""
                                   : fmt::format("<p>The first {} points; explore.csv has all.</p>\n", kMostPointRows);
}

std::string networkSection(const Results &results, const NetworkResults &network) {
  const std::string name = htmlText(results.exploration.networks[network.network].name);
  const auto numRows = std::ranges::count_if(network.rows, [](const ResultRow &row) { return row.reason.empty(); });
  std::string text =
      fmt::format("<section>\n<h2>{}</h2>\n<p>{} of {} targets have a result, {} are on the front.</p>\n", name,
                  numRows, network.rows.size(), network.numOnFront);
  if (numRows > 0) {
    text += exploreScatter(results, network) + "<h3>Pareto front</h3>\n" + pointsTable(results, network, true);
    text += fmt::format("<details><summary>All {} points</summary>\n{}{}</details>\n", numRows,
                        pointsTable(results, network, false), limitNote(static_cast<size_t>(numRows)));
    text += changesTable(results, network);
  }
  return text + refusedTable(results, network) + "</section>\n";
}

std::string summarySection(const Results &results) {
  if (results.summary.empty())
    return "";
  const DesignSpace &space = results.exploration.space;
  std::vector<std::string> titles = axisTitles(space);
  titles.insert(titles.end(), {"mean cycles", "mean energy"});
  HtmlTable table(titles, 0);
  for (const TargetSummary &summary : results.summary) {
    if (!summary.isOnFront)
      continue;
    std::vector<std::string> cells = axisCells(space, summary.target);
    cells.push_back(withCommas(static_cast<uint64_t>(std::llround(summary.cycles))));
    cells.push_back(energyText(summary.energyPicojoules));
    table.addRow(cells);
  }
  return "<section>\n<h2>All networks</h2>\n<p>Targets on the front of the geometric means over all networks that have "
         "a result on any target.</p>\n" +
         table.finish() + "</section>\n";
}

std::string intro(const Results &results) {
  const Exploration &exploration = results.exploration;
  std::string axes;
  for (const Axis &axis : exploration.space.axes) {
    axes += fmt::format("<li><code>{}</code>:", htmlText(axis.key));
    for (const std::string &value : axis.values)
      axes += " " + htmlText(shownValue(axis, value));
    axes += "</li>\n";
  }
  return fmt::format(
      "<p>{} networks on {} targets from <code>{}</code>, Avocet {}. Cycles are simulated. Energy is computed from the "
      "target file's figures by event, which are for comparisons only. The front are the points that no other point of "
      "the network beats in cycles, energy, bytes of SRAM and off-chip bandwidth together.</p>\n<ul>\n{}</ul>\n",
      exploration.networks.size(), exploration.space.targets.size(), htmlText(exploration.space.base->name()),
      htmlText(exploration.build), axes);
}

/// JSON for a script element, which would end at "</script" within a name.
std::string scriptData(const std::string &json) {
  std::string text;
  for (char c : json)
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

} // namespace

std::map<std::string, std::string> shortLayerNames(const NetworkResults &network) {
  constexpr size_t kWidth = 48;
  std::set<std::string> all;
  for (const ResultRow &row : network.rows)
    if (row.reason.empty())
      for (const LayerSchedule &layer : row.record->layers)
        all.insert(layer.name);
  const std::vector<std::string> names(all.begin(), all.end()), shortened = cache::shortenNames(names, kWidth);
  std::map<std::string, std::string> byName;
  for (size_t i = 0; i < names.size(); ++i)
    byName[names[i]] = shortened[i];
  return byName;
}

std::string htmlText(std::string_view text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return escaped;
}

std::string explorePage(const Results &results) {
  std::string sections = summarySection(results);
  for (const NetworkResults &network : results.networks)
    sections += networkSection(results, network);
  const std::vector<std::pair<std::string_view, std::string>> parts = {{"STYLE", std::string(fileText("page.css"))},
                                                                       {"INTRO", intro(results)},
                                                                       {"SECTIONS", std::move(sections)},
                                                                       {"LICENSE", htmlText(fileText("d3.license"))},
                                                                       {"DATA", scriptData(explorePageData(results))},
                                                                       {"LIBRARY", std::string(fileText("d3.min.js"))},
                                                                       {"SCRIPT", std::string(fileText("page.js"))}};
  std::string_view frame = fileText("page.html");
  std::string page;
  for (const auto &[name, text] : parts) { // in the order of the frame, so that no inserted text is searched
    const std::string mark = fmt::format("@{}@", name);
    const size_t at = frame.find(mark);
    page += std::string(frame.substr(0, at)) + text;
    frame.remove_prefix(at + mark.size());
  }
  return page + std::string(frame);
}

} // namespace avocet::tool
