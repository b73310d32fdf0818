//===- CaseRunner.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseRunner.h"

#include "Asynchronous.h"
#include "Compare.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

constexpr uint8_t kSignFlip = 0x80;
constexpr Duration kShortLoop = std::chrono::milliseconds(1);

/// Operations whose signed results differ from the unsigned ones by more than the offset of 128.
constexpr auto kUncoupled =
    std::to_array<std::string_view>({"CAST", "HASHTABLE_LOOKUP", "LSH_PROJECTION", "PAD_V2", "QUANTIZED_16BIT_LSTM"});

bool isCoupled(const CaseInfo &info) {
  return std::ranges::none_of(kUncoupled, [&](std::string_view name) {
    return std::ranges::find(info.operations, name) != info.operations.end();
  });
}

bool isMissedDeadline(ErrorStatus status) {
  return status == ErrorStatus::MissedDeadlineTransient || status == ErrorStatus::MissedDeadlinePersistent;
}

bool isRefusal(ErrorStatus status) {
  return status == ErrorStatus::InvalidArgument || status == ErrorStatus::GeneralFailure;
}

} // namespace

RunResult CaseRunner::run(RunKind kind) {
  using Method = RunResult (CaseRunner::*)();
  static constexpr std::array<Method, kNumRunKinds> kMethods = {
      &CaseRunner::general,     &CaseRunner::dynamicShape, &CaseRunner::oneByteShort, &CaseRunner::signedCoupling,
      &CaseRunner::caching,     &CaseRunner::reusable,     &CaseRunner::asynchronous, &CaseRunner::validation,
      &CaseRunner::loopTimeout, &CaseRunner::burst,        &CaseRunner::fmqBurst,     &CaseRunner::fenced,
      &CaseRunner::deviceMemory};
  RunResult result = (this->*kMethods[static_cast<size_t>(kind)])();
  result.kind = kind;
  return result;
}

const Preparation &CaseRunner::prepared(std::optional<Preparation> &slot, Form form) {
  if (!slot)
    slot = prepare(device_, ref_, form, deadline_);
  return *slot;
}

CaseRunner::Execution CaseRunner::execute(const TestCase &test, IPreparedModel &model) {
  auto buffers = RequestBuffers::make(test);
  if (!buffers)
    return {noResources(buffers.status()), {}};
  const ExecutionOutcome outcome = model.execute(buffers->request(), options());
  return {checkSuccess(test, outcome, *buffers), buffers->copyOutputs(test)};
}

const CaseRunner::Execution &CaseRunner::reference() {
  if (!reference_)
    reference_ = execute(asWritten().test, *asWritten().model);
  return *reference_;
}

RunResult CaseRunner::sameAsReference(const Execution &other) {
  if (other.result.verdict != Verdict::Passed || reference().result.verdict != Verdict::Passed)
    return other.result;
  for (size_t i = 0; i < other.outputs.size(); ++i)
    if (asWritten().test.outputs[i].rule == OutputRule::Close)
      if (std::string text = compareBits(i, reference().outputs[i], other.outputs[i], 0); !text.empty())
        return failed("other bits than in the general run", text);
  return passed();
}

RunResult CaseRunner::general() { return asWritten().refusal ? *asWritten().refusal : reference().result; }

RunResult CaseRunner::dynamicShape() {
  const Preparation &form = unknownOutputs();
  if (form.refusal)
    return *form.refusal;
  auto buffers = RequestBuffers::make(form.test);
  if (!buffers)
    return noResources(buffers.status());
  const ExecutionOutcome outcome = form.model->execute(buffers->request(), options());
  return declinable(checkSuccess(form.test, outcome, *buffers), outcome.status);
}

RunResult CaseRunner::oneByteShort() {
  const Preparation &form = unknownOutputs();
  if (form.refusal)
    return *form.refusal;
  auto buffers = RequestBuffers::make(form.test, 1);
  if (!buffers)
    return noResources(buffers.status());
  const ExecutionOutcome outcome = form.model->execute(buffers->request(), options());
  return declinable(checkShortOutput(form.test, outcome, *buffers), outcome.status);
}

