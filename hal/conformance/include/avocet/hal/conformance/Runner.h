//===- Runner.h - Runs cases on a device ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case is compiled and executed through IDevice, in each of its kinds, and judged. Worker threads take one case
// after the other; results come in the order of the cases, whatever the number of threads.
//
// A case that does not come back within its limit is given up: it has failed, its thread is left alone and another one
// takes its place. Such a thread keeps the device; a program that ends with one should leave through _Exit.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CONFORMANCE_RUNNER_H
#define AVOCET_HAL_CONFORMANCE_RUNNER_H

#include "avocet/hal/Interfaces.h"
#include "avocet/hal/conformance/Results.h"
#include "avocet/hal/conformance/VectorFile.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace avocet::hal::conformance {

/// A burst of a model, which is prepared already where the other runs take place.
using FmqBurstMaker =
    std::function<hal::Result<std::shared_ptr<IBurst>>(const Model &, const std::shared_ptr<IPreparedModel> &)>;

struct RunnerOptions {
  KindSet kinds = KindSet::all();
  unsigned jobs = 1; ///< threads, at least 1
  /// For one case in all its kinds. The device's own deadline comes at half of it.
  std::chrono::milliseconds caseLimit = std::chrono::minutes(2);
  /// Makes a burst that speaks the message queues of HAL 1.2. Empty: there is no run of kind FmqBurst.
  FmqBurstMaker fmqBurst;
  /// Called after each case, by one thread at a time; must be quick.
  std::function<void(const CaseResult &, size_t done, size_t total)> progress;
};

/// Runs one case in the calling thread.
CaseResult runCase(IDevice &device, const CaseRef &ref, const RunnerOptions &options);

struct RunnerResult {
  std::vector<CaseResult> cases;
  size_t abandoned = 0; ///< threads that are still at work
};

/// One result for each case, in order.
RunnerResult runCases(std::shared_ptr<IDevice> device, std::vector<CaseRef> cases, const RunnerOptions &options);

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_CONFORMANCE_RUNNER_H
