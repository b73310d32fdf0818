//===- Distribution.h - Times of repeated work ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_DISTRIBUTION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_DISTRIBUTION_H

#include <cstddef>
#include <vector>

namespace avocet::tool {

/// Of measured values, all in their own unit.
struct Distribution {
  size_t count = 0;
  double least = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, most = 0;
};

/// Percentiles are measured values: the smallest one that at least that share of the values does not exceed. All zero
/// without values.
Distribution distributionOf(std::vector<double> values);

/// Of positive values; 0 without any.
double geometricMean(const std::vector<double> &values);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_DISTRIBUTION_H
