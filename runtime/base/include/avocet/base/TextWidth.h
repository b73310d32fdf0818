//===- TextWidth.h - Text in columns of a terminal --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_TEXTWIDTH_H
#define AVOCET_BASE_TEXTWIDTH_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace avocet {

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

#endif // AVOCET_BASE_TEXTWIDTH_H
