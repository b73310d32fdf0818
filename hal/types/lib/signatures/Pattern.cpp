//===- Pattern.cpp - Lists of operands written in letters -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>

namespace avocet::hal {

using enum OperandType;

bool contains(TypeSet set, OperandType type) {
  return set == kAnyType || (findOperandType(type) != nullptr && (set & setOf(type)) != 0);
}

std::string namesOf(TypeSet set) {
  if (set == kAnyType)
    return "any type";
  std::string names;
  for (const OperandTypeInfo &info : allOperandTypes())
    if (contains(set, info.type))
      names += (names.empty() ? "" : " or ") + std::string(info.name);
  return names;
}

static constexpr TypeSet kQuant8 = setOf(TensorQuant8Asymm) | setOf(TensorQuant8AsymmSigned);

/// `forQuant8` if the leading tensor is 8-bit asymmetric, else the leading type.
static TypeSet withQuant8(OperandType leading, OperandType forQuant8) {
  return setOf(contains(kQuant8, leading) ? forQuant8 : leading);
}

static TypeSet filterTypes(OperandType leading) {
  return setOf(leading) | (contains(kQuant8, leading) ? setOf(TensorQuant8SymmPerChannel) : 0);
}

static TypeSet elementScalar(OperandType leading) {
  if (leading == TensorFloat32)
    return setOf(Float32);
  return setOf(leading == TensorFloat16 ? Float16 : Int32);
}

/// Letters that depend on the leading type.
static TypeSet relativeTypes(char letter, OperandType leading) {
  switch (letter) {
  case 't':
    return setOf(leading);
  case 'F':
    return setOf(leading == TensorFloat16 ? Float16 : Float32);
  case 'V':
    return elementScalar(leading);
  case 'w':
    return filterTypes(leading);
  case 'c':
    return withQuant8(leading, TensorInt32);
  case 'r':
    return withQuant8(leading, TensorQuant16Asymm);
  case 'z':
    return withQuant8(leading, TensorQuant16Symm);
  case 'd':
    return leading == TensorQuant16Asymm ? kQuant8 : setOf(leading);
  default:
    return 0;
  }
}

/// Letters that always denote the same types.
static TypeSet fixedTypes(char letter) {
  struct Row {
    char letter;
    TypeSet types;
  };
  static constexpr Row kRows[] = {
      {'f', setOf(TensorFloat32)},
      {'h', setOf(TensorFloat16)},
      {'i', setOf(TensorInt32)},
      {'b', setOf(TensorBool8)},
      {'u', setOf(TensorQuant8Asymm)},
      {'s', setOf(TensorQuant8AsymmSigned)},
      {'p', setOf(TensorQuant8SymmPerChannel)},
      {'y', setOf(TensorQuant8Symm)},
      {'q', setOf(TensorQuant16Symm)},
      {'Q', setOf(TensorQuant16Asymm)},
      {'I', setOf(Int32)},
      {'B', setOf(Bool)},
      {'G', setOf(OperandType::Subgraph)},
      {'n', setOf(TensorFloat32) | setOf(TensorFloat16) | setOf(TensorInt32) | setOf(TensorQuant8Asymm)},
      {'a', kAnyType},
  };
  for (const Row &row : kRows)
    if (row.letter == letter)
      return row.types;
  return 0;
}

TypeSet typesOfLetter(char letter, OperandType leading) {
  TypeSet fixed = fixedTypes(letter);
  return fixed != 0 || findOperandType(leading) == nullptr ? fixed : relativeTypes(letter, leading);
}

TypeSet typesInList(std::string_view list) {
  TypeSet types = 0;
  for (size_t i = 0; i + 1 < list.size(); i += 3)
    types |= fixedTypes(list[i]);
  return types;
}

uint32_t levelInList(std::string_view list, OperandType type) {
  for (size_t i = 0; i + 1 < list.size(); i += 3)
    if (contains(fixedTypes(list[i]), type))
      return static_cast<uint32_t>(list[i + 1] - '0');
  return 0;
}

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

std::string expandPrefix(std::string_view pattern, size_t count) {
  const size_t least = countOf(pattern).least;
  std::string letters;
  letters.reserve(std::max(count, least));
  while (!pattern.empty()) {
    Item item = takeItem(pattern);
    letters.append(item.least + (item.isOpen && count > least ? count - least : 0), item.letter);
  }
  letters.resize(std::min(letters.size(), count));
  return letters;
}

std::optional<std::string> expand(std::string_view pattern, size_t count) {
  return countOf(pattern).admits(count) ? std::optional(expandPrefix(pattern, count)) : std::nullopt;
}

} // namespace avocet::hal
