//===- Optimization.h - Options of the search for schedules -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPTIMIZATION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPTIMIZATION_H

#include "avocet/compiler/Compiler.h"
#include "avocet/network/Optimization.h"

#include <string>

namespace avocet::tool {

using network::setOptimization;

inline constexpr const char *kOptimizeHelp =
    "Effort for the schedule: 0, 1 (default), 2 or 3, or a time such as 30s. Levels above 1 simulate alternatives and "
    "keep the fastest";

/// The alternatives of a compilation, as a JSON array with one line for each.
class AlternativeLog {
public:
  void add(const compiler::Alternative &alternative);
  bool isEmpty() const { return lines_.empty(); }
  std::string text() const { return "[\n" + lines_ + "\n]\n"; }

private:
  std::string lines_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPTIMIZATION_H
