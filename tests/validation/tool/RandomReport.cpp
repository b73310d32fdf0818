//===- RandomReport.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomReport.h"

#include "avocet/base/NumberText.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/hal/types/Utils.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using namespace hal::conformance;
using Json = nlohmann::ordered_json;

/// The last cell: the share of the computed operations that were compared with their definition.
std::vector<std::string> rowOf(std::string name, const OperationDraws &draws) {
  const double share = 100.0 * double(draws.compared) / double(std::max<uint64_t>(draws.computed, 1));
  return {std::move(name), withCommas(draws.taken), withCommas(draws.refused), withCommas(draws.rejected),
          draws.computed == 0 ? "-" : fmt::format("{:.0f} %", share)};
}

std::string operationTable(const RandomGraphSummary &summary) {
  TextTable table;
  table.addColumn("operation", TextTable::Align::Left).cutTo(16);
  for (auto column : {"in graphs", "not supported", "not usable", "compared"})
    table.addColumn(column, TextTable::Align::Right);
  OperationDraws total;
  for (const auto &[type, draws] : summary.draws) {
    table.addRow(rowOf(hal::operationName(type), draws));
    total.taken += draws.taken;
    total.refused += draws.refused;
    total.rejected += draws.rejected;
    total.computed += draws.computed;
    total.compared += draws.compared;
  }
  table.addRule();
  table.addRow(rowOf("total", total));
  return table.toString();
}

std::string failureTable(const RandomGraphSummary &summary) {
  TextTable table;
  table.addColumn("graph", TextTable::Align::Right);
  table.addColumn("operations", TextTable::Align::Right).drop(1);
  table.addColumn("reduced to", TextTable::Align::Left).wrapTo(16);
  table.addColumn("because", TextTable::Align::Left).wrapTo(24);
  for (const RandomGraphFailure &failure : summary.failures)
    table.addRow(
        {withCommas(failure.graph), withCommas(failure.operations), fmt::format("{}", fmt::join(failure.reduced, " ")),
         fmt::format("{}: {}{}{}", failure.reason, failure.detail, failure.file.empty() ? "" : "; ", failure.file)});
  return table.numRows() == 0 ? "" : "\n" + table.toString();
}

} // namespace

std::string randomTable(const RandomGraphSummary &summary) {
  return operationTable(summary) + failureTable(summary) +
         fmt::format("\n{} graphs of {} operations: {} failed, {} not supported as a whole\n",
                     withCommas(summary.graphs), withCommas(summary.operations), withCommas(summary.failures.size()),
                     withCommas(summary.unsupported));
}

std::string randomJson(const RandomGraphSummary &summary, uint64_t seed) {
  Json operations = Json::object();
  for (const auto &[type, draws] : summary.draws)
    operations[hal::operationName(type)] = {{"in_graphs", draws.taken},
                                            {"not_supported", draws.refused},
                                            {"not_usable", draws.rejected},
                                            {"computed", draws.computed},
                                            {"compared_with_definition", draws.compared}};
  Json failures = Json::array();
  for (const RandomGraphFailure &failure : summary.failures)
    failures.push_back({{"graph", failure.graph},
                        {"reason", failure.reason},
                        {"detail", failure.detail},
                        {"operations", failure.operations},
                        {"reduced", failure.reduced},
                        {"file", failure.file}});
  const Json document = {{documents::kSchemaVersionKey, documents::kRandomSchema},
                         {"seed", seed},
                         {"graphs", summary.graphs},
                         {"operations", summary.operations},
                         {"not_supported", summary.unsupported},
                         {"by_operation", operations},
                         {"failures", failures}};
  return document.dump(2) + "\n";
}

} // namespace avocet::tool
