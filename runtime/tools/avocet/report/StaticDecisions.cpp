//===- StaticDecisions.cpp - Decisions without scripts -------------*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StaticDecisions.h"

#include "Html.h"
#include "TextTable.h"

#include <algorithm>
#include <fmt/format.h>

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

} // namespace

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

} // namespace avocet::tool
