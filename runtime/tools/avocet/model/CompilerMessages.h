//===- CompilerMessages.h - Errors of a compilation, printed ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_COMPILERMESSAGES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_COMPILERMESSAGES_H

#include "ModelSource.h"
#include "avocet/compiler/Compiler.h"

#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

/// A line on how to run a refused network in part; empty if that is not possible.
std::string_view divisionAdvice(const std::vector<compiler::Refusal> &refusals);

/// One line per diagnostic, "place: error: message", as compilers write them; then what to do about refusals.
std::string diagnosticsText(const compiler::Verdict &result);

/// Prints as described at compileModel().
void printDiagnostics(const compiler::Verdict &result, DiagnosticsFormat format);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_COMPILERMESSAGES_H
