//===- RunnerTest.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every verdict of the runner, on a device with one fault.

#include "avocet/validation/Runner.h"
#include "FakeDevice.h"
#include "VectorBuilder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <future>

namespace avocet::hal::conformance {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

std::shared_ptr<const VectorFile> oneCase(vectors::Kind kinds, vectors::Suite suite = vectors::Suite::CtsAndVts) {
  std::vector<vectors::CaseT> cases;
  cases.push_back(identityCase("bytes", OperandType::TensorQuant8Asymm, {1, 2, 3}, kinds));
  return fileOf(std::move(cases), suite);
}

const vectors::Kind kTransports = vectors::Kind::Fenced | vectors::Kind::DeviceMemory;

/// Options that use the fake's own burst for FmqBurst, because the fake has no message queues.
RunnerOptions withMessageQueues() {
  RunnerOptions options;
  options.fmqBurst = [](const Model &, const std::shared_ptr<IPreparedModel> &model) {
    return model->configureBurst();
  };
  options.caseLimit = 20s;
  return options;
}

/// The result of one kind of run, for a case with all kinds that can succeed.
RunResult runOf(RunKind kind, const Faults &faults,
                vectors::Kind kinds = usualKinds() | kTransports | vectors::Kind::QuantCoupling) {
  const CaseResult result = runCase(*makeFakeDevice(faults), {oneCase(kinds), 0}, withMessageQueues());
  for (const RunResult &run : result.runs)
    if (run.kind == kind)
      return run;
  ADD_FAILURE() << "no run of kind " << toString(kind);
  return {};
}

void expectFailure(RunKind kind, const Faults &faults, const std::string &reason) {
  const RunResult run = runOf(kind, faults);
  EXPECT_EQ(run.verdict, Verdict::Failed) << toString(kind);
  EXPECT_THAT(run.reason, HasSubstr(reason)) << toString(kind);
}

TEST(Runner, PassesFaultlessDeviceInAllKinds) {
  const CaseRef ref{oneCase(usualKinds() | kTransports | vectors::Kind::QuantCoupling), 0};
  const CaseResult result = runCase(*makeFakeDevice({}), ref, withMessageQueues());
  EXPECT_EQ(result.runs.size(), 11u);
  for (const RunResult &run : result.runs)
    EXPECT_EQ(run.verdict, Verdict::Passed) << describe(result.info, run);
}

TEST(Runner, FailsOnWrongValuesAndShapes) {
  expectFailure(RunKind::General, {.wrongByte = true}, "");
  EXPECT_THAT(runOf(RunKind::General, {.wrongByte = true}).detail, HasSubstr("actual 0, expected 1"));
  expectFailure(RunKind::General, {.wrongShape = true}, "wrong shape");
  expectFailure(RunKind::General, {.noShapes = true}, "wrong shape");
  expectFailure(RunKind::DynamicShape, {.wrongByte = true}, "wrong values");
  expectFailure(RunKind::DynamicShape, {.wrongShape = true}, "wrong shape");
}

TEST(Runner, FailsOnWritesOutsideOutputs) {
  expectFailure(RunKind::General, {.writesBeyondOutput = true}, "no output");
  expectFailure(RunKind::General, {.writesInput = true}, "no output");
}

TEST(Runner, FailsOnErrorsOfCalls) {
  expectFailure(RunKind::General, {.executeError = ErrorStatus::GeneralFailure}, "execute answers GENERAL_FAILURE");
  expectFailure(RunKind::General, {.prepareError = ErrorStatus::GeneralFailure}, "prepareModel answers");
  expectFailure(RunKind::General, {.supportError = ErrorStatus::InvalidArgument}, "getSupportedOperations answers");
}

TEST(Runner, RequiresInsufficientSizeForShortOutputs) {
  expectFailure(RunKind::OneByteShort, {.ignoresShortOutput = true}, "execute with a short output answers NONE");
  expectFailure(RunKind::OneByteShort, {.wrongShape = true}, "wrong shape");
}

TEST(Runner, SkipsUnknownShapesThatDeviceDeclines) {
  const Faults faults{.dynamicError = ErrorStatus::GeneralFailure};
  EXPECT_EQ(runOf(RunKind::DynamicShape, faults).verdict, Verdict::Skipped);
  EXPECT_EQ(runOf(RunKind::OneByteShort, faults).verdict, Verdict::Skipped);
  EXPECT_EQ(runOf(RunKind::General, faults).verdict, Verdict::Passed);
  expectFailure(RunKind::DynamicShape, {.dynamicError = ErrorStatus::InvalidArgument}, "INVALID_ARGUMENT");
}

TEST(Runner, RequiresSignedFormLikeUnsigned) {
  expectFailure(RunKind::SignedCoupling, {.signedUnsupported = true}, "only the unsigned form");
  expectFailure(RunKind::SignedCoupling, {.wrongSignedByte = true}, "wrong values");
  const Faults neither{.unsupported = true};
  EXPECT_EQ(runOf(RunKind::SignedCoupling, neither).verdict, Verdict::Unsupported);
}

TEST(Runner, SignedCouplingComparesBitsDespiteTolerance) {
  std::vector<vectors::CaseT> cases;
  cases.push_back(identityCase("bytes", OperandType::TensorQuant8Asymm, {1, 2},
                               vectors::Kind::General | vectors::Kind::QuantCoupling));
  cases[0].examples[0]->outputs[0]->atol = 1;
  const CaseResult result = runCase(*makeFakeDevice({.wrongSignedByte = true}), {fileOf(std::move(cases)), 0}, {});
  EXPECT_EQ(result.runs[0].verdict, Verdict::Passed);
  EXPECT_EQ(result.runs[1].reason, "signed and unsigned results differ");
}

TEST(Runner, FailsOnLostOrWrongCache) {
  expectFailure(RunKind::Caching, {.cacheLost = true}, "prepareModelFromCache answers GENERAL_FAILURE");
  expectFailure(RunKind::Caching, {.cacheWrong = true}, "wrong values");
  EXPECT_EQ(runOf(RunKind::Caching, {.keepsNoCache = true}).verdict, Verdict::Unsupported);
}

TEST(Runner, ComputesReusableExecutionsTwice) {
  expectFailure(RunKind::Reusable, {.reuseWrong = true}, "wrong values");
}

TEST(Runner, RequiresExactlyOneCallback) {
  expectFailure(RunKind::Asynchronous, {.callbacks = 2}, "more than once");
  RunnerOptions hasty;
  hasty.caseLimit = 50ms;
  hasty.kinds = KindSet().add(RunKind::Asynchronous);
  const CaseResult result = runCase(*makeFakeDevice({.callbacks = 0}), {oneCase(usualKinds()), 0}, hasty);
  EXPECT_EQ(result.runs.at(0).reason, "no callback came");
}

TEST(Runner, FailsOnFaultyBursts) {
  for (RunKind kind : {RunKind::Burst, RunKind::FmqBurst}) {
    expectFailure(kind, {.burstWrong = true}, "wrong values");
    expectFailure(kind, {.burstForgets = true}, "INVALID_ARGUMENT");
  }
}

TEST(Runner, OmitsFmqBurstWithoutMaker) {
  const CaseResult result = runCase(*makeFakeDevice({}), {oneCase(vectors::Kind::General), 0}, {});
  EXPECT_EQ(std::ranges::find(result.runs, RunKind::FmqBurst, &RunResult::kind), result.runs.end());
}

TEST(Runner, FailsOnFaultyFences) {
  expectFailure(RunKind::Fenced, {.ignoresFences = true}, "does not wait");
  expectFailure(RunKind::Fenced, {.fenceFails = true}, "error state");
  expectFailure(RunKind::Fenced, {.timesTooEarly = true}, "before the end answers NONE");
  expectFailure(RunKind::Fenced, {.noTimes = true}, "are missing");
  expectFailure(RunKind::Fenced, {.wrongByte = true}, "wrong values");
}

TEST(Runner, StopsWaitingForFenceAfterLimit) {
  RunnerOptions hasty;
  hasty.caseLimit = 100ms;
  hasty.kinds = KindSet().add(RunKind::Fenced);
  const auto device = makeFakeDevice({.ignoresFences = true, .fenceNeverSignals = true});
  const CaseResult result = runCase(*device, {oneCase(kTransports), 0}, hasty);
  EXPECT_EQ(result.runs.at(0).reason, "a fence does not signal");
}

TEST(Runner, FailsOnFaultyBuffers) {
  expectFailure(RunKind::DeviceMemory, {.buffersStartFull = true}, "uninitialized buffer answers NONE");
  expectFailure(RunKind::DeviceMemory, {.bufferWrong = true}, "wrong values");
  expectFailure(RunKind::DeviceMemory, {.wrongShape = true}, "wrong shape");
}

TEST(Runner, SkipsOptionalFeaturesThatDeviceLacks) {
  for (RunKind kind : {RunKind::Burst, RunKind::FmqBurst, RunKind::Fenced, RunKind::DeviceMemory})
    EXPECT_EQ(runOf(kind, {.offersNothing = true}).verdict, Verdict::Skipped) << toString(kind);
}

TEST(Runner, RequiresReasonForUnsupported) {
  const RunResult run = runOf(RunKind::General, {.unsupported = true});
  EXPECT_EQ(run.verdict, Verdict::Unsupported);
  EXPECT_EQ(run.reason, "RELU: must be blue");
  expectFailure(RunKind::General, {.noReason = true}, "without a reason");
}

TEST(Runner, RequiresRefusalOfInvalidModels) {
  const auto kind = vectors::Kind::Validation;
  EXPECT_EQ(runOf(RunKind::Validation, {}, kind).verdict, Verdict::Failed);
  EXPECT_EQ(runOf(RunKind::Validation, {.supportError = ErrorStatus::InvalidArgument}, kind).verdict, Verdict::Passed);
  EXPECT_EQ(runOf(RunKind::Validation, {.prepareError = ErrorStatus::InvalidArgument}, kind).verdict, Verdict::Passed);
  EXPECT_EQ(runOf(RunKind::Validation, {.executeError = ErrorStatus::GeneralFailure}, kind).verdict, Verdict::Passed);
  EXPECT_EQ(runOf(RunKind::Validation, {.executeError = ErrorStatus::DeviceUnavailable}, kind).verdict,
            Verdict::Failed);
  EXPECT_EQ(runOf(RunKind::Validation, {.unsupported = true}, kind).verdict, Verdict::Unsupported);
}

TEST(Runner, RequiresEndlessLoopToMissDeadline) {
  const auto kind = vectors::Kind::LoopTimeout;
  EXPECT_EQ(runOf(RunKind::LoopTimeout, {}, kind).verdict, Verdict::Failed);
  const Faults missed{.executeError = ErrorStatus::MissedDeadlineTransient};
  EXPECT_EQ(runOf(RunKind::LoopTimeout, missed, kind).verdict, Verdict::Passed);
}

TEST(Runner, SkipsOptionalAndNewerCases) {
  const auto verdictOf = [](vectors::Suite suite, const Faults &faults) {
    return runCase(*makeFakeDevice(faults), {oneCase(usualKinds(), suite), 0}, {}).verdict();
  };
  EXPECT_EQ(verdictOf(vectors::Suite::Experimental, {}), Verdict::Skipped);
  const Faults refuses{.prepareError = ErrorStatus::InvalidArgument};
  EXPECT_EQ(verdictOf(vectors::Suite::CtsOnly, refuses), Verdict::Skipped);
  EXPECT_EQ(verdictOf(vectors::Suite::CtsOnly, {.wrongByte = true}), Verdict::Failed);
  std::vector<vectors::CaseT> cases;
  cases.push_back(identityCase("new", OperandType::TensorFloat32, bytesOf<float>({1}), usualKinds()));
  cases[0].effective_level = vectors::Level::AidlV2;
  const CaseRef ref{fileOf(std::move(cases)), 0};
  EXPECT_EQ(runCase(*makeFakeDevice({}, Version::V1_3), ref, {}).verdict(), Verdict::Skipped);
  EXPECT_EQ(runCase(*makeFakeDevice({}, Version::AidlV2), ref, {}).verdict(), Verdict::Passed);
}

std::vector<CaseRef> manyCases(size_t count) {
  std::vector<vectors::CaseT> cases;
  for (size_t i = 0; i < count; ++i)
    cases.push_back(identityCase("case" + std::to_string(i), OperandType::TensorFloat32, bytesOf<float>({1}),
                                 vectors::Kind::General));
  auto file = fileOf(std::move(cases));
  std::vector<CaseRef> refs;
  for (size_t i = 0; i < count; ++i)
    refs.push_back({file, i});
  return refs;
}

TEST(Runner, KeepsCaseOrderWithSeveralJobs) {
  RunnerOptions options;
  options.kinds = KindSet().add(RunKind::General);
  options.jobs = 4;
  size_t calls = 0;
  options.progress = [&](const CaseResult &, size_t done, size_t total) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(total, 40u);
  };
  const RunnerResult result = runCases(makeFakeDevice({}), manyCases(40), options);
  ASSERT_EQ(result.cases.size(), 40u);
  EXPECT_EQ(result.abandoned, 0u);
  EXPECT_EQ(calls, 40u);
  for (size_t i = 0; i < 40; ++i)
    EXPECT_EQ(result.cases[i].info.name, "own/spec/case" + std::to_string(i));
}

