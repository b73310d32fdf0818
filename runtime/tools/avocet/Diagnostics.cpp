//===- Diagnostics.cpp - Printing the compiler's diagnostics ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "SchemaVersions.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/StandardStreams.h"

#include <array>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

std::string_view severityName(compiler::Severity severity) {
  constexpr std::array<std::string_view, 4> kNames = {"error", "warning", "remark", "note"};
  auto index = static_cast<size_t>(severity);
  return index < kNames.size() ? kNames[index] : "note";
}

} // namespace

nlohmann::json refusalJson(const compiler::Refusal &refusal) {
  return {{"location", refusal.location}, {"operation", refusal.operation}, {"operand", refusal.operand},
          {"rule", refusal.rule},         {"value", refusal.value},         {"limit", refusal.limit}};
}

std::string diagnosticsText(const compiler::Verdict &result) {
  std::string text;
  for (const compiler::Diagnostic &diagnostic : result.diagnostics) {
    std::string place = diagnostic.location.empty() ? "" : diagnostic.location + ": ";
    if (place + diagnostic.message == result.status.message())
      continue; // the command's last line repeats it
    text += cleanMessage(fmt::format("{}{}: {}", place, severityName(diagnostic.severity), diagnostic.message)) + "\n";
  }
  if (!result.refusals.empty())
    text +=
        fmt::format("{} operation(s) of the model cannot run on the target; --diagnostics json lists them as data\n",
                    result.refusals.size());
  return text;
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

void printDiagnostics(const compiler::Verdict &result, DiagnosticsFormat format) {
  if (format == DiagnosticsFormat::TextWithoutRefusals && !result.refusals.empty())
    return;
  if (format == DiagnosticsFormat::Json && !result.status.isOk())
    printOut("{}", diagnosticsJson(result));
  else
    printErr("{}", diagnosticsText(result));
}

} // namespace avocet::tool
