//===- ReportTable.h - A report for people ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTTABLE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTTABLE_H

#include "avocet/analysis/Report.h"

#include <string>

namespace avocet::tool {

/// The table of layers, at most 120 columns wide, and the totals below it.
std::string renderTable(const analysis::Report &report);

/// The line of the clock level and its energy; empty if there is none.
std::string powerText(const analysis::Report &report);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTTABLE_H
