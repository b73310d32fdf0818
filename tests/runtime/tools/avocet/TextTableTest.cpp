//===- TextTableTest.cpp - Tables for terminals of any width --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "output/TextTable.h"
#include "avocet/base/NumberText.h"
#include "output/Csv.h"

#include <gtest/gtest.h>

namespace avocet::tool::test {
namespace {

using Align = TextTable::Align;

TEST(TextTableTest, AlignsAndCuts) {
  TextTable table;
  table.addColumn("name", TextTable::Align::Left, 6);
  table.addColumn("n", TextTable::Align::Right);
  table.addRow({"abcdefgh", "1"});
  table.addRule();
  table.addRow({"ä", "100"});
  EXPECT_EQ(table.toString(), "name      n\n"
                              "───────────\n"
                              "abcde…    1\n"
                              "───────────\n"
                              "ä       100\n");
}

TEST(TextTableTest, CleansCells) {
  TextTable table;
  table.addColumn("name", Align::Left);
  table.addRow({"a\x1b[2Jb\nc"});
  EXPECT_EQ(table.toString(), "name\n────────────\na\\x1b[2Jb\\nc\n");
}

TEST(CsvTest, FormulasBecomeText) {
  for (const char *formula : {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", " =1", "-", "-inf x"})
    EXPECT_TRUE(csvCell(formula).starts_with("'")) << formula;
  for (const char *number : {"-1", "+2.5", "-1e-3", "0", "12"})
    EXPECT_EQ(csvCell(number), number);
  EXPECT_EQ(csvCell("=A1,\"x\""), "\"'=A1,\"\"x\"\"\"");
}

TEST(CsvTest, CellsStayInTheirLine) {
  EXPECT_EQ(csvCell("a\r\nb"), "a\\r\\nb");
  EXPECT_EQ(csvLine({"a,b", "c"}), "\"a,b\",c\r\n");
}

TEST(TextTableTest, FormatsNumbers) {
  EXPECT_EQ(withCommas(0), "0");
  EXPECT_EQ(withCommas(999), "999");
  EXPECT_EQ(withCommas(1000), "1,000");
  EXPECT_EQ(withCommas(1234567), "1,234,567");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(1048575), "1.0 MiB");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(12500), "12.5 k");
}

/// Widths 9, 6 and 8, with gaps 27.
TextTable sample() {
  TextTable table;
  table.addColumn("name", Align::Left).cutTo(6);
  table.addColumn("cycles", Align::Right);
  table.addColumn("traffic", Align::Right).drop(1);
  table.addRow({"depthwise", "100", "12.5 KiB"});
  return table;
}

TEST(TextTableTest, CutsTextsBeforeItDropsColumns) {
  EXPECT_EQ(sample().toString(27), sample().toString(kAnyWidth));
  EXPECT_EQ(sample().toString(25), "name     cycles   traffic\n"
                                   "─────────────────────────\n"
                                   "depthw…     100  12.5 KiB\n");
  EXPECT_EQ(sample().toString(20), "name       cycles\n"
                                   "─────────────────\n"
                                   "depthwise     100\n"
                                   "not shown for lack of width: traffic (--wide)\n");
  EXPECT_EQ(sample().fittedWidth(0, 25), 7u);
  EXPECT_EQ(sample().fittedWidth(0, 15), 7u);
}

TEST(TextTableTest, KeepsColumnsThatMayNotGo) {
  EXPECT_EQ(sample().toString(1), "name    cycles\n"
                                  "──────────────\n"
                                  "depth…     100\n"
                                  "not shown for lack of width: traffic (--wide)\n");
}

TEST(TextTableTest, LowestOrdersAreDroppedFirst) {
  TextTable table;
  for (unsigned order : {2, 1, 0, 3})
    table.addColumn("c" + std::to_string(order), Align::Left).drop(order);
  EXPECT_NE(table.toString(11).find("width: c1 ("), std::string::npos) << table.toString(11);
  EXPECT_NE(table.toString(7).find("width: c2, c1 ("), std::string::npos) << table.toString(7);
  EXPECT_NE(table.toString(3).find("width: c2, c1, c3 ("), std::string::npos) << table.toString(3);
}

TEST(TextTableTest, WrapsTextsOverSeveralLines) {
  TextTable table;
  table.addColumn("n", Align::Right);
  table.addColumn("meaning", Align::Left).wrapTo(10);
  table.addRow({"1", "one two three four"});
  EXPECT_EQ(table.toString(14), "n  meaning\n"
                                "──────────────\n"
                                "1  one two\n"
                                "   three four\n");
}

TEST(TextTableTest, LabeledTextHangsBelowItsLabel) {
  setTableWidth(20);
  EXPECT_EQ(labeledText("host", "ran in 3 ms"), "host       ran in 3\n"
                                                "           ms\n");
  setTableWidth(0);
}

} // namespace
} // namespace avocet::tool::test