TEST(Runner, LackOfMemoryFailsCases) {
  const auto file = oneCase(usualKinds());
  RunnerOptions options = withMessageQueues();
  options.jobs = 2;
  const RunnerResult result =
      runCases(makeFakeDevice({.outOfMemory = true}), {{file, 0}, {file, 0}, {file, 0}}, options);
  ASSERT_EQ(result.cases.size(), 3u);
  for (const CaseResult &each : result.cases) {
    EXPECT_EQ(each.verdict(), Verdict::Failed);
    EXPECT_THAT(each.runs.at(0).reason, HasSubstr("no memory is left"));
  }
}

TEST(Runner, AbandonsCasesAfterLimit) {
  RunnerOptions options;
  options.kinds = KindSet().add(RunKind::General);
  options.caseLimit = 20ms;
  // Abandoned threads hold the device until they end. The test waits for them: the process must not end first.
  auto gone = std::make_shared<std::promise<void>>();
  std::future<void> end = gone->get_future();
  std::shared_ptr<IDevice> fake = makeFakeDevice({.delay = 400ms});
  IDevice *pointer = fake.get();
  std::shared_ptr<IDevice> device(pointer, [gone, fake = std::move(fake)](IDevice *) { gone->set_value(); });
  const RunnerResult result = runCases(std::move(device), manyCases(2), options);
  EXPECT_EQ(result.abandoned, 2u);
  for (const CaseResult &entry : result.cases)
    EXPECT_EQ(entry.runs.at(0).reason, "the case does not end");
  end.wait();
}

