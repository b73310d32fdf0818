//===- Optimisation.h - Level or time of the search for schedules ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPTIMISATION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPTIMISATION_H

#include "avocet/compiler/Compiler.h"

#include <string>
#include <string_view>

namespace avocet::tool {

inline constexpr const char *kOptimiseHelp =
    "Effort for the schedule: 0, 1 (default), 2 or 3, or a time such as 30s. Levels above 1 simulate alternatives and "
    "keep the fastest";

/// Sets the effort of a request, with the simulation that it needs. `text`: "0" to "3", or seconds ("30s", "0.5s");
/// empty: the default. InvalidArgument names what is accepted.
Status setOptimisation(compiler::CompileRequest &request, std::string_view text);

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

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPTIMISATION_H
