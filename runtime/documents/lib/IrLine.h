//===- IrLine.h - One line of a phase's text --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_DOCUMENTS_LIB_IRLINE_H
#define AVOCET_RUNTIME_DOCUMENTS_LIB_IRLINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace avocet::documents {

/// The line with long strings and lists of numbers cut: constants are megabytes.
std::string cutConstants(std::string_view line);

/// A line divided at the location that ends it ("loc(#loc3)", "loc("conv1")").
struct LocatedLine {
  std::string_view text;
  std::string_view location; ///< inside of the parentheses; empty: none
};
LocatedLine splitLocation(std::string_view line);

/// What "#loc3" stands for.
class LocationNames {
public:
  /// Reads a line such as `#loc3 = loc("conv1")`; false for any other line.
  bool addAlias(std::string_view line);

  /// Names of tensors in a location, those of aliases included. File names are left out.
  std::vector<std::string> namesIn(std::string_view location) const;

private:
  void append(std::string_view location, uint32_t depth, std::vector<std::string> &names) const;

  std::unordered_map<std::string, std::string> aliases_;
};

/// "%7", "%tile" of a line. Strings are skipped.
struct LineValues {
  std::vector<std::string_view> results, operands;
};
LineValues valuesOf(std::string_view line);

/// "nn.conv_2d"; empty if the line begins no operation.
std::string_view operationOf(std::string_view line);

/// The number after `key` ("layer = "), its last occurrence.
std::optional<int32_t> numberAfter(std::string_view line, std::string_view key);

} // namespace avocet::documents

#endif // AVOCET_RUNTIME_DOCUMENTS_LIB_IRLINE_H
