//===- Html.cpp - Pieces of HTML --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Html.h"

#include <algorithm>
#include <sodium.h>
#include <zlib.h>

namespace avocet::tool {

std::string escapeHtml(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

HtmlTable::HtmlTable(std::string caption, const std::vector<std::string> &titles) {
  std::vector<std::string> cells;
  for (const std::string &title : titles) {
    isNumber_.push_back(title.starts_with('#'));
    cells.push_back(isNumber_.back() ? title.substr(1) : title);
  }
  html_ =
      "<table><caption>" + escapeHtml(caption) + "</caption><thead>" + appendCells(cells, "th") + "</thead><tbody>\n";
}

void HtmlTable::addRow(const std::vector<std::string> &cells) { html_ += appendCells(cells, "td"); }

std::string HtmlTable::toString() const { return html_ + "</tbody></table>\n"; }

std::string HtmlTable::appendCells(const std::vector<std::string> &cells, std::string_view element) const {
  std::string row = "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) {
    row += '<';
    row += element;
    row += i < isNumber_.size() && isNumber_[i] ? " class=\"number\">" : ">";
    row += escapeHtml(cells[i]) + "</";
    row += element;
    row += '>';
  }
  return row + "</tr>\n";
}

std::string fillPage(std::string_view page, const std::vector<std::pair<std::string_view, std::string>> &parts) {
  std::string result;
  for (size_t i = 0; i < page.size();) {
    const auto part = std::ranges::find_if(parts, [&](const auto &candidate) {
      return page.substr(i).starts_with(std::string("@") + std::string(candidate.first) + "@");
    });
    if (page[i] != '@' || part == parts.end()) {
      result += page[i++];
      continue;
    }
    result += part->second;
    i += part->first.size() + 2;
  }
  return result;
}

Result<std::string> packText(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef *>(packed.data()), &size, reinterpret_cast<const Bytef *>(text.data()),
                text.size(), Z_BEST_COMPRESSION) != Z_OK)
    return internalError("the data of the report cannot be compressed");
  std::string result(sodium_base64_encoded_len(size, sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(result.data(), result.size(), reinterpret_cast<const unsigned char *>(packed.data()), size,
                    sodium_base64_VARIANT_ORIGINAL);
  result.pop_back(); // the final zero byte
  return result;
}

} // namespace avocet::tool
