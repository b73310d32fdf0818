//===- TextTable.h - Columns of text ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table for a terminal: columns as wide as their widest cell, numbers right-aligned, text left-aligned.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_TEXTTABLE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_TEXTTABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

class TextTable {
public:
  enum class Align { Left, Right };

  void addColumn(std::string title, Align align, size_t maxWidth = SIZE_MAX);

  /// One cell per column; missing cells are empty, cells longer than their column's maxWidth are cut with an ellipsis.
  void addRow(std::vector<std::string> cells);
  void addRule();

  size_t numRows() const { return rows_.size(); }
  std::string toString() const;

  /// Width of toString() in columns of the terminal.
  size_t width() const;

private:
  struct Column {
    std::string title;
    Align align;
    size_t maxWidth;
  };
  std::vector<size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_; ///< an empty row is a rule
};

/// Columns of the terminal for UTF-8 text without wide or combining characters.
size_t displayWidth(std::string_view text);

/// 1234567 as "1,234,567".
std::string withCommas(uint64_t number);

/// Bytes as "512 B", "12.3 KiB", "4.0 MiB".
std::string formatBytes(uint64_t bytes);

/// Large counts as "950", "12.5 k", "300.8 M".
std::string formatCount(uint64_t count);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_TEXTTABLE_H
