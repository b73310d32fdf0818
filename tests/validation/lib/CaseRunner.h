//===- CaseRunner.h - One case in all its kinds -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_CASERUNNER_H
#define AVOCET_VALIDATION_CASERUNNER_H

#include "Preparation.h"
#include "avocet/validation/Runner.h"

namespace avocet::hal::conformance {

/// Compiles each form of the case once, at first use. One thread.
class CaseRunner {
public:
  CaseRunner(IDevice &device, const CaseRef &ref, TimePoint deadline, const RunnerOptions &options)
      : device_(device), ref_(ref), deadline_(deadline), runner_(options) {}

  RunResult run(RunKind kind);

private:
  /// The outputs of a successful execution, or the verdict on a failed one.
  struct Execution {
    RunResult result;
    std::vector<Bytes> outputs;
  };

  RunResult general();
  RunResult dynamicShape();
  RunResult oneByteShort();
  RunResult signedCoupling();
  RunResult caching();
  RunResult reusable();
  RunResult asynchronous();
  RunResult validation();
  RunResult loopTimeout();
  RunResult burst();
  RunResult fmqBurst();
  RunResult fenced();
  RunResult deviceMemory();

  RunResult runBurst(hal::Result<std::shared_ptr<IBurst>> burst, const ExecutionOptions &options);
  /// Executes with driver buffers; output buffers of a form with unknown shapes grow.
  Execution executeInDeviceMemory(const Preparation &form);

  const Preparation &prepared(std::optional<Preparation> &slot, Form form);
  const Preparation &asWritten() { return prepared(asWritten_, Form::AsWritten); }
  const Preparation &unknownOutputs() { return prepared(unknownOutputs_, Form::UnknownOutputs); }

  /// The execution of kind General; the other kinds compare their bits with it.
  const Execution &reference();
  Execution execute(const TestCase &test, IPreparedModel &model);
  RunResult sameAsReference(const Execution &other);
  ExecutionOptions options() const {
    return {.measure = MeasureTiming::No, .deadline = deadline_, .loopTimeoutDuration = {}, .hints = {}};
  }

  IDevice &device_;
  const CaseRef &ref_;
  TimePoint deadline_;
  const RunnerOptions &runner_;
  std::optional<Preparation> asWritten_, unknownOutputs_;
  std::optional<Execution> reference_;
};

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_CASERUNNER_H
