//===- CleanText.cpp - Foreign text for terminals and logs ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CleanText.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace avocet {
namespace {

constexpr uint32_t kInvalid = UINT32_MAX;

/// One character of UTF-8, or one byte that is part of none.
struct Character {
  uint32_t code = kInvalid;
  size_t size = 1;
};

/// Overlong forms, surrogates and codes above U+10FFFF are invalid.
Character decode(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80)
    return {byte(0), 1};
  const size_t size = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || size > text.size())
    return {};
  uint32_t code = byte(0) & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool isSurrogate = code >= 0xD800 && code < 0xE000;
  return code < kLeast[size] || isSurrogate || code > 0x10FFFF ? Character{} : Character{code, size};
}

bool isHarmful(uint32_t code) {
  constexpr std::pair<uint32_t, uint32_t> kRanges[] = {{0, 0x1F},           {0x7F, 0x9F},     {0x61C, 0x61C},
                                                       {0x200E, 0x200F},    {0x2028, 0x202E}, {0x2066, 0x2069},
                                                       {kInvalid, kInvalid}};
  return std::ranges::any_of(kRanges, [code](auto range) { return code >= range.first && code <= range.second; });
}

/// Replaces each harmful character by `replace(code, bytes)`.
template <typename Replace> std::string cleaned(std::string_view text, Replace replace) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Character character = decode(text);
    const std::string_view bytes = text.substr(0, character.size);
    if (isHarmful(character.code))
      clean += replace(character.code, bytes);
    else
      clean += bytes;
    text.remove_prefix(character.size);
  }
  return clean;
}

std::string escape(uint32_t code, std::string_view bytes) {
  switch (code) {
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  default:
    break;
  }
  if (code < 0x80 || code == kInvalid)
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
  return fmt::format("\\u{:04x}", code);
}

} // namespace

std::string cleanLine(std::string_view text) { return cleaned(text, escape); }

std::string cleanMessage(std::string_view text) {
  std::string message;
  for (bool isFirst = true;; isFirst = false) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!isFirst && !line.empty() && !line.starts_with("  "))
      message += "  ";
    message += cleanLine(line);
    if (end == text.size())
      return message;
    message += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string cleanJson(std::string_view text) {
  return cleaned(text, [](uint32_t code, std::string_view bytes) {
    const bool isSpace = code == '\n' || code == '\r' || code == '\t';
    return isSpace || code == kInvalid ? std::string(bytes) : fmt::format("\\u{:04x}", code);
  });
}

} // namespace avocet
