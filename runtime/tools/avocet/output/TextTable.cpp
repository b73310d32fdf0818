//===- TextTable.cpp - Columns of text --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include "avocet/base/CleanText.h"
#include "avocet/base/Terminal.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <utility>

namespace avocet::tool {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kRule = "─";

/// 0: that of the output.
size_t chosenWidth = 0;

std::string pad(const std::string &text, size_t width, TextTable::Align align) {
  size_t have = displayWidth(text);
  std::string spaces(width > have ? width - have : 0, ' ');
  return align == TextTable::Align::Left ? text + spaces : spaces + text;
}

std::string repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

void trimEnd(std::string &line) {
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
}

} // namespace

std::string cutTo(std::string text, size_t width) {
  if (displayWidth(text) <= width || width == 0)
    return text;
  text.resize(bytesOfColumns(text, width - 1));
  return text + std::string(kEllipsis);
}

void setTableWidth(size_t width) { chosenWidth = width; }
size_t tableWidth() { return chosenWidth != 0 ? chosenWidth : outputColumns(STDOUT_FILENO); }

std::string labeledText(std::string_view label, std::string_view text) {
  const size_t limit = tableWidth();
  std::string lines;
  for (const std::string &line : wrapText(cleanLine(text), limit - std::min(limit - 1, kLabelWidth)))
    lines += pad(lines.empty() ? std::string(label) : "", kLabelWidth, TextTable::Align::Left) + line + "\n";
  return lines;
}

TextTable::Column &TextTable::Column::cutTo(size_t least) {
  least_ = least;
  return *this;
}

TextTable::Column &TextTable::Column::wrapTo(size_t least) {
  wraps_ = true;
  return cutTo(least);
}

TextTable::Column &TextTable::Column::drop(unsigned order) {
  order_ = order;
  return *this;
}

TextTable::Column &TextTable::addColumn(std::string title, Align align, size_t maxWidth) {
  return columns_.emplace_back(std::move(title), align, maxWidth);
}

void TextTable::addRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i] = tool::cutTo(cleanLine(cells[i]), columns_[i].maxWidth_);
  rows_.push_back(std::move(cells));
}

void TextTable::addRule() { rows_.emplace_back(); }

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> widths;
  for (const Column &column : columns_)
    widths.push_back(displayWidth(column.title_));
  for (const auto &row : rows_) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], displayWidth(row[i]));
  }
  return widths;
}

size_t TextTable::Layout::total() const {
  size_t total = 0;
  for (size_t i = 0; i < widths.size(); ++i)
    total += isShown[i] ? widths[i] + kGap.size() : 0;
  return total > kGap.size() ? total - kGap.size() : 0;
}

/// Makes the widest of the columns that may be cut narrower until the table fits; false if it cannot.
bool TextTable::shrink(Layout &layout, size_t limit) const {
  for (size_t surplus = layout.total() - std::min(layout.total(), limit); surplus > 0; --surplus) {
    size_t widest = columns_.size();
    for (size_t i = 0; i < columns_.size(); ++i) {
      const bool isCut = layout.isShown[i] && layout.widths[i] > columns_[i].least_;
      if (isCut && (widest == columns_.size() || layout.widths[i] > layout.widths[widest]))
        widest = i;
    }
    if (widest == columns_.size())
      return false;
    --layout.widths[widest];
  }
  return true;
}

TextTable::Layout TextTable::fit(size_t limit) const {
  Layout full{std::vector<bool>(columns_.size(), true), widths()};
  for (;;) {
    Layout fitted = full;
    if (shrink(fitted, limit))
      return fitted;
    size_t first = columns_.size();
    for (size_t i = 0; i < columns_.size(); ++i) {
      const bool canGo = full.isShown[i] && columns_[i].order_ != 0;
      if (canGo && (first == columns_.size() || columns_[i].order_ < columns_[first].order_))
        first = i;
    }
    if (first == columns_.size())
      return fitted;
    full.isShown[first] = false;
  }
}

size_t TextTable::fittedWidth(size_t column, size_t limit) const {
  const Layout layout = fit(limit);
  return layout.isShown[column] ? layout.widths[column] : 0;
}

std::vector<std::string> TextTable::linesOf(const std::string &cell, size_t column, const Layout &layout) const {
  const size_t width = layout.widths[column];
  return columns_[column].wraps_ ? wrapText(cell, width) : std::vector<std::string>{tool::cutTo(cell, width)};
}

std::string TextTable::renderRow(const std::vector<std::string> &cells, const Layout &layout) const {
  std::vector<std::vector<std::string>> lines;
  size_t height = 1;
  for (size_t i = 0; i < columns_.size(); ++i) {
    lines.push_back(linesOf(cells[i], i, layout));
    height = layout.isShown[i] ? std::max(height, lines[i].size()) : height;
  }
  std::string text;
  for (size_t row = 0; row < height; ++row) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i)
      if (layout.isShown[i])
        line +=
            pad(row < lines[i].size() ? lines[i][row] : "", layout.widths[i], columns_[i].align_) + std::string(kGap);
    trimEnd(line);
    text += line + "\n";
  }
  return text;
}

std::string TextTable::droppedTitles(const Layout &layout) const {
  std::vector<std::string_view> titles;
  for (size_t i = 0; i < columns_.size(); ++i)
    if (!layout.isShown[i])
      titles.push_back(columns_[i].title_);
  return titles.empty() ? "" : fmt::format("not shown for lack of width: {} (--wide)\n", fmt::join(titles, ", "));
}

std::string TextTable::toString() const { return toString(tableWidth()); }

std::string TextTable::toString(size_t limit) const {
  const Layout layout = fit(limit);
  const std::string rule = repeat(kRule, layout.total()) + "\n";
  std::vector<std::string> titles;
  for (const Column &column : columns_)
    titles.push_back(column.title_);
  std::string text = renderRow(titles, layout) + rule;
  for (const auto &row : rows_)
    text += row.empty() ? rule : renderRow(row, layout);
  return text + droppedTitles(layout);
}

} // namespace avocet::tool
