//===- TextTable.cpp - Columns of text --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kRule = "─";

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::string cutTo(std::string text, size_t width) {
  if (displayWidth(text) <= width || width == 0)
    return text;
  size_t bytes = 0;
  for (size_t characters = 0; bytes < text.size(); ++bytes) {
    if (startsCharacter(text[bytes]) && characters++ == width - 1)
      break;
  }
  text.resize(bytes);
  return text + std::string(kEllipsis);
}

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

size_t displayWidth(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

void TextTable::addColumn(std::string title, Align align, size_t maxWidth) {
  columns_.push_back({std::move(title), align, maxWidth});
}

void TextTable::addRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i] = cutTo(std::move(cells[i]), columns_[i].maxWidth);
  rows_.push_back(std::move(cells));
}

void TextTable::addRule() { rows_.emplace_back(); }

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> widths;
  for (const Column &column : columns_)
    widths.push_back(displayWidth(column.title));
  for (const auto &row : rows_) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], displayWidth(row[i]));
  }
  return widths;
}

size_t TextTable::width() const {
  size_t total = 0;
  for (size_t width : widths())
    total += width + kGap.size();
  return total > kGap.size() ? total - kGap.size() : 0;
}

std::string TextTable::toString() const {
  std::vector<size_t> width = widths();
  std::string rule = repeat(kRule, this->width()) + "\n";
  auto renderLine = [&](auto &&cellOf) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i)
      line += pad(cellOf(i), width[i], columns_[i].align) + std::string(kGap);
    trimEnd(line);
    return line + "\n";
  };
  std::string text = renderLine([&](size_t i) { return columns_[i].title; }) + rule;
  for (const auto &row : rows_)
    text += row.empty() ? rule : renderLine([&](size_t i) { return row[i]; });
  return text;
}

std::string withCommas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::string formatBytes(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string formatCount(uint64_t count) {
  constexpr std::array<std::string_view, 4> kUnits = {"k", "M", "G", "T"};
  if (count < 1000)
    return std::to_string(count);
  double value = static_cast<double>(count) / 1000;
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit)
    value /= 1000;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

} // namespace avocet::tool
