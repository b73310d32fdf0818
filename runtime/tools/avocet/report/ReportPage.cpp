//===- ReportPage.cpp - The page of a report --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportPage.h"

#include "Html.h"
#include "PageFiles.h"
#include "StaticTables.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

std::string textOf(const Json &json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

Result<std::string> dataBlock(const std::string &name, std::string_view text) {
  AVOCET_ASSIGN_OR_RETURN(std::string packed, packText(text));
  return fmt::format("<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", name, packed);
}

/// The texts of the phases are blocks of their own, which the page unpacks when it shows them.
Result<std::string> dataBlocks(std::span<const Json> runs) {
  std::string blocks;
  Json shown = Json::array();
  for (const Json &run : runs) {
    Json rest = run;
    size_t number = 0;
    for (Json &phase : rest["ir"]) {
      AVOCET_ASSIGN_OR_RETURN(std::string block, dataBlock(fmt::format("ir-{}-{}", shown.size(), number++),
                                                           phase["text"].get_ref<const std::string &>()));
      blocks += block;
      phase.erase("text");
    }
    shown.push_back(std::move(rest));
  }
  AVOCET_ASSIGN_OR_RETURN(std::string block, dataBlock("data", textOf(shown)));
  return blocks + block;
}

/// The embedded files that end with `ending`, in order.
std::string joinFiles(std::string_view ending) {
  std::string text;
  for (const EmbeddedFile &file : pageFiles())
    if (file.name.ends_with(ending))
      text += std::string(file.text) + '\n';
  return text;
}

std::string licenses() {
  std::string html;
  for (const EmbeddedFile &file : pageFiles())
    if (file.name.ends_with(".license"))
      html +=
          fmt::format("<h3>{}</h3><pre>{}</pre>\n", file.name.substr(0, file.name.rfind('.')), escapeHtml(file.text));
  return html;
}

} // namespace

std::string_view pageFile(std::string_view name) {
  return std::ranges::find(pageFiles(), name, &EmbeddedFile::name)->text;
}

Result<std::string> makePage(std::span<const Json> runs) {
  AVOCET_ASSIGN_OR_RETURN(std::string data, dataBlocks(runs));
  const bool isComparison = runs.size() == 2;
  std::string title = titleOfRun(runs[0]), tables;
  if (isComparison) {
    title += " and " + titleOfRun(runs[1]);
    tables = changeTables(runs[0], runs[1]);
  }
  for (const Json &run : runs)
    tables += runTables(run);
  return fillPage(pageFile("page.html"), {{"title", escapeHtml(title)},
                                          {"style", joinFiles(".css")},
                                          {"tables", std::move(tables)},
                                          {"licenses", licenses()},
                                          {"data", std::move(data)},
                                          {"libraries", joinFiles(".min.js")},
                                          {"script", joinFiles(".module.js")}});
}

} // namespace avocet::tool