TEST(Results, SummaryCountsVerdictsByKindAndOperation) {
  CaseResult bad;
  bad.info.name = "a";
  bad.info.primaryOperation = "CONV_2D";
  bad.info.operations = {"ADD", "CONV_2D"};
  bad.runs = {{RunKind::General, Verdict::Passed, "", ""}, {RunKind::Caching, Verdict::Failed, "x", "y"}};
  CaseResult none;
  none.info.primaryOperation = "ADD";
  none.info.operations = {"ADD"};
  none.runs = {{RunKind::General, Verdict::Unsupported, "why", ""}, {RunKind::DynamicShape, Verdict::Skipped, "", ""}};
  const Summary summary = summarize({bad, none});
  EXPECT_EQ(summary.total.cases, 2u);
  EXPECT_EQ(summary.total.failed, 1u);
  EXPECT_EQ(summary.total.unsupported, 1u);
  EXPECT_EQ(summary.byKind[static_cast<size_t>(RunKind::General)].cases, 2u);
  EXPECT_EQ(summary.byKind[static_cast<size_t>(RunKind::DynamicShape)].skipped, 1u);
  EXPECT_EQ(summary.byOperation.at("ADD").about.cases, 1u);
  EXPECT_EQ(summary.byOperation.at("ADD").contains.cases, 2u);
  EXPECT_EQ(summary.byOperation.at("ADD").contains.failed, 1u);
  EXPECT_EQ(summary.byOperation.at("ADD").unsupportedReasons.at("why"), 1u);
  EXPECT_EQ(describe(bad.info, bad.runs[1]), "a [caching] x: y");
}

} // namespace
} // namespace avocet::hal::conformance
