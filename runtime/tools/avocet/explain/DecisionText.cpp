//===- DecisionText.cpp - Decisions of the compiler for people ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecisionText.h"

#include "avocet/base/NumberText.h"
#include "avocet/documents/Remarks.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace avocet::tool {
namespace {

using compiler::RemarkKind;
using documents::OwnedRemark;

/// "cascade: alone, all rows at once (fewest predicted cycles)".
std::string chosenText(const documents::OwnedRemark &remark) {
  std::string text = fmt::format("{}: {}", remark.name, remark.argument("Choice"));
  if (const auto bytes = remark.number("StoredBytes"))
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
std::string costText(const documents::OwnedRemark &remark, uint64_t cycles) {
  if (const auto change = remark.number("CyclesChange"))
    return fmt::format("{:+.1f}% of all", cycles ? 100 * double(*change) / double(cycles) : 0);
  if (const auto own = remark.number("Cycles"))
    return withCommas(uint64_t(*own)) + " cycles";
  if (const auto bytes = remark.number("StoredBytes"))
    return formatBytes(*bytes);
  return "-";
}

std::string whyNot(const documents::OwnedRemark &remark) {
  const auto needs = remark.number("NeedsBytes"), has = remark.number("HasBytes");
  if (remark.kind == RemarkKind::Failed && needs && has)
    return fmt::format("needs {} of SRAM", formatBytes(*needs));
  return std::string(remark.argument("Reason"));
}

bool isAlternative(const documents::OwnedRemark &remark) {
  return (remark.kind == RemarkKind::Missed || remark.kind == RemarkKind::Failed) && !remark.argument("Choice").empty();
}

std::string alternatives(const std::vector<documents::OwnedRemark> &remarks, uint64_t cycles) {
  TextTable table;
  table.addColumn("", TextTable::Align::Right);
  table.addColumn("instead", TextTable::Align::Left).wrapTo(30);
  table.addColumn("predicted", TextTable::Align::Right);
  table.addColumn("why not", TextTable::Align::Left).wrapTo(16);
  for (const documents::OwnedRemark &remark : remarks)
    if (isAlternative(remark))
      table.addRow({std::to_string(table.numRows() + 1), fmt::format("{}: {}", remark.name, remark.argument("Choice")),
                    costText(remark, cycles), whyNot(remark)});
  return table.numRows() == 0 ? "" : table.toString();
}

/// What makes the compiler do as it did, and each alternative that is possible: a line of a hint file after the number
/// in the table.
std::string hints(const std::vector<documents::OwnedRemark> &remarks) {
  std::string text;
  size_t number = 0;
  for (const documents::OwnedRemark &remark : remarks) {
    number += isAlternative(remark);
    if (const std::string_view hint = remark.argument(documents::OwnedRemark::kHint); !hint.empty())
      text += fmt::format("{:>3}  {}\n", isAlternative(remark) ? std::to_string(number) : "now", hint);
  }
  return text.empty() ? "" : "\nas hints for 'avocet compile --hints' (now: what was decided)\n" + text;
}

} // namespace

std::string decisionText(const std::vector<documents::OwnedRemark> &remarks, uint64_t cycles) {
  CountedLines lines;
  for (const documents::OwnedRemark &remark : remarks)
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
