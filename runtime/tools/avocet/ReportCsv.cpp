//===- ReportCsv.cpp - A report for spreadsheets --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportCsv.h"

#include "ReportJson.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;
using Fields = std::vector<std::pair<std::string, std::string>>; ///< titles and cells

/// Within quotes if the text holds a character that ends a cell.
std::string cell(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void appendFields(const Json &json, const std::string &prefix, Fields &fields) {
  for (const auto &[key, value] : json.items()) {
    if (value.is_object())
      appendFields(value, prefix + key + "_", fields);
    else
      fields.emplace_back(prefix + key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

template <auto member> std::string lineOf(const Fields &fields) {
  std::string line;
  for (const auto &field : fields)
    line += cell(field.*member) + ",";
  line.pop_back(); // no layer is without figures
  return line + "\r\n";
}

} // namespace

std::string renderCsv(const Report &report) {
  std::string text;
  const Json json = Json::parse(renderJson(report));
  for (const Json &layer : json["layers"]) {
    Fields fields;
    appendFields(layer, "", fields);
    if (text.empty())
      text = lineOf<&Fields::value_type::first>(fields);
    text += lineOf<&Fields::value_type::second>(fields);
  }
  return text;
}

} // namespace avocet::tool
