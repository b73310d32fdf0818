//===- Bursts.cpp - Cases through bursts ---------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseRunner.h"

#include <numeric>

namespace avocet::hal::conformance {
namespace {

/// Executions of one request in a burst: its memories are new, known, released and new again, without identifiers.
enum class Naming { Names, Releases, None };

std::vector<int64_t> identifiersFor(const Request &request, Naming naming) {
  std::vector<int64_t> identifiers(request.pools.size(), -1);
  if (naming != Naming::None)
    std::iota(identifiers.begin(), identifiers.end(), int64_t(0));
  return identifiers;
}

RunResult release(IBurst &burst, const std::vector<int64_t> &identifiers) {
  for (int64_t identifier : identifiers)
    if (Outcome outcome = burst.releaseMemoryResource(identifier); !outcome)
      return failedCall("releaseMemoryResource", outcome.code(), outcome.error().message);
  return passed();
}

} // namespace

RunResult CaseRunner::runBurst(hal::Result<std::shared_ptr<IBurst>> burst, const ExecutionOptions &options) {
  if (!burst)
    return checkRefusal("configureBurst", burst.error());
  if (!*burst)
    return failed("configureBurst answers success without a burst");
  const TestCase &test = asWritten().test;
  auto buffers = RequestBuffers::make(test);
  if (!buffers)
    return noResources(buffers.status());
  for (Naming naming : {Naming::Names, Naming::Names, Naming::Releases, Naming::None}) {
    const std::vector<int64_t> identifiers = identifiersFor(buffers->request(), naming);
    if (naming == Naming::Releases)
      if (RunResult released = release(**burst, identifiers); released.verdict != Verdict::Passed)
        return released;
    buffers->clearOutputs();
    const ExecutionOutcome outcome = (*burst)->execute(buffers->request(), identifiers, options);
    const Execution now = {checkSuccess(test, outcome, *buffers), buffers->copyOutputs(test)};
    if (RunResult result = sameAsReference(now); result.verdict != Verdict::Passed)
      return result;
  }
  return passed();
}

RunResult CaseRunner::burst() {
  if (asWritten().refusal)
    return *asWritten().refusal;
  return runBurst(asWritten().model->configureBurst(), options());
}

/// Message queues carry no deadline.
RunResult CaseRunner::fmqBurst() {
  if (asWritten().refusal)
    return *asWritten().refusal;
  return runBurst(runner_.fmqBurst(asWritten().test.model, asWritten().model), {});
}

} // namespace avocet::hal::conformance
