//===- JoinReports.h - One report of several networks -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_ANALYSIS_LIB_JOINREPORTS_H
#define AVOCET_RUNTIME_ANALYSIS_LIB_JOINREPORTS_H

#include "avocet/analysis/Report.h"

namespace avocet::analysis {

/// Adds the figures of a network that runs after those of `report` on the same device. Sums are sums, peaks the larger
/// ones; the bound is that of the network with more cycles.
void joinReport(Report &report, Report next);

/// Figures of both together. They bound the sum by what bounds the longer of them.
void add(Figures &sum, const Figures &part);

} // namespace avocet::analysis

#endif // AVOCET_RUNTIME_ANALYSIS_LIB_JOINREPORTS_H
