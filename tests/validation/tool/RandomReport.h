//===- RandomReport.h - Results of random graphs ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_RANDOMREPORT_H
#define AVOCET_VALIDATION_TOOL_RANDOMREPORT_H

#include "avocet/validation/RandomGraphs.h"

#include <string>

namespace avocet::tool {

/// A table of operations, one of failures, and the totals.
std::string randomTable(const hal::conformance::RandomGraphSummary &summary);

/// As schemas/random.schema.json.
std::string randomJson(const hal::conformance::RandomGraphSummary &summary, uint64_t seed);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_RANDOMREPORT_H
