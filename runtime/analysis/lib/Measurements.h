//===- Measurements.h - What a run measured, by layer -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_ANALYSIS_LIB_MEASUREMENTS_H
#define AVOCET_RUNTIME_ANALYSIS_LIB_MEASUREMENTS_H

#include "avocet/analysis/Report.h"

namespace avocet::analysis {

/// Adds what the job of `profile` measured to a report whose layers and totals have the figures of network and target.
void addMeasurements(Report &report, const firmware::JobProfile &profile, const firmware::Target &target);

} // namespace avocet::analysis

#endif // AVOCET_RUNTIME_ANALYSIS_LIB_MEASUREMENTS_H
