//===- ConformanceConditionsTest.cpp - Imports, cancellation, dependencies, deadlines --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace avocet::runtime::test {
namespace {

using firmware::FaultCode;
using firmware::JobState;

constexpr uint32_t kBytes = 1000;

std::vector<uint8_t> toVector(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

} // namespace

TEST_P(Conformance, CancellingEndedJobHasNoEffect) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_TRUE(backend_->wait(fixture.context, job, kPatience).isOk());
  EXPECT_TRUE(backend_->cancel(fixture.context, job).isOk());
  EXPECT_EQ(backend_->cancel(fixture.context, job + 1).code(), StatusCode::InvalidArgument);
  ASSERT_RESULT(next, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, next, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete);
}

TEST_P(Conformance, DrivenJobsEnd) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  Submission submission = submissionOf(fixture);
  submission.driven = true;
  for (int round = 0; round < 20; ++round) {
    ASSERT_RESULT(job, backend_->submit(submission));
    backend_->drive(fixture.context, job);
    ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
    EXPECT_EQ(outcome.state, JobState::Complete);
  }
}

TEST_P(Conformance, WaitsForJobsOfOtherContexts) {
  Fixture first, second;
  makeFixture(copyProgram(kBytes), kBytes, first);
  makeFixture(copyProgram(kBytes), kBytes, second);
  ASSERT_RESULT(job, backend_->submit(submissionOf(first)));
  const JobReference known[] = {{first.context, job}};
  Submission submission = submissionOf(second);
  submission.dependencies = known;
  ASSERT_RESULT(next, backend_->submit(submission));
  ASSERT_RESULT(outcome, backend_->wait(second.context, next, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete) << describe(outcome.fault);
}

TEST_P(Conformance, RefusesDependenciesOnUnknownJobs) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_TRUE(backend_->wait(fixture.context, job, kPatience).isOk());
  Submission submission = submissionOf(fixture);
  for (JobReference unknown : {JobReference{12345, 1}, {fixture.context, 0}, {fixture.context, job + 1}}) {
    submission.dependencies = std::span(&unknown, 1);
    EXPECT_EQ(backend_->submit(submission).status().code(), StatusCode::InvalidArgument);
  }
  const std::vector<JobReference> many(firmware::kMaxDependencies + 1, {fixture.context, job});
  submission.dependencies = many;
  EXPECT_EQ(backend_->submit(submission).status().code(), StatusCode::InvalidArgument);
  submission.dependencies = std::span(many).first(firmware::kMaxDependencies);
  EXPECT_TRUE(backend_->submit(submission).isOk());
}

TEST_P(Conformance, DependenciesOnFailedJobsFail) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  fixture.regions[1].bytes = kBytes - 1;
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_TRUE(backend_->wait(fixture.context, job, kPatience).isOk());
  fixture.regions[1].bytes = kBytes;
  const JobReference failed[] = {{fixture.context, job}};
  Submission submission = submissionOf(fixture);
  submission.dependencies = failed;
  ASSERT_RESULT(next, backend_->submit(submission));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, next, kPatience));
  EXPECT_EQ(outcome.fault, FaultCode::DependencyFailed);
}

TEST_P(Conformance, LateJobEndsWithDeadlineMissed) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  Submission submission = submissionOf(fixture);
  submission.deadline = std::chrono::hours(1);
  ASSERT_RESULT(job, backend_->submit(submission));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete);
  submission.deadline = std::chrono::nanoseconds(0);
  ASSERT_RESULT(late, backend_->submit(submission));
  ASSERT_RESULT(lateOutcome, backend_->wait(fixture.context, late, kPatience));
  EXPECT_EQ(lateOutcome.fault, FaultCode::DeadlineMissed);
}

TEST_P(Conformance, JobReadsImportedMemory) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(file, createMemoryFile("import", kBytes));
  ASSERT_RESULT(memory, Mapping::map(file.get(), kBytes, Mapping::Access::ReadWrite));
  std::ranges::fill(memory.bytes(), 42);
  ASSERT_RESULT(buffer, backend_->importBuffer(file, 0, kBytes, false));
  ASSERT_RESULT(address, backend_->map(fixture.context, buffer, Access::Read));
  fixture.regions[0].address = address;
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete);
  EXPECT_EQ(toVector(fixture.outputMemory.bytes()), std::vector<uint8_t>(kBytes, 42));
}

TEST_P(Conformance, JobReadsImportedMemoryFromOffset) {
  Fixture fixture;
  makeFixture(copyProgram(kBytes), kBytes, fixture);
  ASSERT_RESULT(file, createMemoryFile("import", kPageBytes + kBytes));
  ASSERT_RESULT(memory, Mapping::map(file.get(), kPageBytes + kBytes, Mapping::Access::ReadWrite));
  std::ranges::fill(memory.bytes().subspan(kPageBytes), 43);
  ASSERT_RESULT(buffer, backend_->importBuffer(file, kPageBytes, kBytes, false));
  ASSERT_RESULT(address, backend_->map(fixture.context, buffer, Access::Read));
  fixture.regions[0].address = address;
  ASSERT_RESULT(job, backend_->submit(submissionOf(fixture)));
  ASSERT_RESULT(outcome, backend_->wait(fixture.context, job, kPatience));
  EXPECT_EQ(outcome.state, JobState::Complete);
  EXPECT_EQ(toVector(fixture.outputMemory.bytes()), std::vector<uint8_t>(kBytes, 43));
}

TEST_P(Conformance, ImportDoesNotChangeFile) {
  ASSERT_RESULT(file, createMemoryFile("import", 2 * kBytes));
  ASSERT_TRUE(backend_->importBuffer(file, 0, 2 * kBytes, true).isOk());
  EXPECT_EQ(::fcntl(file.get(), F_GET_SEALS), 0);
  EXPECT_EQ(::ftruncate(file.get(), kBytes), 0);
}

} // namespace avocet::runtime::test
