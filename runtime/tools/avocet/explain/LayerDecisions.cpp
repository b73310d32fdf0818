//===- LayerDecisions.cpp - What the compiler decided for a layer ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerDecisions.h"

#include "avocet/base/ParseNumber.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace avocet::tool {
namespace {

using compiler::RemarkKind;

std::optional<uint64_t> numberIn(std::string_view text) {
  const auto number = parseUnsigned(text, 0, uint64_t(INT64_MAX));
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<uint64_t> numberOf(const OwnedRemark &remark, std::string_view key) {
  return numberIn(remark.argument(key));
}

/// The layers that a remark is about.
class DecisionLayers {
public:
  explicit DecisionLayers(const cache::ModelCache &model) : numLayers_(model.numLayers()) {
    for (size_t i = 0; i < model.numSourceEntries(); ++i)
      byLocation_[std::string(model.sourceEntry(i).location)].insert(model.sourceEntry(i).layer);
  }

  /// In order. None: the network.
  std::vector<uint32_t> of(const OwnedRemark &remark) const {
    const auto first = numberOf(remark, "Layer");
    if (!first) {
      const auto found = byLocation_.find(remark.location);
      return found == byLocation_.end() ? std::vector<uint32_t>()
                                        : std::vector<uint32_t>(found->second.begin(), found->second.end());
    }
    std::vector<uint32_t> layers;
    const uint64_t end = numberOf(remark, "LastLayer").value_or(*first) + 1;
    for (uint64_t layer = *first; layer < std::min<uint64_t>(end, numLayers_); ++layer)
      layers.push_back(static_cast<uint32_t>(layer));
    return layers;
  }

private:
  size_t numLayers_;
  std::map<std::string, std::set<uint32_t>, std::less<>> byLocation_;
};

/// "cascade: alone, all rows at once (fewest predicted cycles)".
std::string chosenText(const OwnedRemark &remark) {
  std::string text = fmt::format("{}: {}", remark.name, remark.argument("Choice"));
  if (const auto bytes = numberOf(remark, "StoredBytes"))
    text += fmt::format(", {}", formatBytes(*bytes));
  if (!remark.argument("Reason").empty())
    text += fmt::format(" ({})", remark.argument("Reason"));
  return text;
}

/// Each line once, in the order of the first, with the number of those that a layer of many operations repeats.
class CountedLines {
public:
  void add(const std::string &line) {
    const auto known = std::ranges::find(lines_, line, &std::pair<std::string, uint32_t>::first);
    if (known == lines_.end())
      lines_.emplace_back(line, 1);
    else
      ++known->second;
  }

  std::string text() const {
    std::string text;
    for (const auto &[line, count] : lines_)
      text += count == 1 ? line + "\n" : fmt::format("{}, {} times\n", line, count);
    return text;
  }

private:
  std::vector<std::pair<std::string, uint32_t>> lines_;
};

/// What an alternative costs: cycles of the network, of the tile or the operation, or bytes.
std::string costText(const OwnedRemark &remark, uint64_t cycles) {
  const std::string_view change = remark.argument("CyclesChange");
  if (!change.empty()) {
    const bool isNegative = change.starts_with('-');
    const double magnitude = double(numberIn(change.substr(isNegative)).value_or(0));
    return fmt::format("{:+.1f}% of all", cycles ? 100 * (isNegative ? -magnitude : magnitude) / double(cycles) : 0);
  }
  if (const auto own = numberOf(remark, "Cycles"))
    return withCommas(*own) + " cycles";
  if (const auto bytes = numberOf(remark, "StoredBytes"))
    return formatBytes(*bytes);
  return "-";
}

std::string whyNot(const OwnedRemark &remark) {
  const auto needs = numberOf(remark, "NeedsBytes"), has = numberOf(remark, "HasBytes");
  if (remark.kind == RemarkKind::Failed && needs && has)
    return fmt::format("needs {} of SRAM", formatBytes(*needs));
  return std::string(remark.argument("Reason"));
}

bool isAlternative(const OwnedRemark &remark) {
  return (remark.kind == RemarkKind::Missed || remark.kind == RemarkKind::Failed) && !remark.argument("Choice").empty();
}

std::string alternatives(const std::vector<OwnedRemark> &remarks, uint64_t cycles) {
  TextTable table;
  table.addColumn("", TextTable::Align::Right);
  table.addColumn("instead", TextTable::Align::Left).wrapTo(30);
  table.addColumn("predicted", TextTable::Align::Right);
  table.addColumn("why not", TextTable::Align::Left).wrapTo(16);
  for (const OwnedRemark &remark : remarks)
    if (isAlternative(remark))
      table.addRow({std::to_string(table.numRows() + 1), fmt::format("{}: {}", remark.name, remark.argument("Choice")),
                    costText(remark, cycles), whyNot(remark)});
  return table.numRows() == 0 ? "" : table.toString();
}

/// What makes the compiler do as it did, and each alternative that is possible: a line of a hint file after the number
/// in the table.
std::string hints(const std::vector<OwnedRemark> &remarks) {
  std::string text;
  size_t number = 0;
  for (const OwnedRemark &remark : remarks) {
    number += isAlternative(remark);
    if (const std::string_view hint = remark.argument(OwnedRemark::kHint); !hint.empty())
      text += fmt::format("{:>3}  {}\n", isAlternative(remark) ? std::to_string(number) : "now", hint);
  }
  return text.empty() ? "" : "\nas hints for 'avocet compile --hints' (now: what was decided)\n" + text;
}

} // namespace

const OwnedRemark *Decision::taken() const {
  const auto last = std::ranges::find(choices.rbegin(), choices.rend(), RemarkKind::Passed, &OwnedRemark::kind);
  return last == choices.rend() ? nullptr : *last;
}

std::vector<Decision> groupDecisions(const cache::ModelCache &model, const std::vector<OwnedRemark> &remarks) {
  const DecisionLayers layers(model);
  std::vector<Decision> decisions;
  std::map<std::pair<std::string_view, std::string_view>, size_t> last; // by location and name
  for (const OwnedRemark &remark : remarks) {
    if (remark.kind == RemarkKind::Analysis)
      continue;
    const auto [place, isNew] = last.try_emplace({remark.location, remark.name}, decisions.size());
    std::vector<uint32_t> about = layers.of(remark);
    // A second operation of an operator has a decision of the same name. Plans of the network are one decision.
    const bool isSecond = !isNew && remark.kind == RemarkKind::Passed && decisions[place->second].taken();
    if (isNew || (isSecond && !about.empty())) {
      place->second = decisions.size();
      decisions.push_back({std::move(about), {}});
    }
    decisions[place->second].choices.push_back(&remark);
  }
  return decisions;
}

std::vector<OwnedRemark> decisionsAbout(const SourceMap &map, uint32_t layer, const std::vector<OwnedRemark> &remarks) {
  std::vector<OwnedRemark> found;
  for (const Decision &decision : groupDecisions(map.model(), remarks))
    if (std::ranges::binary_search(decision.layers, layer))
      for (const OwnedRemark *remark : decision.choices)
        found.push_back(*remark);
  return found;
}

std::string decisionText(const std::vector<OwnedRemark> &remarks, uint64_t cycles) {
  CountedLines lines;
  for (const OwnedRemark &remark : remarks)
    if (remark.kind == RemarkKind::Passed)
      lines.add(chosenText(remark));
    else if (remark.kind == RemarkKind::Failed && remark.argument("Choice").empty())
      lines.add(fmt::format("{}: not fused, {}", remark.name, remark.argument("Reason")));
  if (lines.text().empty())
    return "";
  std::string text = "\nwhat the compiler decided\n" + lines.text();
  const std::string table = alternatives(remarks, cycles);
  return text + (table.empty() ? "" : "\n" + table) + hints(remarks);
}

} // namespace avocet::tool
