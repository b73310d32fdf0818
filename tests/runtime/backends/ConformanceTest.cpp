//===- ConformanceTest.cpp - The conformance suite of back ends -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace avocet::runtime::test {
namespace {

using firmware::FaultCode;
using firmware::JobState;

constexpr uint32_t kBytes = 1000;

std::vector<uint8_t> toVector(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

} // namespace

TEST_P(Conformance, HasProperties) {
  const DeviceProperties &properties = backend_->properties();
  EXPECT_FALSE(properties.backend.empty());
  EXPECT_EQ(properties.target->fingerprint(), target_->fingerprint());
  EXPECT_NE(properties.encodingVersion, 0u);
  EXPECT_GE(properties.queueDepth, 1u);
}

TEST_P(Conformance, BuffersStartAsZeros) {
  Mapping memory;
  BufferHandle buffer = makeBuffer(5000, memory);
  EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](uint8_t byte) { return byte == 0; }));
  EXPECT_TRUE(backend_->destroyBuffer(buffer).isOk());
}

TEST_P(Conformance, RefusesInvalidBuffers) {
  EXPECT_EQ(backend_->createBuffer(0).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->createBuffer(UINT64_MAX).status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(backend_->importBuffer(FileDescriptor(), 0, 10, false).status().code(), StatusCode::InvalidArgument);
  ASSERT_RESULT(file, createMemoryFile("short", 100));
  EXPECT_EQ(backend_->importBuffer(file, 0, 101, false).status().code(), StatusCode::DataLoss);
  EXPECT_EQ(backend_->importBuffer(file, 0, 0, false).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->importBuffer(file, 1, 10, false).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->importBuffer(file, kPageBytes, 1, false).status().code(), StatusCode::DataLoss);
  EXPECT_EQ(backend_->importBuffer(file, -kPageBytes, kPageBytes, false).status().code(), StatusCode::DataLoss);
}

TEST_P(Conformance, RefusesUnknownHandles) {
  EXPECT_EQ(backend_->exportBuffer(12345).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->destroyBuffer(12345).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->destroyContext(12345).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->map(12345, 1, Access::Read).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->unmap(12345, 0x10000).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->wait(12345, 1, kPatience).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->cancel(12345, 1).code(), StatusCode::InvalidArgument);
  ASSERT_RESULT(context, backend_->createContext(0));
  EXPECT_EQ(backend_->cancel(context, 1).code(), StatusCode::InvalidArgument);
  // There is no such job: drive() returns at once and has no error.
  backend_->drive(12345, 1);
  backend_->drive(context, 1);
}

TEST_P(Conformance, DestroyedHandlesAreRefused) {
  ASSERT_RESULT(context, backend_->createContext(0));
  EXPECT_TRUE(backend_->destroyContext(context).isOk());
  EXPECT_EQ(backend_->destroyContext(context).code(), StatusCode::InvalidArgument);
  ASSERT_RESULT(buffer, backend_->createBuffer(1));
  EXPECT_TRUE(backend_->destroyBuffer(buffer).isOk());
  EXPECT_EQ(backend_->destroyBuffer(buffer).code(), StatusCode::InvalidArgument);
}

TEST_P(Conformance, MapsAtPageAddresses) {
  ASSERT_RESULT(context, backend_->createContext(0));
  ASSERT_RESULT(buffer, backend_->createBuffer(10));
  ASSERT_RESULT(first, backend_->map(context, buffer, Access::Read));
  ASSERT_RESULT(second, backend_->map(context, buffer, Access::ReadWrite));
  EXPECT_NE(first, 0u);
  EXPECT_EQ(first % kPageBytes, 0u);
  EXPECT_NE(first, second);
  EXPECT_EQ(backend_->destroyBuffer(buffer).code(), StatusCode::FailedPrecondition);
  EXPECT_TRUE(backend_->unmap(context, first).isOk());
  EXPECT_EQ(backend_->unmap(context, first).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(backend_->unmap(context, second).isOk());
  EXPECT_TRUE(backend_->destroyBuffer(buffer).isOk());
}

TEST_P(Conformance, RefusesWriteAccessToReadOnlyMemory) {
  ASSERT_RESULT(context, backend_->createContext(0));
  ASSERT_RESULT(file, createMemoryFile("constants", kBytes));
  ASSERT_RESULT(buffer, backend_->importBuffer(file, 0, kBytes, false));
  EXPECT_EQ(backend_->map(context, buffer, Access::ReadWrite).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(backend_->map(context, buffer, static_cast<Access>(0)).status().code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(backend_->map(context, buffer, Access::Read).isOk());
}

TEST_P(Conformance, DestroyingAContextUnmaps) {
  ASSERT_RESULT(context, backend_->createContext(0));
  ASSERT_RESULT(buffer, backend_->createBuffer(10));
  ASSERT_TRUE(backend_->map(context, buffer, Access::Read).isOk());
  EXPECT_TRUE(backend_->destroyContext(context).isOk());
  EXPECT_TRUE(backend_->destroyBuffer(buffer).isOk());
}

TEST_P(Conformance, RefusesInvalidSubmissions) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  Submission good = submissionOf(fixture);
  auto codeOf = [&](Submission submission) { return backend_->submit(submission).status().code(); };
  Submission noStream = good;
  noStream.streams = {};
  EXPECT_EQ(codeOf(noStream), StatusCode::InvalidArgument);
  Submission noContext = good;
  noContext.context = 9999;
  EXPECT_EQ(codeOf(noContext), StatusCode::InvalidArgument);
  Submission tooUrgent = good;
  tooUrgent.priority = firmware::kMaxPriority + 1;
  EXPECT_EQ(codeOf(tooUrgent), StatusCode::InvalidArgument);
  std::vector<StreamBinding> twice = {fixture.streams[0], fixture.streams[0]};
  Submission sameEngine = good;
  sameEngine.streams = twice;
  EXPECT_EQ(codeOf(sameEngine), StatusCode::InvalidArgument);
  std::vector<StreamBinding> crooked = {fixture.streams[0]};
  crooked[0].address += 2;
  Submission unaligned = good;
  unaligned.streams = crooked;
  EXPECT_EQ(codeOf(unaligned), StatusCode::InvalidArgument);
}

TEST_P(Conformance, CompletesAJob) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  EXPECT_NE(job, 0u);
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete);
  EXPECT_EQ(outcome.fault, FaultCode::None);
  EXPECT_EQ(outcome.counters.cycles > 0, backend_->properties().measures);
  // An outcome can be read repeatedly.
  EXPECT_TRUE(backend_->wait(fixture.context, job, std::chrono::nanoseconds(0)).isOk());
  EXPECT_EQ(backend_->wait(fixture.context, job + 1, kPatience).status().code(), StatusCode::InvalidArgument);
}

TEST_P(Conformance, CopiesInputToOutput) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete);
  EXPECT_EQ(toVector(fixture.outputMemory.bytes()), toVector(fixture.inputMemory.bytes()));
}

