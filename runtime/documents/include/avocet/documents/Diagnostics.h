//===- Diagnostics.h - Errors of a compilation as data ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_DIAGNOSTICS_H
#define AVOCET_DOCUMENTS_DIAGNOSTICS_H

#include "avocet/compiler/Compiler.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace avocet::documents {

/// "error", "warning", "remark" or "note".
std::string_view severityName(compiler::Severity severity);

/// An entry of "unsupported" below.
nlohmann::json refusalJson(const compiler::Refusal &refusal);

/// {"status", "message", "diagnostics": [{severity, location, message}], "unsupported": [{location, operation, operand,
/// rule, value, limit}]}.
std::string diagnosticsJson(const compiler::Verdict &result);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_DIAGNOSTICS_H
