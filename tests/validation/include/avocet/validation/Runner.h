//===- Runner.h - Runs cases on a device ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case is compiled and executed through IDevice, in each of its kinds, and judged. Worker threads run one case
// after the other; results are in the order of the cases for any number of threads.
//
// A case that does not end within its limit is abandoned: it has failed, its thread keeps running and another one
// replaces it. Such a thread keeps a reference to the device; a program that ends with one should exit through _Exit.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RUNNER_H
#define AVOCET_VALIDATION_RUNNER_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/vectors/VectorFile.h"
#include "avocet/validation/Results.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace avocet::hal::conformance {

/// Makes a burst of a model; the second argument is the model as prepared for the other runs.
using FmqBurstMaker =
    std::function<hal::Result<std::shared_ptr<IBurst>>(const Model &, const std::shared_ptr<IPreparedModel> &)>;

struct RunnerOptions {
  KindSet kinds = KindSet::all();
  unsigned jobs = 1; ///< threads, at least 1
  /// Limit of one case in all its kinds. The deadline given to the device is half of it.
  std::chrono::milliseconds caseLimit = std::chrono::minutes(2);
  /// Makes a burst over the message queues of HAL 1.2. Empty: there is no run of kind FmqBurst.
  FmqBurstMaker fmqBurst;
  /// Called after each case, by one thread at a time; must be quick.
  std::function<void(const CaseResult &, size_t done, size_t total)> progress;
};

/// Runs one case in the calling thread.
CaseResult runCase(IDevice &device, const CaseRef &ref, const RunnerOptions &options);

struct RunnerResult {
  std::vector<CaseResult> cases;
  size_t abandoned = 0; ///< threads that are still running
};

/// One result for each case, in order.
RunnerResult runCases(std::shared_ptr<IDevice> device, std::vector<CaseRef> cases, const RunnerOptions &options);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RUNNER_H
