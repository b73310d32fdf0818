//===- StaticTables.cpp - The report without scripts ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StaticTables.h"

#include "DocumentFile.h"
#include "Html.h"
#include "avocet/base/NumberText.h"
#include "avocet/documents/RunJson.h"
#include "layers/ReportCsv.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>

namespace avocet::tool {
namespace {

/// "12", "12 to 14", or where the decision was made.
std::string placeOf(const Json &decision) {
  const Json &layers = decision["layers"];
  if (layers.empty())
    return decision.value("location", "");
  const std::string first = layers.front().dump();
  return layers.size() == 1 ? first : first + " to " + layers.back().dump();
}

/// Cycles of the network, of the operation or of its largest tile, or bytes.
std::string costOf(const Json &choice) {
  if (choice.contains("cycles_change")) {
    const int64_t change = choice["cycles_change"];
    const uint64_t size = static_cast<uint64_t>(change < 0 ? -change : change);
    return choice["outcome"] == "taken" ? "" : (change < 0 ? "-" : "+") + withCommas(size) + " cycles of all";
  }
  if (choice.contains("cycles"))
    return withCommas(choice["cycles"].get<uint64_t>()) + " cycles";
  return choice.contains("stored_bytes") ? formatBytes(choice["stored_bytes"].get<uint64_t>()) : "";
}

std::string memoryOf(const Json &choice) {
  return choice.contains("needs_bytes") ? formatBytes(choice["needs_bytes"].get<uint64_t>()) : "";
}

std::string outcomeOf(const Json &choice) { return choice["outcome"]; }
std::string reasonOf(const Json &choice) { return choice["reason"]; }
std::string choiceOf(const Json &choice) {
  const std::string text = choice["choice"];
  return text.empty() ? "fuse" : text;
}

/// One line for each choice. A row for each would take browsers seconds for networks of a thousand layers.
std::string linesOf(const Json &choices, std::string (*textOf)(const Json &)) {
  std::string lines;
  for (const Json &choice : choices)
    lines += (&choice == &choices.front() ? "" : "\n") + textOf(choice);
  return lines;
}

/// Places of decisions by their first layer, those about no layer first.
std::vector<size_t> byLayer(const Json &decisions) {
  std::vector<std::pair<int64_t, size_t>> places;
  for (const Json &decision : decisions)
    places.emplace_back(decision["layers"].empty() ? -1 : decision["layers"].front().get<int64_t>(), places.size());
  std::ranges::sort(places);
  std::vector<size_t> sorted;
  for (const auto &[layer, place] : places)
    sorted.push_back(place);
  return sorted;
}

/// The decisions of the compiler as a table that the reader opens; each row has one line for the choice and one for
/// each alternative. A sentence if there are none.
std::string decisionTable(const Json &document) {
  if (!document.contains("decisions") || document["decisions"].empty())
    return "<p>Decisions of the compiler are not known: artefacts and data of earlier versions have none.</p>\n";
  HtmlTable table("Decisions of the compiler; missed: an alternative, failed: one that is not possible",
                  {"layers", "decision", "outcome", "choice", "#predicted", "#on-chip memory needed", "reason"});
  for (size_t place : byLayer(document["decisions"])) {
    const Json &decision = document["decisions"][place], &choices = decision["choices"];
    table.addRow({placeOf(decision), decision["name"], linesOf(choices, outcomeOf), linesOf(choices, choiceOf),
                  linesOf(choices, costOf), linesOf(choices, memoryOf), linesOf(choices, reasonOf)});
  }
  return fmt::format("<details class=\"decisions\"><summary>Decisions of the compiler ({})</summary>\n{}</details>\n",
                     document["decisions"].size(), table.toString());
}

/// A figure of networks and layers, and how it is shown.
struct Figure {
  const char *key;
  const char *title;
  std::string (*format)(uint64_t);
};
constexpr Figure kFigures[] = {{"cycles", "simulated cycles", withCommas},
                               {"roofline_cycles", "roofline bound, cycles", withCommas},
                               {"device_cycles", "bound with all limits of the device, cycles", withCommas},
                               {"macs", "MACs needed", formatCount},
                               {"executed_macs", "MACs executed", formatCount},
                               {"dram_bytes", "off-chip traffic", formatBytes},
                               {"sram_bytes", "on-chip traffic", formatBytes},
                               {"sram_peak_bytes", "on-chip memory in use, most", formatBytes}};

/// An engine or bound in the words of the page's other part (titleOf in page/Data.js).
std::string titleOf(const Json &name) {
  constexpr std::pair<std::string_view, const char *> kTitles[] = {
      {"mac", "MAC array"},      {"dsp", "DSP"},       {"dma", "DMA"}, {"array", "MAC array"},
      {"dram", "off-chip port"}, {"sram", "SRAM port"}};
  const auto text = name.get<std::string>();
  const auto *const found = std::ranges::find(kTitles, text, &std::pair<std::string_view, const char *>::first);
  return found == std::end(kTitles) ? text : found->second;
}

uint64_t number(const Json &figures, const char *key) { return figures[key].get<uint64_t>(); }

/// Data of earlier versions lacks some figures.
bool isKnown(const Json &figures, const Figure &figure) { return figures.contains(figure.key); }

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string microjoules(const Json &figures) {
  return fmt::format("{:.1f}", figures["energy_picojoules"].get<double>() / 1e6);
}

std::string summaryTable(const Json &document) {
  const Json &figures = document["figures"], &target = document["target"];
  HtmlTable table("Summary", {"figure", "#value"});
  for (const Figure &figure : kFigures)
    if (isKnown(figures, figure))
      table.addRow({figure.title, figure.format(number(figures, figure.key))});
  table.addRow({"predicted cycles", withCommas(number(figures, "predicted_cycles"))});
  table.addRow({fmt::format("time at {} MHz, ms", number(target, "clock_hz") / 1'000'000),
                fmt::format("{:.3f}", figures["simulated_ms"].get<double>())});
  table.addRow({"use of the MAC array", percent(figures["utilization"].get<double>())});
  table.addRow({"energy, uJ", microjoules(figures)});
  table.addRow({"bound by", titleOf(figures["bound_by"])});
  table.addRow({"on-chip memory of the target", formatBytes(number(target, "sram_bytes"))});
  return table.toString();
}

std::string trafficTable(const Json &document) {
  HtmlTable table("Off-chip traffic by kind; the rows add up to the off-chip traffic", {"kind", "#bytes"});
  for (const auto &[kind, bytes] : document["figures"]["dram_bytes_by_kind"].items())
    table.addRow({kind, withCommas(bytes.get<uint64_t>())});
  return table.toString();
}

/// The sum of the layers' predicted cycles; none if a layer has no prediction.
std::optional<uint64_t> predictedSum(const Json &document) {
  uint64_t sum = 0;
  for (const Json &layer : document["layers"]) {
    if (!layer.contains("predicted_cycles"))
      return std::nullopt;
    sum += number(layer, "predicted_cycles");
  }
  return sum;
}

std::string layerCaption(const Json &document) {
  const std::string caption = "Layers; the rows add up to the run, the roofline bounds overlap and do not; ";
  const uint64_t ofNetwork = number(document["figures"], "predicted_cycles");
  const std::optional<uint64_t> sum = predictedSum(document);
  if (!sum)
    return caption + "predictions of all layers are not known: artefacts and data of earlier versions have none";
  if (*sum == ofNetwork)
    return caption + "the predicted cycles add up to those of the network";
  return caption + fmt::format("the predicted cycles add up to {} of {}, the rest belongs to no layer",
                               withCommas(*sum), withCommas(ofNetwork));
}

std::string difference(uint64_t simulated, uint64_t predicted) {
  if (predicted == 0)
    return "-";
  return fmt::format("{:+.1f} %", 100 * (static_cast<double>(simulated) / static_cast<double>(predicted) - 1));
}

/// The row of what belongs to no layer, or of the run: without names and predictions by layer.
std::vector<std::string> sumRow(const std::string &title, const Json &figures, const std::string &predicted,
                                const std::string &against) {
  return {"",
          title,
          "",
          "",
          withCommas(number(figures, "macs")),
          withCommas(number(figures, "cycles")),
          predicted,
          against,
          "",
          "",
          withCommas(number(figures, "dram_bytes")),
          withCommas(number(figures, "sram_bytes")),
          microjoules(figures),
          ""};
}

/// Data of earlier versions lacks what belongs to no layer.
bool hasRest(const Json &figures) {
  if (!figures.contains("without_layer"))
    return false;
  const Json &rest = figures["without_layer"];
  return number(rest, "cycles") != 0 || number(rest, "dram_bytes") != 0 || number(rest, "sram_bytes") != 0;
}

/// "SOFTMAX of ATTENTION scores", where the layer is a step of one. Data of earlier versions has no groups.
std::string operationOf(const Json &layer) {
  const std::string group = layer.value("group", "");
  return layer["operation"].get<std::string>() + (group.empty() ? "" : " of " + group);
}

std::string layerTable(const Json &document) {
  HtmlTable table(layerCaption(document), {"#number", "layer", "operation", "engine", "#MACs", "#cycles",
                                           "#predicted cycles", "#simulated against predicted", "#roofline cycles",
                                           "#use", "#off-chip bytes", "#on-chip bytes", "#energy, uJ", "bound by"});
  const Json &layers = document["figures"]["layers"];
  for (size_t i = 0; i < layers.size(); ++i) {
    const Json &layer = layers[i], &more = document["layers"][i];
    const bool isPredicted = more.contains("predicted_cycles");
    const uint64_t cycles = number(layer, "cycles"), predicted = more.value("predicted_cycles", uint64_t{0});
    table.addRow({std::to_string(i), layer["name"], operationOf(layer), titleOf(layer["engine"]),
                  withCommas(number(layer, "macs")), withCommas(cycles), isPredicted ? withCommas(predicted) : "-",
                  difference(cycles, predicted), withCommas(number(layer, "roofline_cycles")),
                  percent(layer["utilization"].get<double>()), withCommas(number(layer, "dram_bytes")),
                  withCommas(number(layer, "sram_bytes")), microjoules(layer), titleOf(layer["bound_by"])});
  }
  if (hasRest(document["figures"]))
    table.addRow(sumRow(kNoLayerName, document["figures"]["without_layer"], "-", "-"));
  const std::optional<uint64_t> predicted = predictedSum(document);
  table.addRow(sumRow("all", document["figures"], predicted ? withCommas(*predicted) : "-",
                      difference(number(document["figures"], "cycles"), predicted.value_or(0))));
  return table.toString();
}

std::string change(uint64_t before, uint64_t after) {
  if (before == after)
    return "0.0 %";
  if (before == 0)
    return "new";
  return fmt::format("{:+.1f} %", 100 * (static_cast<double>(after) / static_cast<double>(before) - 1));
}

/// Places of layers by name; of equal names the first.
std::unordered_map<std::string, size_t> placesOf(const Json &layers) {
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < layers.size(); ++i)
    places.emplace(layers[i]["name"].get<std::string>(), i);
  return places;
}

std::string changedLayers(const Json &before, const Json &after) {
  HtmlTable table("Layers", {"layer", "#cycles of A", "#cycles of B", "#change", "#off-chip bytes of A",
                             "#off-chip bytes of B", "bound of A", "bound of B"});
  const Json &first = before["figures"]["layers"], &second = after["figures"]["layers"];
  const auto inFirst = placesOf(first), inSecond = placesOf(second);
  for (const Json &layer : first) {
    const auto found = inSecond.find(layer["name"].get<std::string>());
    if (found == inSecond.end()) {
      table.addRow({layer["name"], withCommas(number(layer, "cycles")), "-", "only in A",
                    withCommas(number(layer, "dram_bytes")), "-", titleOf(layer["bound_by"]), "-"});
      continue;
    }
    const Json &other = second[found->second];
    table.addRow({layer["name"], withCommas(number(layer, "cycles")), withCommas(number(other, "cycles")),
                  change(number(layer, "cycles"), number(other, "cycles")), withCommas(number(layer, "dram_bytes")),
                  withCommas(number(other, "dram_bytes")), titleOf(layer["bound_by"]), titleOf(other["bound_by"])});
  }
  for (const Json &layer : second)
    if (!inFirst.contains(layer["name"].get<std::string>()))
      table.addRow({layer["name"], "-", withCommas(number(layer, "cycles")), "only in B", "-",
                    withCommas(number(layer, "dram_bytes")), "-", titleOf(layer["bound_by"])});
  return table.toString();
}

} // namespace

