//===- Table.cpp - The table of operators for users -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include "Avocet.h"
#include "Operators.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace avocet::differential {
namespace {

/// Cases that decide a cell: enough to meet each form that the generators draw.
constexpr uint64_t kTriedCases = 12;

/// The notes below the table; equal ones are listed once.
class Notes {
public:
  /// The note's mark.
  std::string add(const std::string &text) {
    auto known = std::ranges::find(texts_, text);
    if (known == texts_.end())
      known = texts_.insert(texts_.end(), text);
    return fmt::format("<sup>{}</sup>", known - texts_.begin() + 1);
  }

  std::string list() const {
    std::string lines;
    for (size_t i = 0; i < texts_.size(); ++i)
      lines += fmt::format("{}. {}\n", i + 1, texts_[i]);
    return lines;
  }

private:
  std::vector<std::string> texts_;
};

bool hasFloatResult(const Row &row, Kind kind) {
  const TestModel model = draw(row, kind, 0);
  return std::ranges::any_of(
      model.outputs, [](TensorType type) { return type == TensorType::FLOAT32 || type == TensorType::FLOAT16; });
}

std::string accepted(const Row &row, Kind kind) {
  const float tolerance = row.toleranceOf(kind);
  return hasFloatResult(row, kind) && tolerance > 0 ? fmt::format("{:g}", tolerance) : "exact";
}

/// The part of a text between two others; all of it if the first is not there.
std::string between(const std::string &text, std::string_view first, std::string_view last) {
  const size_t begin = text.find(first);
  const size_t start = begin == std::string::npos ? 0 : begin + first.size();
  return text.substr(start, text.find(last, start) - start);
}

/// A text that names a quantized type, without its random scale.
std::string withoutScale(const std::string &text) {
  constexpr std::string_view kType = "'!quant.uniform<";
  const size_t begin = text.find(kType), end = text.find('\'', begin + 1);
  if (begin == std::string::npos || end == std::string::npos)
    return text;
  const std::string stored = text.substr(begin + kType.size(), text.find(':', begin) - begin - kType.size());
  return text.substr(0, begin) + "quantized " + stored + text.substr(end + 1);
}

/// Refusals name what was found; without it, equal reasons are one note.
std::string reasonOf(const std::string &refusal) {
  if (refusal.starts_with("has operands and results")) // a rule of the dialect: the rule is in the text that was found
    return withoutScale(between(between(refusal, ", found ", ", but got "), "elements of ", "\n"));
  const size_t limit = refusal.find(", accepted ");
  return refusal.substr(0, refusal.find(", found ")) + (limit == std::string::npos ? "" : refusal.substr(limit));
}

std::string cell(const Row &row, Kind kind, Notes &notes) {
  if (std::ranges::find(row.kinds, kind) == row.kinds.end())
    return "";
  uint64_t numAccepted = 0;
  std::vector<std::string> reasons;
  for (uint64_t seed = 0; seed < kTriedCases; ++seed) {
    const DeviceResult result = compileOnly(draw(row, kind, seed));
    if (result.status.isOk())
      ++numAccepted;
    else if (std::string reason = reasonOf(result.refusal.empty() ? result.status.toString() : result.refusal);
             std::ranges::find(reasons, reason) == reasons.end())
      reasons.push_back(reason);
  }
  if (reasons.empty())
    return accepted(row, kind);
  const std::string mark = notes.add(fmt::format("{}", fmt::join(reasons, "; ")));
  return (numAccepted ? accepted(row, kind) : "rejected") + mark;
}

constexpr std::string_view kIntroduction = R"(# Operators of TensorFlow Lite

For each operator and element type that TensorFlow Lite's kernels accept: *exact* (results are equal bit for bit), the
tolerance of floats (|y - expected| <= tolerance * max(1, max|expected|)), or *rejected*. A number refers
to the notes; beside an accepted type it names forms that are rejected. *hybrid* is float32 with 8-bit weights. An empty
cell is a type that TensorFlow Lite does not accept. The compiler names operator, tensor and rule when it rejects a network.

Written by `build/release/bin/avocetDifferential --table compiler/docs/TfliteOperators.md`; a test compares it with the
compiler. `avocetDifferential` compares the results ([tests/differential](../../tests/differential/README.md)).
)";

std::string row(const Row &entry, Notes &notes) {
  std::string line = fmt::format("| {} |", EnumNameBuiltinOperator(entry.code));
  for (size_t kind = 0; kind < kNumKinds; ++kind)
    line += " " + cell(entry, static_cast<Kind>(kind), notes) + " |";
  return line + "\n";
}

std::string header() {
  std::string names = "| operator |", rule = "|---|";
  for (size_t kind = 0; kind < kNumKinds; ++kind) {
    names += fmt::format(" {} |", kindName(static_cast<Kind>(kind)));
    rule += "---|";
  }
  return names + "\n" + rule + "\n";
}

std::string list(const std::vector<std::string> &names) {
  std::string text;
  size_t width = 0;
  for (const std::string &name : names) {
    const bool wraps = width + name.size() > 120;
    text += width == 0 ? "" : wraps ? ",\n" : ", ";
    width = (wraps || width == 0 ? 0 : width + 2) + name.size();
    text += name;
  }
  return text + ".\n";
}

} // namespace

std::string operatorTable() {
  Notes notes;
  std::string lines, differences, faults;
  std::vector<std::string> missing;
  for (const Row &entry : allRows()) {
    if (entry.draw)
      lines += row(entry, notes);
    else
      missing.emplace_back(EnumNameBuiltinOperator(entry.code));
    if (entry.difference.why)
      (entry.difference.isFault ? faults : differences) += fmt::format(
          "| {} | {} | {} |\n", EnumNameBuiltinOperator(entry.code), entry.difference.steps, entry.difference.why);
  }
  constexpr const char *kColumns = "| operator | steps at most | reason |\n|---|--:|---|\n";
  if (!faults.empty())
    faults = fmt::format("## Known faults\n\nResults of these differ from the reference kernels:\n\n{}{}\n", kColumns,
                         faults);
  return fmt::format(
      "{}\n{}{}\n## Notes\n\n{}\n## Where the library is not the reference\n\nThe installed library runs "
      "optimized kernels. Results of these differ from the reference kernels, which count:\n\n{}{}\n{}"
      "## Rejected operators\n\nThe compiler has no converter for these:\n{}",
      kIntroduction, header(), lines, notes.list(), kColumns, differences, faults, list(missing));
}

} // namespace avocet::differential
