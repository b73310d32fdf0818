//===- Csv.h - Tables for spreadsheets --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_CSV_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_CSV_H

#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

/// One cell: within quotes if the text holds a character that ends a cell, cleaned as by cleanLine(). Text that a
/// spreadsheet would compute (it begins with =, +, - or @ and is no number) begins with an apostrophe.
std::string csvCell(std::string_view text);

/// Cells with commas between them, and the end of the line.
std::string csvLine(const std::vector<std::string> &cells);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_CSV_H
