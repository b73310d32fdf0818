//===- Requirement.h - Limits of a benchmark --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_REQUIREMENT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_REQUIREMENT_H

#include "NetworkBenchmark.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// A limit of one figure: "top1=95".
struct Requirement {
  std::string figure;
  double limit = 0;
};

inline constexpr const char *kRequireHelp =
    "Fail if a device is worse than this: top1, top5 (percent of the labels), golden, cpu (percent of the values that "
    "are "
    "within NNAPI's tolerance of the goldens or of the CPU device), psnr (dB), cosine, or max-error (at most), these "
    "three against the goldens, without them against the CPU device; repeatable";

/// InvalidArgument: unknown figure, or no finite number.
Result<Requirement> parseRequirement(const std::string &text);

/// One message for each device and network that breaks a requirement, and for each requirement whose figure no network
/// has.
std::vector<std::string> brokenRequirements(const std::vector<Requirement> &requirements,
                                            const std::vector<NetworkResult> &networks);

/// Against the goldens, without them against the reference. Without cases: neither.
const Agreement &bestAgreement(const DeviceResult &device);

/// The least share of values within NNAPI's tolerance, over the outputs; from 0 to 1.
double leastInside(const Agreement &agreement);
double mostError(const Agreement &agreement);
double leastCosine(const Agreement &agreement);
/// Infinite without errors.
double leastPsnr(const Agreement &agreement);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_REQUIREMENT_H
