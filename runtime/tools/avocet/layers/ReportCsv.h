//===- ReportCsv.h - The report of a run for spreadsheets -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTCSV_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTCSV_H

#include "avocet/analysis/Report.h"

#include <string>

namespace avocet::tool {

/// The name of the row of what belongs to no layer.
inline constexpr const char *kNoLayerName = "(no layer)";

/// The layers as comma-separated values (RFC 4180): a line of titles, one for each layer, and one for what belongs to
/// no layer, which has the name kNoLayerName. A network without layers has no lines. Titles and figures are those of
/// the layers in documents::runJson(); "stall_cycles_latency" stands for the entry "latency" of "stall_cycles".
std::string renderCsv(const analysis::Report &report);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTCSV_H
