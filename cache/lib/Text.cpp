//===- Text.cpp - Names that are safe to show -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include <cstdint>

namespace avocet::cache {

namespace {

bool isAllowedAscii(uint8_t byte) { return byte >= 0x20 && byte < 0x7F; }

/// Bytes of a multi-byte sequence by its first byte, 0 for bytes that start none.
size_t sequenceLength(uint8_t first) {
  if (first >= 0xC2 && first <= 0xDF)
    return 2;
  if (first >= 0xE0 && first <= 0xEF)
    return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/// Overlong forms, surrogates, numbers above U+10FFFF, and the control characters U+0080 to U+009F.
bool isForbiddenSecond(uint8_t first, uint8_t second) {
  return (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
         (first == 0xF4 && second > 0x8F) || (first == 0xC2 && second < 0xA0);
}

/// Bytes of the character at the start of the text, 0 if there is no allowed one.
size_t characterLength(std::string_view text) {
  auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80)
    return isAllowedAscii(first) ? 1 : 0;
  size_t length = sequenceLength(first);
  if (length == 0 || length > text.size() || isForbiddenSecond(first, static_cast<uint8_t>(text[1])))
    return 0;
  for (char c : text.substr(1, length - 1))
    if ((static_cast<uint8_t>(c) & 0xC0) != 0x80)
      return 0;
  return length;
}

} // namespace

size_t cleanPrefix(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    size_t length = characterLength(text.substr(position));
    if (length == 0)
      break;
    position += length;
  }
  return position;
}

std::string cleaned(std::string_view text) {
  std::string result;
  while (true) {
    size_t good = cleanPrefix(text);
    result += text.substr(0, good);
    if (good == text.size())
      return result;
    result += '?';
    text.remove_prefix(good + 1);
  }
}

} // namespace avocet::cache
