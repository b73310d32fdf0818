//===- CycleGrowth.cpp - Cycles of two runs, as a table ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CycleGrowth.h"

#include "avocet/base/NumberText.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/cache/LayerNames.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>

namespace avocet::tool {
namespace {

constexpr size_t kMostRows = 20;
constexpr size_t kNameWidth = 40;

/// None: the run has no such layer.
struct Cycles {
  std::string name;
  std::optional<uint64_t> before, after;

  uint64_t distance() const {
    const uint64_t from = before.value_or(0), to = after.value_or(0);
    return std::max(from, to) - std::min(from, to);
  }
};

uint64_t cyclesOf(const Json &figures) { return figures.at("cycles").get<uint64_t>(); }

double growthOf(uint64_t before, uint64_t after) { return 100 * (double(after) - double(before)) / double(before); }

/// The first run's layers in order, then those that only the second one has. Layers of one name count as one.
std::vector<Cycles> cyclesByLayer(const Json &before, const Json &after) {
  std::vector<Cycles> layers;
  std::map<std::string, size_t> places;
  const auto add = [&](const Json &document, std::optional<uint64_t> Cycles::*member) {
    for (const Json &layer : document.at("figures").at("layers")) {
      const std::string name = layer.at("name");
      const auto [place, isNew] = places.try_emplace(name, layers.size());
      if (isNew)
        layers.push_back({name, {}, {}});
      std::optional<uint64_t> &cycles = layers[place->second].*member;
      cycles = cycles.value_or(0) + cyclesOf(layer);
    }
  };
  add(before, &Cycles::before);
  add(after, &Cycles::after);
  return layers;
}

/// The greatest change first.
std::multimap<uint64_t, Cycles, std::greater<>> changedLayers(const Json &before, const Json &after) {
  std::vector<Cycles> layers = cyclesByLayer(before, after);
  std::vector<std::string> names;
  std::ranges::transform(layers, std::back_inserter(names), &Cycles::name);
  names = cache::shortenNames(std::move(names), kNameWidth);
  std::multimap<uint64_t, Cycles, std::greater<>> changed;
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].name = names[i];
    if (layers[i].before != layers[i].after)
      changed.emplace(layers[i].distance(), layers[i]);
  }
  return changed;
}

std::vector<std::string> rowOf(const Cycles &cycles) {
  const auto text = [](const std::optional<uint64_t> &number) { return number ? withCommas(*number) : "-"; };
  const bool hasGrowth = cycles.before && cycles.after && *cycles.before != 0;
  return {cycles.name, text(cycles.before), text(cycles.after),
          hasGrowth ? fmt::format("{:+.2f}", growthOf(*cycles.before, *cycles.after)) : "-"};
}

} // namespace

Result<double> parseGrowth(std::string_view text) {
  Result<double> percent = parseReal(text.substr(0, text.size() - text.ends_with('%')), 0, 1e6);
  return percent ? percent : percent.status().withContext("--max-growth");
}

std::string cycleTable(const Json &before, const Json &after) {
  TextTable table;
  table.addColumn("layer", TextTable::Align::Left).cutTo(16);
  for (const char *title : {"cycles before", "after", "%"})
    table.addColumn(title, TextTable::Align::Right);
  const auto changed = changedLayers(before, after);
  for (const auto &[distance, layer] : changed | std::views::take(kMostRows))
    table.addRow(rowOf(layer));
  if (changed.size() > kMostRows)
    table.addRow({fmt::format("({} more)", changed.size() - kMostRows)});
  table.addRule();
  table.addRow(rowOf({"total", cyclesOf(before.at("figures")), cyclesOf(after.at("figures"))}));
  return table.toString();
}

Status checkGrowth(const Json &before, const Json &after, double mostPercent) {
  const uint64_t from = cyclesOf(before.at("figures")), to = cyclesOf(after.at("figures"));
  if (to <= from || growthOf(from, to) <= mostPercent)
    return Status::ok();
  return failedPrecondition(
      fmt::format("the network takes {} cycles, {:.2f} % more than the {} before; --max-growth allows {} %",
                  withCommas(to), growthOf(from, to), withCommas(from), mostPercent));
}

} // namespace avocet::tool
