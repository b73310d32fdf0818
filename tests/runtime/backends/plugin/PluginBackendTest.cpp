//===- PluginBackendTest.cpp - What a plug-in answers, right and wrong --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginBackend.h"

#include "FakeTable.h"
#include "avocet/firmware_iface/Version.h"

#include <cstring>
#include <gmock/gmock.h>
#include <optional>
#include <unistd.h>

namespace avocet::runtime::plugin::test {
namespace {

using firmware::FaultCode;
using firmware::JobState;
using testing::HasSubstr;

class PluginBackendTest : public testing::Test {
protected:
  PluginBackendTest() { options_.target = firmware::Target::load("e256").value(); }

  Result<std::unique_ptr<Backend>> tryOpen() { return openPluginBackend(table_, options_, "argument"); }

  Backend &opened() {
    Result<std::unique_ptr<Backend>> backend = tryOpen();
    EXPECT_TRUE(backend.isOk()) << backend.status().toString();
    backend_ = std::move(backend).value();
    return *backend_;
  }

  /// One empty stream of the DMA.
  Submission submission() {
    Submission submission;
    submission.context = 3;
    submission.streams = streams_;
    return submission;
  }

  AvocetBackendTable table_ = fakeTable();
  BackendOptions options_;
  std::unique_ptr<Backend> backend_;
  std::vector<StreamBinding> streams_ = {{{firmware::EngineKind::Dma, 0}, 4096, 2, 0}};
};

TEST_F(PluginBackendTest, OptionsAndPropertiesPass) {
  options_.timing = false;
  options_.threads = 3;
  const DeviceProperties properties = opened().properties();
  EXPECT_EQ(fakeDevice().options.flags, uint32_t{AVOCET_BACKEND_FUNCTIONAL | AVOCET_BACKEND_COUNTERS});
  EXPECT_EQ(fakeDevice().options.threads, 3u);
  EXPECT_EQ(properties.backend, "fake");
  EXPECT_EQ(properties.queueDepth, 8u);
  EXPECT_TRUE(properties.computes);
  EXPECT_FALSE(properties.measures || properties.hasSyncFiles || properties.hasClockLevels);
  backend_.reset();
  EXPECT_EQ(fakeDevice().closed, 1);
}

TEST_F(PluginBackendTest, DeviceThatBreaksLimitIsRefused) {
  struct Case {
    void (*change)(AvocetBackendProperties &properties);
    const char *message;
  };
  for (const Case &each :
       {Case{[](AvocetBackendProperties &properties) { properties.queueDepth = 0; },
             "queue depth of 0, must be 1 to 256"},
        Case{[](AvocetBackendProperties &properties) { properties.queueDepth = 257; }, "queue depth of 257"},
        Case{[](AvocetBackendProperties &properties) { properties.encodingVersion = 0; }, "set encodingVersion"},
        Case{[](AvocetBackendProperties &properties) { ++properties.targetFingerprint; },
             "another target than e256"}}) {
    table_ = fakeTable();
    each.change(fakeDevice().properties);
    const Status status = tryOpen().status();
    EXPECT_EQ(status.code(), StatusCode::FailedPrecondition) << each.message;
    EXPECT_THAT(status.message(), HasSubstr(each.message));
    EXPECT_THAT(status.message(), HasSubstr("back end fake"));
    EXPECT_EQ(fakeDevice().closed, 1) << "the device must not stay open";
  }
}

TEST_F(PluginBackendTest, OpenWithoutDeviceIsRefused) {
  fakeDevice().opens = false;
  EXPECT_EQ(tryOpen().code(), StatusCode::Internal);
  EXPECT_EQ(fakeDevice().closed, 0);
}

TEST_F(PluginBackendTest, CodesAndMessagesPass) {
  Backend &backend = opened();
  fakeDevice().code = AVOCET_BACKEND_RESOURCE_EXHAUSTED;
  fakeDevice().message = "the queue\x1b[2J is full";
  const Status status = backend.submit(submission()).status();
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(status.message(), "back end fake: the queue\\x1b[2J is full");
  fakeDevice().message = "";
  EXPECT_THAT(backend.reset().message(), HasSubstr("no reason was given"));
  for (AvocetBackendCode unknown : {-1, AVOCET_BACKEND_INTERNAL + 1}) {
    fakeDevice().code = unknown;
    EXPECT_EQ(backend.unmap(1, 4096).code(), StatusCode::Internal);
  }
}

TEST_F(PluginBackendTest, MessageWithoutEndIsCut) {
  Backend &backend = opened();
  const std::string endless(2000, 'x');
  fakeDevice().message = endless.c_str();
  fakeDevice().code = AVOCET_BACKEND_DEVICE_LOST;
  EXPECT_LT(backend.destroyContext(1).message().size(), 600u);
}

TEST_F(PluginBackendTest, HandlesThatContractExcludesAreRefused) {
  Backend &backend = opened();
  fakeDevice().handle = 0;
  EXPECT_EQ(backend.createContext(0).code(), StatusCode::Internal);
  EXPECT_EQ(backend.createBuffer(1).code(), StatusCode::Internal);
  EXPECT_EQ(backend.submit(submission()).code(), StatusCode::Internal);
  for (uint64_t address : {uint64_t{0}, uint64_t{4097}}) {
    fakeDevice().address = address;
    EXPECT_EQ(backend.map(1, 1, Access::Read).code(), StatusCode::Internal);
  }
  for (int file : {-1, 1'000'000}) {
    fakeDevice().file = file;
    EXPECT_EQ(backend.exportBuffer(1).code(), StatusCode::Internal);
  }
}

TEST_F(PluginBackendTest, MissingOptionalFunctionsHaveTheirDefaults) {
  Backend &backend = opened();
  std::vector<uint8_t> memory(16);
  EXPECT_EQ(backend.importMemory(memory, true).code(), StatusCode::Unsupported);
  backend.drive(1, 1);
  EXPECT_TRUE(backend.finish().isOk());
}

TEST_F(PluginBackendTest, TableOfFirstVersionIsReadNoFurther) {
  table_.finish = [](AvocetBackendDevice *, AvocetBackendMessage *) -> AvocetBackendCode {
    return AVOCET_BACKEND_INTERNAL;
  };
  table_.size = offsetof(AvocetBackendTable, finish);
  EXPECT_TRUE(opened().finish().isOk()) << "the member beyond the size counts as NULL";
}

/// Keeps the outcome of its job.
struct Sink final : CompletionSink {
  void jobEnded(JobHandle, const JobOutcome &ended) noexcept override { outcome = ended; }
  std::optional<JobOutcome> outcome;
};

TEST_F(PluginBackendTest, SubmissionAndOutcomePass) {
  Backend &backend = opened();
  Sink sink;
  Submission job = submission();
  job.sink = &sink;
  job.deadline = std::chrono::nanoseconds(7);
  job.driven = true;
  fakeDevice().outcome.size = sizeof(AvocetBackendOutcome);
  fakeDevice().outcome.state = AVOCET_BACKEND_FAULTED;
  fakeDevice().outcome.fault = static_cast<uint32_t>(FaultCode::PageFault);
  fakeDevice().outcome.faultAddress = 123;
  fakeDevice().outcome.counters.macs = 5;
  fakeDevice().outcome.counters.energyPicojoules = 6;
  ASSERT_TRUE(backend.submit(job).isOk());
  EXPECT_EQ(fakeDevice().submitted.context, 3u);
  EXPECT_EQ(fakeDevice().submitted.flags, uint32_t{AVOCET_BACKEND_DRIVEN | AVOCET_BACKEND_HAS_DEADLINE});
  EXPECT_EQ(fakeDevice().submitted.deadlineNs, 7);
  EXPECT_EQ(fakeDevice().firstStream.engineKind, 2u);
  EXPECT_EQ(fakeDevice().firstStream.address, 4096u);
  ASSERT_TRUE(sink.outcome.has_value());
  EXPECT_EQ(sink.outcome->fault, FaultCode::PageFault);
  EXPECT_EQ(sink.outcome->faultAddress, 123u);
  EXPECT_EQ(sink.outcome->counters.macs, 5u);
  EXPECT_EQ(sink.outcome->counters.energyPicojoules, 6u);
}

TEST_F(PluginBackendTest, SubmissionIsCheckedBeforePluginSeesIt) {
  Submission job = submission();
  job.streams = {};
  EXPECT_EQ(opened().submit(job).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(fakeDevice().submitted.size, 0u);
}

TEST_F(PluginBackendTest, UnknownOutcomesCountAsFailed) {
  Backend &backend = opened();
  auto outcomeOf = [&](uint32_t state, uint32_t fault, uint32_t size = sizeof(AvocetBackendOutcome)) {
    fakeDevice().outcome.size = size;
    fakeDevice().outcome.state = state;
    fakeDevice().outcome.fault = fault;
    fakeDevice().outcome.faultEngineKind = 9;
    return backend.wait(1, 1, std::chrono::nanoseconds(0)).value();
  };
  EXPECT_EQ(outcomeOf(AVOCET_BACKEND_COMPLETE, 0).state, JobState::Complete);
  EXPECT_EQ(outcomeOf(AVOCET_BACKEND_FAULTED, 13).fault, FaultCode::Watchdog);
  EXPECT_EQ(outcomeOf(AVOCET_BACKEND_FAULTED, 13).faultEngineKind, firmware::kNoIndex);
  for (const JobOutcome &wrong : {outcomeOf(0, 0), outcomeOf(7, 0), outcomeOf(AVOCET_BACKEND_FAULTED, 0),
                                  outcomeOf(AVOCET_BACKEND_FAULTED, firmware::kNumFaultCodes)}) {
    EXPECT_EQ(wrong.state, JobState::Faulted);
    EXPECT_EQ(wrong.fault, FaultCode::HardwareError);
  }
}

TEST_F(PluginBackendTest, ProfilesPassWithoutWrongSpans) {
  std::optional<firmware::JobProfile> seen;
  options_.profileSink = [&](const firmware::JobProfile &profile) { seen = profile; };
  opened();
  AvocetBackendOutcome outcome{};
  outcome.size = sizeof(outcome);
  outcome.state = AVOCET_BACKEND_COMPLETE;
  outcome.counters.cycles = 50;
  AvocetBackendLayer layer{};
  layer.layer = 2;
  layer.counters.stallCycles[1][3] = 8;
  const AvocetBackendSection section = {0, 0, 1, 40};
  const AvocetBackendSpan spans[] = {
      {0, 0, 5, 2, 1, 0, 10, 20, 3}, {77, 0, 6, 2, 1, 0, 10, 20, 3}, {0, 0, 7, 2, 1, 9, 1, 2, 3}};
  AvocetBackendProfile profile{};
  profile.size = sizeof(profile);
  profile.outcome = &outcome;
  profile.userData = 11;
  profile.layers = &layer;
  profile.layerCount = 1;
  profile.sections = &section;
  profile.sectionCount = 1;
  profile.spans = spans;
  profile.spanCount = 3;
  fakeDevice().options.profile(fakeDevice().options.profileUser, &profile);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->record.counters.cycles, 50u);
  EXPECT_EQ(seen->record.userData, 11u);
  EXPECT_EQ(seen->clockPercent, 100u);
  ASSERT_EQ(seen->layers.size(), 1u);
  EXPECT_EQ(seen->layers[0].stallCycles[1][3], 8u);
  ASSERT_EQ(seen->spans.size(), 1u) << "of an unknown engine, and of a run that there is not";
  EXPECT_EQ(seen->spans[0].command, 5u);
  EXPECT_EQ(seen->spans[0].drainCycles, 3u);
}

} // namespace
} // namespace avocet::runtime::plugin::test
