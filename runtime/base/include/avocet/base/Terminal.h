//===- Terminal.h - Width and colors of the output -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What text for people may use. Both answers follow the conventions of other programs: the variables COLUMNS and
// NO_COLOR (https://no-color.org) are not Avocet's own, so `avocet knobs` does not list them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_TERMINAL_H
#define AVOCET_BASE_TERMINAL_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace avocet {

/// Width of files and pipes.
inline constexpr size_t kDefaultColumns = 80;
inline constexpr size_t kLeastColumns = 20;

/// Columns that a line on this descriptor may take: the variable COLUMNS, or else the width of the terminal, or else
/// kDefaultColumns. At least kLeastColumns.
size_t outputColumns(int descriptor);

/// Whether text on this descriptor may have colors. The knob AVOCET_COLOR decides if it is on or off; otherwise only a
/// terminal has colors, and none if NO_COLOR is set and not empty.
bool hasColors(int descriptor);

/// Columns of the terminal for UTF-8 text without wide or combining characters.
size_t displayWidth(std::string_view text);

/// Bytes of the first `columns` columns.
size_t bytesOfColumns(std::string_view text, size_t columns);

/// The text in lines of at most `width` columns, divided between words where possible. At least one line.
std::vector<std::string> wrapText(std::string_view text, size_t width);

/// The end of a program's help in lines of at most `width` columns: prose is filled, and of "  command    comment" the
/// comment goes to the next lines if both do not fit. Other indented lines stay as they are.
std::string fitHelp(std::string_view text, size_t width);

} // namespace avocet

#endif // AVOCET_BASE_TERMINAL_H
