//===- Terminal.cpp - Width and colours of the output ---------------------===//
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

} // namespace avocet
