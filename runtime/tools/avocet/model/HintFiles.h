//===- HintFiles.h - Files with schedule hints ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_HINTFILES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_HINTFILES_H

#include "model/CompilerMessages.h"

#include <string>
#include <vector>

namespace avocet::tool {

inline constexpr const char *kHintsHelp =
    "Schedule hints for a model file (JSON, as 'avocet explain --print-hints' writes it)";

/// The text of a hint file, for compiler::CompileRequest::hints. Empty without a path.
Result<std::string> readHints(const std::string &path);

/// A hint file (schemas/hints.schema.json) that fixes the schedule which the remarks of a compilation describe, one
/// hint in a line.
std::string hintFile(const std::vector<OwnedRemark> &remarks);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_HINTFILES_H
