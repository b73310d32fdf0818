//===- ReportJson.h - Report as JSON and CSV --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTJSON_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTJSON_H

#include "avocet/analysis/Report.h"

#include <string>

namespace avocet::tool {

/// The name of the row of what belongs to no layer.
inline constexpr const char *kNoLayerName = "(no layer)";

/// One JSON object. Its top level and each entry of "layers" have the same figures: cycles, roofline_cycles,
/// compute_cycles, least_dram_bytes, macs, executed_macs, utilisation, busy_cycles, stall_cycles, hidden_cycles,
/// sram_peak_bytes, sram_bytes, dram_bytes, energy_picojoules, bound_by. "without_layer" has them too: with it, the
/// layers add up to the top level where the description of a figure says so. The top level has dram_bytes_by_kind,
/// whose parts add up to dram_bytes: weights, refetched_weights, spills, inputs, outputs. Keys are never renamed.
std::string renderJson(const analysis::Report &report);

/// The layers as comma-separated values (RFC 4180): a line of titles, one for each layer, and one for what belongs to
/// no layer, which has the name kNoLayerName. A network without layers has no lines. Titles and figures are those of
/// the layers in renderJson(); "stall_cycles_latency" stands for the entry "latency" of "stall_cycles".
std::string renderCsv(const analysis::Report &report);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTJSON_H
