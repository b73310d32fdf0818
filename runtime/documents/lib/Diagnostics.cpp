//===- Diagnostics.cpp - Errors of a compilation as data ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/Diagnostics.h"

#include "avocet/base/CleanText.h"
#include "avocet/documents/SchemaVersions.h"

#include <array>
#include <nlohmann/json.hpp>

namespace avocet::documents {

std::string_view severityName(compiler::Severity severity) {
  constexpr std::array<std::string_view, 4> kNames = {"error", "warning", "remark", "note"};
  auto index = static_cast<size_t>(severity);
  return index < kNames.size() ? kNames[index] : "note";
}

nlohmann::json refusalJson(const compiler::Refusal &refusal) {
  return {{"location", refusal.location}, {"operation", refusal.operation}, {"operand", refusal.operand},
          {"rule", refusal.rule},         {"value", refusal.value},         {"limit", refusal.limit}};
}

std::string diagnosticsJson(const compiler::Verdict &result) {
  nlohmann::json root = {{kSchemaVersionKey, kDiagnosticsSchema},
                         {"status", toString(result.status.code())},
                         {"message", result.status.message()}};
  root["diagnostics"] = nlohmann::json::array();
  for (const compiler::Diagnostic &diagnostic : result.diagnostics)
    root["diagnostics"].push_back({{"severity", severityName(diagnostic.severity)},
                                   {"location", diagnostic.location},
                                   {"message", diagnostic.message}});
  root["unsupported"] = nlohmann::json::array();
  for (const compiler::Refusal &refusal : result.refusals)
    root["unsupported"].push_back(refusalJson(refusal));
  return cleanJson(root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
}

} // namespace avocet::documents
