//===- RemarkLog.cpp - Decisions of the compiler in a file ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemarkLog.h"

#include "SchemaVersions.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/ParseNumber.h"

#include <algorithm>
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
    json["arguments"][key] = valueOf(value);
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

} // namespace avocet::tool
