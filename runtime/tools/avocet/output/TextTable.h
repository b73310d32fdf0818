//===- TextTable.h - Columns of text ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table for a terminal: columns as wide as their widest cell, numbers right-aligned, text left-aligned. A table that
// is wider than the output loses, in this order: the ends of texts that may be cut or wrapped, and whole columns, which
// a line below it names. Tables whose columns allow neither stay too wide.
//
//   table.addColumn("layer", Align::Left).cutTo(12);
//   table.addColumn("cycles", Align::Right);
//   table.addColumn("SRAM", Align::Right).drop(1);
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_TEXTTABLE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_TEXTTABLE_H

#include "avocet/base/Terminal.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

class TextTable {
public:
  enum class Align { Left, Right };

  /// Each function says what a table may do that is too wide, and returns the column.
  class Column {
  public:
    Column(std::string title, Align align, size_t maxWidth)
        : title_(std::move(title)), align_(align), maxWidth_(maxWidth) {}

    Column &cutTo(size_t least);  ///< ends of cells, with an ellipsis, down to this width
    Column &wrapTo(size_t least); ///< cells over several lines of at least this width
    Column &drop(unsigned order); ///< the column; those with a lower order (from 1) go first

  private:
    friend class TextTable;
    std::string title_;
    Align align_;
    size_t maxWidth_;
    size_t least_ = SIZE_MAX;
    bool wraps_ = false;
    unsigned order_ = 0; ///< 0: stays
  };

  /// The reference is valid until the next column is added.
  Column &addColumn(std::string title, Align align, size_t maxWidth = SIZE_MAX);

  /// One cell per column; missing cells are empty, cells longer than their column's maxWidth are cut with an ellipsis.
  void addRow(std::vector<std::string> cells);
  void addRule();

  size_t numRows() const { return rows_.size(); }

  /// Fitted to tableWidth(), or to the given width.
  std::string toString() const;
  std::string toString(size_t limit) const;

  /// The width that a column has in toString(limit); 0: it is dropped.
  size_t fittedWidth(size_t column, size_t limit) const;

private:
  struct Layout {
    std::vector<bool> isShown;
    std::vector<size_t> widths;
    size_t total() const;
  };
  std::vector<size_t> widths() const;
  Layout fit(size_t limit) const;
  bool shrink(Layout &layout, size_t limit) const;
  std::vector<std::string> linesOf(const std::string &cell, size_t column, const Layout &layout) const;
  std::string renderRow(const std::vector<std::string> &cells, const Layout &layout) const;
  std::string droppedTitles(const Layout &layout) const;

  std::deque<Column> columns_;
  std::vector<std::vector<std::string>> rows_; ///< an empty row is a rule
};

/// Width of tables on the standard output: that of the output (avocet/base/Terminal.h), unless it was set.
size_t tableWidth();
void setTableWidth(size_t width);

/// For tables without a limit.
inline constexpr size_t kAnyWidth = SIZE_MAX;

/// The text in at most `width` columns; a longer one ends with an ellipsis. 0: as it is.
std::string cutTo(std::string text, size_t width);

/// "label      text" with the text in column kLabelWidth, wrapped to tableWidth(); ends with a newline.
inline constexpr size_t kLabelWidth = 11;
std::string labeledText(std::string_view label, std::string_view text);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_TEXTTABLE_H
