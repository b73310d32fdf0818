//===- CleanText.h - Foreign text for terminals and logs --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of files, tensors and services come from others. What they hold must not move the cursor, change the direction
// of text, or begin a line that looks like one of ours. Cleaned are control characters, the marks of bidirectional text
// (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), the separators U+2028 and U+2029, and bytes that are no
// UTF-8. They become \n, \t, \x1b or \u202e. Other text stays, and so does cleaned text.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_CLEANTEXT_H
#define AVOCET_BASE_CLEANTEXT_H

#include <string>
#include <string_view>

namespace avocet {

/// For a line of a log and the cell of a table.
std::string cleanLine(std::string_view text);

/// For a message that may have several lines: newlines stay, and all lines after the first begin with two spaces.
std::string cleanMessage(std::string_view text);

/// For JSON that others may print: the same characters as JSON's escapes, so that a reader gets the exact names. `text`
/// is valid JSON; its newlines stay.
std::string cleanJson(std::string_view text);

} // namespace avocet

#endif // AVOCET_BASE_CLEANTEXT_H
