//===- Csv.cpp - Tables for spreadsheets ----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Csv.h"

#include "avocet/base/CleanText.h"

#include <charconv>

namespace avocet::tool {
namespace {

bool isNumber(std::string_view text) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Spaces before the sign do not keep a spreadsheet from computing.
bool isFormula(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first != std::string_view::npos && std::string_view("=+-@").find(text[first]) != std::string_view::npos &&
         !isNumber(text.substr(first));
}

} // namespace

std::string csvCell(std::string_view text) {
  const std::string clean = (isFormula(text) ? "'" : "") + cleanLine(text);
  if (clean.find_first_of(",\"") == std::string::npos)
    return clean;
  std::string quoted = "\"";
  for (char c : clean)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csvLine(const std::vector<std::string> &cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i)
    line += (i == 0 ? "" : ",") + csvCell(cells[i]);
  return line + "\r\n";
}

} // namespace avocet::tool