TEST_P(Conformance, RepeatedJobTakesSameCycles) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(first, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(firstOutcome, backend_->wait(fixture.context, first, kPatience));
  ASSERT_RESULT(second, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(secondOutcome, backend_->wait(fixture.context, second, kPatience));
  EXPECT_GT(firstOutcome.counters.cycles, 0u);
  EXPECT_EQ(firstOutcome.counters.cycles, secondOutcome.counters.cycles);
  EXPECT_EQ(firstOutcome.counters.dramReadBytes, secondOutcome.counters.dramReadBytes);
}

namespace {

/// Records the order in which jobs ended.
struct Log final : CompletionSink {
  void jobEnded(JobHandle job, const JobOutcome &outcome) noexcept override {
    std::lock_guard lock(mutex);
    jobs.push_back(job);
    states.push_back(outcome.state);
  }
  std::mutex mutex;
  std::vector<JobHandle> jobs;
  std::vector<JobState> states;
};

} // namespace

TEST_P(Conformance, JobsOfAContextEndInOrder) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  Log log;
  Submission submission = submissionOf(fixture);
  submission.sink = &log;
  std::vector<JobHandle> submitted;
  for (int i = 0; i < 100; ++i) {
    Result<JobHandle> job = backend_->submit(submission);
    if (job.status().code() == StatusCode::ResourceExhausted) {
      // The queue is full: wait for the last job, then retry.
      ASSERT_TRUE(backend_->wait(fixture.context, submitted.back(), kPatience).isOk());
      job = backend_->submit(submission);
    }
    ASSERT_TRUE(job.isOk()) << job.status().toString();
    submitted.push_back(*job);
  }
  ASSERT_TRUE(backend_->wait(fixture.context, submitted.back(), kPatience).isOk());
  // The last sink may still be running: destroyContext() waits for it.
  ASSERT_TRUE(backend_->destroyContext(fixture.context).isOk());
  std::lock_guard lock(log.mutex);
  EXPECT_EQ(log.jobs, submitted);
}

