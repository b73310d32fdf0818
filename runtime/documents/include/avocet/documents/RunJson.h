//===- RunJson.h - The report of a run as JSON ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_RUNJSON_H
#define AVOCET_DOCUMENTS_RUNJSON_H

#include "avocet/analysis/Report.h"

#include <string>

namespace avocet::documents {

/// What `avocet run --report json` prints: one JSON object (schemas/run.schema.json). Its top level and each entry of
/// "layers" have the same figures: cycles, roofline_cycles, compute_cycles, least_dram_bytes, macs, executed_macs,
/// utilization, busy_cycles, stall_cycles, hidden_cycles, sram_peak_bytes, sram_bytes, dram_bytes, energy_picojoules,
/// bound_by. "without_layer" has them too: with it, the layers add up to the top level where the description of a
/// figure says so. The top level has dram_bytes_by_kind, whose parts add up to dram_bytes: weights, refetched_weights,
/// spills, inputs, outputs. Keys are never renamed.
std::string runJson(const analysis::Report &report);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_RUNJSON_H
