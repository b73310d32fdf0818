//===- ReportCsv.cpp - The report of a run for spreadsheets ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportCsv.h"

#include "avocet/documents/RunJson.h"
#include "output/Csv.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;
using Fields = std::vector<std::pair<std::string, std::string>>; ///< titles and cells

void appendFields(const Json &json, const std::string &prefix, Fields &fields) {
  for (const auto &[key, value] : json.items()) {
    if (value.is_object())
      appendFields(value, prefix + key + "_", fields);
    else
      fields.emplace_back(prefix + key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

template <auto member> std::string lineOf(const Fields &fields) {
  std::vector<std::string> cells;
  for (const auto &field : fields)
    cells.push_back(field.*member);
  return csvLine(cells);
}

} // namespace

std::string renderCsv(const analysis::Report &report) {
  std::string text;
  Json json = Json::parse(documents::runJson(report));
  if (json["layers"].empty())
    return text;
  Json rest = {{"name", kNoLayerName}, {"operation", ""}, {"engine", ""}};
  rest.update(json["without_layer"]);
  rest["group"] = "";
  json["layers"].push_back(std::move(rest));
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
