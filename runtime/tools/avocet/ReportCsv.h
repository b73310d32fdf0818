//===- ReportCsv.h - A report for spreadsheets ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORTCSV_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORTCSV_H

#include "Report.h"

#include <string>

namespace avocet::tool {

/// The layers as comma-separated values (RFC 4180): a line of titles, then one for each layer. Titles and figures are
/// those of the layers in renderJson(); "stall_cycles_latency" stands for the entry "latency" of "stall_cycles".
std::string renderCsv(const Report &report);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORTCSV_H
