//===- Remarks.cpp - Decisions of the compiler, kept ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/Remarks.h"

#include "avocet/base/CleanText.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/documents/SchemaVersions.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::documents {
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

std::optional<int64_t> numberIn(std::string_view text) {
  const bool isNegative = text.starts_with('-');
  const auto number = parseUnsigned(isNegative ? text.substr(1) : text, 0, uint64_t(INT64_MAX));
  if (!number)
    return std::nullopt;
  return isNegative ? -int64_t(*number) : int64_t(*number);
}

/// Numbers stay numbers.
nlohmann::ordered_json valueOf(std::string_view text) {
  const bool isDecimal = std::ranges::all_of(text, [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
  const auto number = isDecimal ? numberIn(text) : std::nullopt;
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(text);
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

std::optional<int64_t> OwnedRemark::number(std::string_view key) const { return numberIn(argument(key)); }

std::string hintFile(const std::vector<OwnedRemark> &remarks) {
  std::string lines;
  for (const OwnedRemark &remark : remarks)
    if (const std::string_view hint = remark.argument(OwnedRemark::kHint);
        remark.kind == compiler::RemarkKind::Passed && !hint.empty())
      lines += fmt::format("{}\n{}", lines.empty() ? "" : ",", hint);
  return fmt::format("{{\"{}\": {}, \"hints\": [{}\n]}}\n", kSchemaVersionKey, kHintsSchema, lines);
}

} // namespace avocet::documents
