//===- Pattern.h - Lists of operands written in letters ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SIGNATURES_PATTERN_H
#define AVOCET_HAL_SIGNATURES_PATTERN_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace avocet::hal {

/// The number of operands that a pattern ("twcI4", "t+I") matches.
struct PatternCount {
  size_t least = 0;
  bool isOpen = false; ///< any number above `least` too
  bool admits(size_t count) const { return isOpen ? count >= least : count == least; }
};
PatternCount countOf(std::string_view pattern);

/// One letter for each of `count` operands; empty if the pattern does not match this count.
std::optional<std::string> expand(std::string_view pattern, size_t count);

} // namespace avocet::hal

#endif // AVOCET_HAL_SIGNATURES_PATTERN_H
