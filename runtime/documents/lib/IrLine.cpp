//===- IrLine.cpp - One line of a phase's text ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IrLine.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace avocet::documents {
namespace {

constexpr size_t kLongestString = 120, kKeptString = 24;
constexpr size_t kLongestList = 160, kKeptList = 60;
constexpr uint32_t kMostNesting = 8; // of aliases; the text may be of any origin

/// The place after the string that begins at `begin`.
size_t endOfString(std::string_view line, size_t begin) {
  for (size_t i = begin + 1; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      return i + 1;
  }
  return line.size();
}

/// The character that ends the list of numbers that begins at `place`, or 0 if none does.
char endOfListAt(std::string_view line, size_t place) {
  const std::string_view rest = line.substr(place);
  if (rest.starts_with("dense<[") || rest.starts_with("array<"))
    return '>';
  const bool isScales = rest.size() > 1 && rest[0] == '{' && (std::isdigit(static_cast<unsigned char>(rest[1])) != 0);
  return isScales ? '}' : '\0';
}

/// Appends [begin, end), or only its head and last character if it is longer than `longest`.
void appendCut(std::string &result, std::string_view part, size_t longest, size_t kept) {
  if (part.size() <= longest) {
    result += part;
    return;
  }
  result += part.substr(0, kept);
  result += "...";
  result += part.back();
}

bool isNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' || c == '-';
}

std::string_view trimLeft(std::string_view line) {
  const size_t begin = line.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// The place of " = " that ends the results, or none.
size_t endOfResults(std::string_view line) {
  return trimLeft(line).starts_with('%') ? line.find(" = ") : std::string_view::npos;
}

} // namespace

std::string cutConstants(std::string_view line) {
  std::string result;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '"') {
      const size_t end = endOfString(line, i);
      appendCut(result, line.substr(i, end - i), kLongestString, kKeptString);
      i = end;
    } else if (const char last = endOfListAt(line, i); last != '\0') {
      const size_t end = std::min(line.find(last, i), line.size() - 1) + 1;
      appendCut(result, line.substr(i, end - i), kLongestList, kKeptList);
      i = end;
    } else {
      result += line[i++];
    }
  }
  return result;
}

LocatedLine splitLocation(std::string_view line) {
  const size_t place = line.ends_with(')') ? line.rfind(" loc(") : std::string_view::npos;
  if (place == std::string_view::npos)
    return {line, {}};
  return {line.substr(0, place), line.substr(place + 5, line.size() - place - 6)};
}

bool LocationNames::addAlias(std::string_view line) {
  const size_t equals = line.find(" = loc(");
  if (!line.starts_with("#loc") || equals == std::string_view::npos || !line.ends_with(')'))
    return false;
  aliases_[std::string(line.substr(0, equals))] = line.substr(equals + 7, line.size() - equals - 8);
  return true;
}

void LocationNames::append(std::string_view location, uint32_t depth, std::vector<std::string> &names) const {
  for (size_t i = 0; i < location.size();) {
    size_t end = i + 1;
    if (location[i] == '"') {
      end = endOfString(location, i);
      const bool isFile = end + 1 < location.size() && location[end] == ':';
      if (!isFile && end - i > 2)
        names.emplace_back(location.substr(i + 1, end - i - 2));
      if (end < location.size() && location[end] == '(') // where the name comes from: the file
        end = std::min(location.find(')', end), location.size());
    } else if (location[i] == '#') {
      while (end < location.size() && isNameCharacter(location[end]))
        ++end;
      auto alias = aliases_.find(std::string(location.substr(i, end - i)));
      if (alias != aliases_.end() && depth < kMostNesting)
        append(alias->second, depth + 1, names);
    }
    i = end;
  }
}

std::vector<std::string> LocationNames::namesIn(std::string_view location) const {
  std::vector<std::string> names;
  append(location, 0, names);
  return names;
}

LineValues valuesOf(std::string_view line) {
  LineValues values;
  const size_t results = endOfResults(line);
  for (size_t i = 0; i < line.size();) {
    size_t end = i + 1;
    if (line[i] == '"') {
      end = endOfString(line, i);
    } else if (line[i] == '%') {
      while (end < line.size() && isNameCharacter(line[end]))
        ++end;
      const bool isResult = results != std::string_view::npos && i < results;
      (isResult ? values.results : values.operands).push_back(line.substr(i, end - i));
    }
    i = end;
  }
  return values;
}

std::string_view operationOf(std::string_view line) {
  const size_t results = endOfResults(line);
  std::string_view rest = trimLeft(results == std::string_view::npos ? line : line.substr(results + 3));
  if (rest.starts_with('"'))
    rest.remove_prefix(1);
  const auto end = std::ranges::find_if_not(rest, isNameCharacter);
  return rest.substr(0, static_cast<size_t>(end - rest.begin()));
}

std::optional<int32_t> numberAfter(std::string_view line, std::string_view key) {
  const size_t place = line.rfind(key);
  if (place == std::string_view::npos)
    return std::nullopt;
  int32_t number = 0;
  const char *begin = line.data() + place + key.size();
  auto [end, error] = std::from_chars(begin, line.data() + line.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

} // namespace avocet::documents
