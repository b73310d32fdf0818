//===- DeviceMemory.cpp - Cases in buffers of the driver -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseRunner.h"
#include "DeviceBuffers.h"

namespace avocet::hal::conformance {

CaseRunner::Execution CaseRunner::executeInDeviceMemory(const Preparation &form) {
  DeviceBuffers buffers;
  if (RunResult made = buffers.make(device_, form.model, form.test); made.verdict != Verdict::Passed)
    return {made, {}};
  if (RunResult fresh = buffers.checkUninitialized(form.test); fresh.verdict != Verdict::Passed)
    return {fresh, {}};
  const ExecutionOutcome outcome = form.model->execute(buffers.request(), options());
  Execution execution = {checkAnswer(form.test, outcome), {}};
  if (execution.result.verdict == Verdict::Passed)
    execution.result = buffers.copyOutputs(form.test, execution.outputs);
  if (execution.result.verdict == Verdict::Passed)
    execution.result = checkValues(form.test, execution.outputs);
  return execution;
}

/// Runs once with known shapes. Runs again with unknown shapes, to which the buffers must adapt, if the device supports
/// such a model with other memory.
RunResult CaseRunner::deviceMemory() {
  if (asWritten().refusal)
    return *asWritten().refusal;
  RunResult result = sameAsReference(executeInDeviceMemory(asWritten()));
  if (result.verdict != Verdict::Passed || !asWritten().test.info.kinds.has(RunKind::DynamicShape))
    return result;
  if (dynamicShape().verdict != Verdict::Passed)
    return result;
  return sameAsReference(executeInDeviceMemory(unknownOutputs()));
}

} // namespace avocet::hal::conformance