TEST_P(Conformance, FaultsOutsideARegion) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  fixture.regions[1].bytes = kBytes - 1;
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.state, JobState::Faulted);
  EXPECT_EQ(outcome.fault, FaultCode::RegionOutOfBounds);
  // The next job runs.
  fixture.regions[1].bytes = kBytes;
  ASSERT_RESULT(next, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(nextOutcome, backend_->wait(fixture.context, next, kPatience));
  EXPECT_EQ(nextOutcome.state, JobState::Complete);
}

TEST_P(Conformance, FaultsOnAddressesThatAreNotMapped) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  fixture.regions[0].address = uint64_t(1) << 39;
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.fault, FaultCode::PageFault);
  ASSERT_TRUE(backend_->unmap(fixture.context, fixture.codeAddress).isOk());
  ASSERT_RESULT(next, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(nextOutcome, backend_->wait(fixture.context, next, kPatience));
  EXPECT_EQ(nextOutcome.fault, FaultCode::PageFault);
}

TEST_P(Conformance, FaultsOnAWriteToReadOnly) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  fixture.regions[1].access = Access::Read;
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.fault, FaultCode::RegionReadOnly);
}

TEST_P(Conformance, FaultsOnADeadlock) {
  Fixture fixture;
  makeFixture(hangingProgram(), kBytes, fixture);
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.fault, FaultCode::Deadlock);
}

TEST_P(Conformance, FaultsOnAnotherTarget) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  Submission submission = submissionOf(fixture);
  submission.targetFingerprint ^= 1;
  ASSERT_RESULT(job, backend_->submit(submission));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.fault, FaultCode::TargetMismatch);
}

TEST_P(Conformance, ContextsCannotAccessEachOther) {
  Fixture owner, stranger;
  makeFixture(copyProgram(kBytes), kBytes, owner);
  makeFixture(copyProgram(kBytes), kBytes, stranger);
  Mapping secret;
  BufferHandle buffer = makeBuffer(kBytes, secret);
  ASSERT_RESULT(address, backend_->map(owner.context, buffer, Access::ReadWrite));
  stranger.regions[0].address = address;
  ASSERT_RESULT(job, backend_->submit(submissionOf(stranger)));
  ASSERT_RESULT(outcome, backend_->wait(stranger.context, job, kPatience));
  EXPECT_EQ(outcome.fault, FaultCode::PageFault);
}

TEST_P(Conformance, ResetKeepsBuffersAndMappings) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(before, backend_->submit(submissionOf(fixture)));
  ASSERT_TRUE(backend_->wait(fixture.context, before, kPatience).isOk());
  ASSERT_TRUE(backend_->reset().isOk());
  std::ranges::fill(fixture.outputMemory.bytes(), 0);
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete) << describe(outcome.fault);
  EXPECT_EQ(toVector(fixture.outputMemory.bytes()), toVector(fixture.inputMemory.bytes()));
}

TEST_P(Conformance, DestroyingAContextEndsItsJobs) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  Log log;
  Submission submission = submissionOf(fixture);
  submission.sink = &log;
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(backend_->submit(submission).isOk());
  ASSERT_TRUE(backend_->destroyContext(fixture.context).isOk());
  EXPECT_EQ(backend_->submit(submission).status().code(), StatusCode::InvalidArgument);
  std::lock_guard lock(log.mutex);
  EXPECT_EQ(log.jobs.size(), 10u);
}

TEST_P(Conformance, ThreadsSubmitToOwnContextsConcurrently) {
  constexpr int kThreads = 4, kJobs = 20;
  std::vector<Fixture> fixtures(kThreads);
  for (Fixture &fixture : fixtures)
    makeFixture(copyProgram(kBytes), kBytes, fixture);
  std::atomic<int> completed{0};
  std::vector<std::thread> threads;
  for (Fixture &fixture : fixtures) {
    threads.emplace_back([&] {
      for (int i = 0; i < kJobs; ++i) {
        Result<JobHandle> job = backend_->submit(submissionOf(fixture));
        if (job && backend_->wait(fixture.context, *job, kPatience).isOk())
          ++completed;
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(completed, kThreads * kJobs);
}

TEST_P(Conformance, ThreadsCreateAndDestroyContextsConcurrently) {
  constexpr int kThreads = 4, kRounds = 200;
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        Result<ContextHandle> context = backend_->createContext(0);
        if (!context || !backend_->destroyContext(*context).isOk())
          ++refused;
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, testing::ValuesIn(conformanceSubjects()),
                         [](const auto &info) { return info.param.name; });

} // namespace avocet::runtime::test
