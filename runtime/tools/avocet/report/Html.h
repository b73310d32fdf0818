//===- Html.h - Pieces of HTML ----------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_HTML_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_HTML_H

#include "avocet/base/Status.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avocet::tool {

/// Text for elements and for attributes in double quotes. Bytes that are no UTF-8 stay; browsers replace them.
std::string escapeHtml(std::string_view text);

/// A table with a heading row. Columns whose title starts with '#' hold numbers; the sign is left out.
class HtmlTable {
public:
  HtmlTable(std::string caption, const std::vector<std::string> &titles);

  void addRow(const std::vector<std::string> &cells);
  std::string toString() const;

private:
  std::string appendCells(const std::vector<std::string> &cells, std::string_view element) const;

  std::string html_;
  std::vector<bool> isNumber_;
};

/// `page` with each "@name@" in it replaced, once: the text that is put in may contain anything.
std::string fillPage(std::string_view page, const std::vector<std::pair<std::string_view, std::string>> &parts);

/// Compressed by zlib, as base64.
Result<std::string> packText(std::string_view text);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_HTML_H