std::string titleOfRun(const Json &document) {
  const std::string optimize = document["optimize"];
  return fmt::format("{} on {}{}", document["model"].get<std::string>(), document["target"]["name"].get<std::string>(),
                     optimize.empty() ? "" : ", --optimize " + optimize);
}

/// How often each section of a network with branches or loops ran. Empty for another one.
static std::string sectionTable(const Json &document) {
  if (document["is_straight"].get<bool>() || !document.contains("sections"))
    return "";
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> sections; // runs and cycles by number
  for (const Json &run : document["sections"]) {
    auto &[runs, cycles] = sections[number(run, "section")];
    ++runs;
    cycles += number(run, "end") - number(run, "start");
  }
  const bool hasValues = document["figures"].value("computed", true);
  HtmlTable table(hasValues ? "Sections that ran, with random inputs"
                            : "Sections that ran, with all conditions false: random inputs end no loop",
                  {"#section", "#runs", "#cycles"});
  for (const auto &[section, figures] : sections)
    table.addRow({std::to_string(section), withCommas(figures.first), withCommas(figures.second)});
  return table.toString();
}

std::string runTables(const Json &document) {
  return "<h2>" + escapeHtml(titleOfRun(document)) + "</h2>\n" + summaryTable(document) + sectionTable(document) +
         trafficTable(document) + layerTable(document) + decisionTable(document);
}

