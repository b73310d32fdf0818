//===- Pattern.cpp - Lists of operands written in letters -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

namespace avocet::hal {

namespace {
/// A letter and its repetition.
struct Item {
  char letter = 0;
  size_t least = 1;
  bool isOpen = false;
};
} // namespace

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Removes the next item from the front of `pattern`, which must not be empty.
static Item takeItem(std::string_view &pattern) {
  Item item = {.letter = pattern.front()};
  pattern.remove_prefix(1);
  if (!pattern.empty() && (pattern.front() == '+' || pattern.front() == '*')) {
    item.least = pattern.front() == '+' ? 1 : 0;
    item.isOpen = true;
    pattern.remove_prefix(1);
  }
  for (size_t number = 0; !pattern.empty() && isDigit(pattern.front()); pattern.remove_prefix(1))
    item.least = number = number * 10 + static_cast<size_t>(pattern.front() - '0');
  return item;
}

PatternCount countOf(std::string_view pattern) {
  PatternCount count;
  while (!pattern.empty()) {
    Item item = takeItem(pattern);
    count.least += item.least;
    count.isOpen |= item.isOpen;
  }
  return count;
}

std::optional<std::string> expand(std::string_view pattern, size_t count) {
  PatternCount allowed = countOf(pattern);
  if (!allowed.admits(count))
    return std::nullopt;
  std::string letters;
  letters.reserve(count);
  while (!pattern.empty()) {
    Item item = takeItem(pattern);
    letters.append(item.least + (item.isOpen ? count - allowed.least : 0), item.letter);
  }
  return letters;
}

} // namespace avocet::hal
