//===- ConformanceReport.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConformanceReport.h"

#include "avocet/base/CleanText.h"
#include "avocet/base/NumberText.h"
#include "avocet/documents/SchemaVersions.h"
#include "output/TextTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using namespace hal::conformance;
using Json = nlohmann::ordered_json;

std::vector<std::string> cellsOf(std::string name, const Tally &tally) {
  std::vector<std::string> cells = {std::move(name)};
  for (uint64_t count : {tally.cases, tally.passed, tally.failed, tally.unsupported, tally.skipped})
    cells.push_back(withCommas(count));
  return cells;
}

TextTable tallyTable(std::string_view title) {
  TextTable table;
  constexpr size_t kLeastName = 16;
  table.addColumn(std::string(title), TextTable::Align::Left).cutTo(kLeastName);
  for (auto column : {"cases", "passed", "failed", "unsupported", "skipped"})
    table.addColumn(column, TextTable::Align::Right);
  return table;
}

std::string operationTable(const Summary &summary) {
  TextTable table = tallyTable("operation");
  table.addColumn("contained in", TextTable::Align::Right).drop(2);
  table.addColumn("of them failed", TextTable::Align::Right).drop(1);
  for (const auto &[name, tally] : summary.byOperation) {
    std::vector<std::string> cells = cellsOf(name, tally.about);
    cells.push_back(withCommas(tally.contains.cases));
    cells.push_back(withCommas(tally.contains.failed));
    table.addRow(std::move(cells));
  }
  table.addRule();
  table.addRow(cellsOf("total", summary.total));
  return table.toString();
}

std::string kindTable(const Summary &summary) {
  TextTable table = tallyTable("kind (runs)");
  for (size_t i = 0; i < kNumRunKinds; ++i)
    if (summary.byKind[i].cases > 0)
      table.addRow(cellsOf(std::string(toString(static_cast<RunKind>(i))), summary.byKind[i]));
  return table.toString();
}

std::string reasonTable(const Summary &summary) {
  constexpr size_t kLeastReason = 24;
  TextTable table;
  table.addColumn("unsupported", TextTable::Align::Left);
  table.addColumn("cases", TextTable::Align::Right);
  table.addColumn("because", TextTable::Align::Left).wrapTo(kLeastReason);
  for (const auto &[name, tally] : summary.byOperation)
    for (const auto &[reason, count] : tally.unsupportedReasons)
      table.addRow({name, withCommas(count), reason});
  return table.numRows() == 0 ? "" : "\n" + table.toString();
}

Json tallyJson(const Tally &tally) {
  return {{"cases", tally.cases},
          {"passed", tally.passed},
          {"failed", tally.failed},
          {"unsupported", tally.unsupported},
          {"skipped", tally.skipped}};
}

Json operationsJson(const Summary &summary) {
  Json json = Json::object();
  for (const auto &[name, tally] : summary.byOperation) {
    Json &entry = json[name] = tallyJson(tally.about);
    entry["contained_in"] = tallyJson(tally.contains);
    entry["unsupported_reasons"] = tally.unsupportedReasons;
  }
  return json;
}

Json kindsJson(const Summary &summary) {
  Json json = Json::object();
  for (size_t i = 0; i < kNumRunKinds; ++i)
    json[std::string(toString(static_cast<RunKind>(i)))] = tallyJson(summary.byKind[i]);
  return json;
}

template <typename Visit> void forEachFailure(const std::vector<CaseResult> &results, Visit visit) {
  for (const CaseResult &result : results)
    for (const RunResult &run : result.runs)
      if (run.verdict == Verdict::Failed)
        visit(result, run);
}

} // namespace

std::string conformanceTable(const Summary &summary) {
  return operationTable(summary) + "\n" + kindTable(summary) + reasonTable(summary);
}

std::string conformanceJson(const Summary &summary, const std::vector<CaseResult> &results) {
  Json json;
  json[documents::kSchemaVersionKey] = documents::kConformanceSchema;
  json.update(tallyJson(summary.total));
  json["by_operation"] = operationsJson(summary);
  json["by_kind"] = kindsJson(summary);
  json["failures"] = Json::array();
  forEachFailure(results, [&](const CaseResult &result, const RunResult &run) {
    json["failures"].push_back(
        {{"case", result.info.name}, {"kind", toString(run.kind)}, {"reason", run.reason}, {"detail", run.detail}});
  });
  // Messages may quote bytes of a model, which need not be UTF-8.
  return cleanJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string conformanceFailures(const std::vector<CaseResult> &results) {
  std::string text;
  forEachFailure(results, [&](const CaseResult &result, const RunResult &run) {
    text += fmt::format("failed: {}\n", describe(result.info, run));
  });
  return text;
}

} // namespace avocet::tool
