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

/// One JSON object. Its top level and each entry of "layers" have the same figures: cycles, roofline_cycles,
/// compute_cycles, least_dram_bytes, macs, executed_macs, utilisation, stall_cycles, sram_peak_bytes, sram_bytes,
/// dram_bytes, energy_picojoules, bound_by. The top level has dram_bytes_by_kind, whose parts add up to dram_bytes:
/// weights, refetched_weights, spills, inputs, outputs. Keys are never renamed.
std::string renderJson(const analysis::Report &report);

/// The layers as comma-separated values (RFC 4180): a line of titles, then one for each layer. Titles and figures are
/// those of the layers in renderJson(); "stall_cycles_latency" stands for the entry "latency" of "stall_cycles".
std::string renderCsv(const analysis::Report &report);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_LAYERS_REPORTJSON_H
