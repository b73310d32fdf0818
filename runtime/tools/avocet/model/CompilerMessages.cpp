//===- CompilerMessages.cpp - Errors and remarks of a compilation ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerMessages.h"

#include "avocet/base/CleanText.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/base/StandardStreams.h"
#include "output/SchemaVersions.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

const char *nameOf(compiler::RemarkKind kind) {
  switch (kind) {
  case compiler::RemarkKind::Passed:
    return "passed";
  case compiler::RemarkKind::Missed:
    return "missed";
  case compiler::RemarkKind::Failed:
    return "failed";
  case compiler::RemarkKind::Analysis:
    return "analysis";
  }
  return "analysis";
}

/// Numbers stay numbers.
nlohmann::ordered_json valueOf(std::string_view text) {
  const bool isNegative = text.starts_with('-');
  const std::string_view digits = isNegative ? text.substr(1) : text;
  const bool isNumber = !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!isNumber)
    return text;
  const auto number = parseUnsigned(digits, 0, uint64_t(INT64_MAX));
  if (!number)
    return text;
  return isNegative ? -int64_t(*number) : int64_t(*number);
}

/// Hints are JSON themselves.
nlohmann::ordered_json hintOf(std::string_view text) {
  nlohmann::ordered_json hint = nlohmann::ordered_json::parse(text, nullptr, false);
  return hint.is_discarded() ? nlohmann::ordered_json(text) : hint;
}

std::string lineOf(const OwnedRemark &remark) {
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace; // names of tensors may be any bytes
  return cleanJson(remarkJson(remark).dump(-1, ' ', false, kReplace));
}

} // namespace

nlohmann::ordered_json remarkJson(const OwnedRemark &remark) {
  nlohmann::ordered_json json = {{"kind", nameOf(remark.kind)},
                                 {"category", remark.category},
                                 {"name", remark.name},
                                 {"location", remark.location}};
  json["arguments"] = nlohmann::ordered_json::object();
  for (const auto &[key, value] : remark.arguments)
    json["arguments"][key] = key == OwnedRemark::kHint ? hintOf(value) : valueOf(value);
  return json;
}

std::string RemarkLog::text() const {
  std::string lines;
  for (const OwnedRemark &remark : remarks_)
    lines += (lines.empty() ? "" : ",\n") + lineOf(remark);
  return fmt::format("{{\"{}\": {}, \"remarks\": [\n{}\n]}}\n", kSchemaVersionKey, kRemarksSchema, lines);
}

OwnedRemark::OwnedRemark(const compiler::Remark &remark)
    : kind(remark.kind), category(remark.category), name(remark.name), location(remark.location) {
  for (const compiler::Remark::Argument &argument : remark.arguments)
    arguments.emplace_back(argument.key, argument.value);
}

std::string_view OwnedRemark::argument(std::string_view key) const {
  for (const auto &[known, value] : arguments)
    if (known == key)
      return value;
  return {};
}

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

std::string_view divisionAdvice(const std::vector<compiler::Refusal> &refusals) {
  const bool isDivisible = std::ranges::any_of(refusals, [](const compiler::Refusal &refusal) {
    return refusal.location.find(".tflite:") != std::string::npos; // other networks have no division
  });
  return isDivisible ? "The other operators can run: 'avocet compile MODEL --partition DIR' divides the network, as "
                       "the TFLite delegate and NNAPI do.\n"
                     : "";
}

std::string diagnosticsText(const compiler::Verdict &result) {
  std::string text;
  for (const compiler::Diagnostic &diagnostic : result.diagnostics) {
    std::string place = diagnostic.location.empty() ? "" : diagnostic.location + ": ";
    if (place + diagnostic.message == result.status.message())
      continue; // the command's last line repeats it
    text += cleanMessage(fmt::format("{}{}: {}", place, severityName(diagnostic.severity), diagnostic.message)) + "\n";
  }
  if (!result.status.isOk())
    text += divisionAdvice(result.refusals);
  if (!result.refusals.empty())
    text += "--diagnostics json lists the refusals as data.\n";
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
