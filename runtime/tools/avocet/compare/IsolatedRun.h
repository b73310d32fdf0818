//===- IsolatedRun.h - Errors of single operators -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ISOLATEDRUN_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ISOLATEDRUN_H

#include "Comparison.h"

#include "avocet/base/Status.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// One output of an operator that was compiled and run alone, with expected tensors as its inputs.
struct IsolatedResult {
  size_t operation = 0; ///< number in the file
  std::string kind, tensor;
  std::string obstacle; ///< why there is no difference; empty: there is one
  Difference difference;
};

/// Compiles and runs each operator of the network `options.model` alone, for `target`, on the simulator. Inputs of the
/// network are those of `options`; `model` is the whole network, compiled. Results are in the order of the file.
Result<std::vector<IsolatedResult>> runIsolated(const RunOptions &options, const std::string &target,
                                                const LoadedModel &model, ExpectedTensors expected,
                                                const Tolerance &tolerance, Progress &progress);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ISOLATEDRUN_H
