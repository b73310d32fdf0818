//===- ConformanceReport.h - Results of the vectors -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_CONFORMANCEREPORT_H
#define AVOCET_VALIDATION_TOOL_CONFORMANCEREPORT_H

#include "avocet/validation/Results.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// A table of operations, a table of kinds, and the reasons of unsupported cases.
std::string conformanceTable(const hal::conformance::Summary &summary);

/// {"cases", "passed", "failed", "unsupported", "skipped", "by_operation": {name: {the five, "contained_in": {the
/// five}, "unsupported_reasons": {reason: count}}}, "by_kind": {kind: the five}, "failures": [{"case", "kind",
/// "reason", "detail"}]}. Kinds count runs, everything else counts cases.
std::string conformanceJson(const hal::conformance::Summary &summary,
                            const std::vector<hal::conformance::CaseResult> &results);

/// One line for each failed run.
std::string conformanceFailures(const std::vector<hal::conformance::CaseResult> &results);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_CONFORMANCEREPORT_H
