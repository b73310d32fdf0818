//===- CycleGrowth.h - Cycles of two runs, as a table -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_CYCLEGROWTH_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_CYCLEGROWTH_H

#include "DocumentFile.h"

#include <string>
#include <string_view>

namespace avocet::tool {

/// The value of --max-growth: "1%" or "1", in per cent, from 0.
Result<double> parseGrowth(std::string_view text);

/// Cycles of the second document (report.schema.json) against the first: layers with the same name that take other
/// cycles, those of only one run, and the total. The largest changes come first.
std::string cycleTable(const Json &before, const Json &after);

/// FailedPrecondition if the network takes more than `mostPercent` more cycles in the second run.
Status checkGrowth(const Json &before, const Json &after, double mostPercent);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_CYCLEGROWTH_H
