//===- Terminal.cpp - Width and colors of the output -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Terminal.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/ParseNumber.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace avocet {
namespace {

std::string_view variable(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Nothing for values that are no usable width: the variable belongs to the shell, so they are no error.
std::optional<size_t> columnsVariable() {
  constexpr uint64_t kMostColumns = 100'000;
  Result<uint64_t> columns = parseUnsigned(variable("COLUMNS"), 1, kMostColumns);
  return columns ? std::optional<size_t>(*columns) : std::nullopt;
}

size_t terminalColumns(int descriptor) {
  winsize size{};
  const bool isKnown = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return isKnown ? size.ws_col : kDefaultColumns;
}

} // namespace

size_t outputColumns(int descriptor) {
  const std::optional<size_t> chosen = columnsVariable();
  return std::max(kLeastColumns, chosen ? *chosen : terminalColumns(descriptor));
}

bool hasColors(int descriptor) {
  return knobSwitch(knobs::kColor, ::isatty(descriptor) != 0 && variable("NO_COLOR").empty());
}

namespace {

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

size_t indentOf(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Fits one part of a help text, which is a paragraph, or a command with its comment.
class HelpFitter {
public:
  explicit HelpFitter(size_t width) : width_(width) {}

  std::string fit(std::string_view text) {
    for (const std::string &line : split(text, '\n')) {
      if (!continues(line))
        finish();
      lines_.push_back(line);
    }
    finish();
    result_.pop_back(); // the text has no newline at its end
    return std::move(result_);
  }

private:
  static constexpr size_t kCommentIndent = 6;

  /// A line of prose was broken by hand if it is about as long as lines of the sources; a comment goes on below itself.
  bool continues(const std::string &line) const {
    constexpr size_t kFullLine = 90, kDeepIndent = 12;
    if (lines_.empty() || line.empty())
      return false;
    return indentOf(lines_[0]) == 0 ? indentOf(line) == 0 && lines_.back().size() >= kFullLine
                                    : indentOf(line) >= kDeepIndent && indentOf(lines_[0]) < kDeepIndent;
  }

  void finish() {
    if (lines_.empty())
      return;
    const bool fits = std::ranges::all_of(lines_, [&](const auto &line) { return displayWidth(line) <= width_; });
    if (fits)
      for (const std::string &line : lines_)
        add(line);
    else if (indentOf(lines_[0]) == 0)
      addWrapped(joined(lines_[0], 1), 0);
    else
      addCommand();
    lines_.clear();
  }

  void addCommand() {
    const size_t start = indentOf(lines_[0]), gap = lines_[0].find("  ", start);
    add(lines_[0].substr(0, gap));
    const std::string rest = gap == std::string::npos ? "" : lines_[0].substr(gap);
    if (const std::string comment = joined(rest, 1); indentOf(comment) < comment.size())
      addWrapped(comment, kCommentIndent);
  }

  std::string joined(std::string text, size_t from) const {
    for (size_t i = from; i < lines_.size(); ++i)
      text += " " + lines_[i];
    return text;
  }

  void addWrapped(const std::string &text, size_t indent) {
    for (const std::string &line : wrapText(text, width_ - std::min(width_ - 1, indent)))
      add(std::string(indent, ' ') + line);
  }

  void add(const std::string &line) { result_ += line + "\n"; }

  size_t width_;
  std::vector<std::string> lines_;
  std::string result_;
};

} // namespace

size_t displayWidth(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

size_t bytesOfColumns(std::string_view text, size_t columns) {
  size_t bytes = 0;
  for (size_t characters = 0; bytes < text.size(); ++bytes)
    if (startsCharacter(text[bytes]) && characters++ == columns)
      break;
  return bytes;
}

std::vector<std::string> wrapText(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  auto endLine = [&] { lines.push_back(std::exchange(line, {})); };
  for (const std::string &word : split(text, ' ')) {
    if (word.empty())
      continue;
    if (!line.empty() && displayWidth(line) + 1 + displayWidth(word) > width)
      endLine();
    line += (line.empty() ? "" : " ") + word;
    while (displayWidth(line) > width) {
      std::string rest = line.substr(bytesOfColumns(line, width));
      line.resize(line.size() - rest.size());
      endLine();
      line = std::move(rest);
    }
  }
  if (!line.empty() || lines.empty())
    endLine();
  return lines;
}

std::string fitHelp(std::string_view text, size_t width) { return HelpFitter(width).fit(text); }

} // namespace avocet