RunResult CaseRunner::signedCoupling() {
  const Preparation form = prepare(device_, ref_, Form::Signed, deadline_);
  if (form.refusal && asWritten().refusal)
    return *asWritten().refusal;
  if (form.refusal || asWritten().refusal)
    return failed(fmt::format("only the {} form is supported", form.refusal ? "unsigned" : "signed"),
                  form.refusal ? form.refusal->reason : asWritten().refusal->reason);
  const Execution other = execute(form.test, *form.model);
  if (other.result.verdict != Verdict::Passed || !isCoupled(form.test.info))
    return other.result;
  for (size_t i = 0; i < other.outputs.size(); ++i) {
    const bool flips = form.test.outputs[i].type != asWritten().test.outputs[i].type;
    if (std::string text = compareBits(i, reference().outputs[i], other.outputs[i], flips ? kSignFlip : 0);
        !text.empty())
      return failed("signed and unsigned results differ", text);
  }
  return passed();
}

RunResult CaseRunner::caching() {
  if (asWritten().refusal)
    return *asWritten().refusal;
  if (!asWritten().cache.areGiven())
    return unsupported("the device keeps no cache files");
  auto cached = device_.prepareModelFromCache(deadline_, asWritten().cache);
  if (!cached)
    return failedCall("prepareModelFromCache", cached.error().code, cached.error().message);
  if (!*cached)
    return failed("prepareModelFromCache answers success without a model");
  return sameAsReference(execute(asWritten().test, **cached));
}

RunResult CaseRunner::reusable() {
  if (asWritten().refusal)
    return *asWritten().refusal;
  const TestCase &test = asWritten().test;
  auto buffers = RequestBuffers::make(test);
  if (!buffers)
    return noResources(buffers.status());
  auto execution = asWritten().model->createReusableExecution(buffers->request(), options());
  if (!execution)
    return failedCall("createReusableExecution", execution.error().code, execution.error().message);
  for (int run = 0; run < 2; ++run) {
    buffers->clearOutputs();
    const ExecutionOutcome outcome = (*execution)->compute(deadline_);
    Execution now = {checkSuccess(test, outcome, *buffers), buffers->copyOutputs(test)};
    if (RunResult result = sameAsReference(now); result.verdict != Verdict::Passed)
      return result;
  }
  return passed();
}

RunResult CaseRunner::asynchronous() {
  if (asWritten().refusal)
    return *asWritten().refusal;
  const TestCase &test = asWritten().test;
  auto buffers = RequestBuffers::make(test);
  if (!buffers)
    return noResources(buffers.status());
  Launched launched = launchAndWait(*asWritten().model, buffers->request(), options(), deadline_);
  if (!launched.complaint.empty())
    return failed(launched.complaint);
  return sameAsReference({checkSuccess(test, launched.outcome, *buffers), buffers->copyOutputs(test)});
}

RunResult CaseRunner::validation() {
  const Preparation &form = asWritten();
  if (isRefusal(form.error))
    return passed();
  if (form.refusal)
    return *form.refusal;
  auto buffers = RequestBuffers::make(form.test);
  if (!buffers)
    return noResources(buffers.status());
  const ExecutionOutcome outcome = form.model->execute(buffers->request(), options());
  return isRefusal(outcome.status)
             ? passed()
             : failed(fmt::format("an invalid model is answered with {}", toString(outcome.status)));
}

RunResult CaseRunner::loopTimeout() {
  const Preparation &form = asWritten();
  if (form.refusal)
    return *form.refusal;
  auto buffers = RequestBuffers::make(form.test);
  if (!buffers)
    return noResources(buffers.status());
  ExecutionOptions limited = options();
  limited.loopTimeoutDuration = kShortLoop;
  const ExecutionOutcome outcome = form.model->execute(buffers->request(), limited);
  return isMissedDeadline(outcome.status) ? passed()
                                          : failedCall("execute of an endless loop", outcome.status, outcome.message);
}

} // namespace avocet::hal::conformance
