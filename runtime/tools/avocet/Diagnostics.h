//===- Diagnostics.h - Printing the compiler's diagnostics ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DIAGNOSTICS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DIAGNOSTICS_H

#include "ModelSource.h"
#include "avocet/compiler/Compiler.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace avocet::tool {

/// One line per diagnostic, "place: error: message", as compilers write them; then a summary of the refusals.
std::string diagnosticsText(const compiler::Verdict &result);

/// An entry of "unsupported" below.
nlohmann::json refusalJson(const compiler::Refusal &refusal);

/// {"status", "message", "diagnostics": [{severity, location, message}], "unsupported": [{location, operation, operand,
/// rule, value, limit}]}.
std::string diagnosticsJson(const compiler::Verdict &result);

/// Prints as described at compileModel().
void printDiagnostics(const compiler::Verdict &result, DiagnosticsFormat format);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DIAGNOSTICS_H