std::string changeTables(const Json &before, const Json &after) {
  HtmlTable table("From A to B", {"figure", "#A", "#B", "#change"});
  table.addRow({"run", titleOfRun(before), titleOfRun(after), ""});
  for (const Figure &figure : kFigures) {
    if (!isKnown(before["figures"], figure) || !isKnown(after["figures"], figure))
      continue;
    const uint64_t first = number(before["figures"], figure.key), second = number(after["figures"], figure.key);
    table.addRow({figure.title, figure.format(first), figure.format(second), change(first, second)});
  }
  const uint64_t predicted = number(before["figures"], "predicted_cycles"),
                 other = number(after["figures"], "predicted_cycles");
  table.addRow({"predicted cycles", withCommas(predicted), withCommas(other), change(predicted, other)});
  for (const auto &[kind, bytes] : before["figures"]["dram_bytes_by_kind"].items()) {
    const Json &others = after["figures"]["dram_bytes_by_kind"];
    const uint64_t first = bytes.get<uint64_t>(), second = others.contains(kind) ? number(others, kind.c_str()) : 0;
    table.addRow({"off-chip traffic: " + kind, withCommas(first), withCommas(second), change(first, second)});
  }
  return table.toString() + changedLayers(before, after);
}

} // namespace avocet::tool
