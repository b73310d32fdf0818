//===- TestClient.cpp - One more context on a test driver's device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestClient.h"

#include <gtest/gtest.h>

namespace avocet::sim::test {

using namespace firmware;

TestClient::TestClient(TestDriver &driver, uint32_t number, uint32_t owner, size_t dataBytes)
    : driver_(driver), number_(number), owner_(owner), data_(dataBytes) {
  RingHeader &header = ringHeader();
  header.magic = kRingMagic;
  header.entries = kEntries;
  header.entryBytes = sizeof(JobDescriptor);
  announce();
}

void TestClient::announce() {
  EXPECT_EQ(TestDriver::codeOf(driver_.send(MessageKind::CreateContext, ContextRequest{number_, owner_, {}})),
            ReplyCode::Ok);
  driver_.mapTables(number_);
  driver_.map(ring_, access::kRead | access::kWrite, number_);
  driver_.map(data_, access::kRead | access::kWrite, number_);
  const RingRequest request{number_, number_, ring_.address(), kEntries, 0};
  EXPECT_EQ(TestDriver::codeOf(driver_.send(MessageKind::CreateRing, request)), ReplyCode::Ok);
}

ReplyCode TestClient::destroy() {
  return TestDriver::codeOf(driver_.send(MessageKind::DestroyContext, ContextRequest{number_, 0, {}}));
}

JobDescriptor TestClient::makeJob(const std::vector<TestStream> &streams, uint32_t priority) {
  JobDescriptor job = driver_.makeJob(streams, {{data_.address(), data_.size()}});
  job.context = number_;
  job.priority = priority;
  return job;
}

void TestClient::setDependencies(JobDescriptor &job, const std::vector<DependencyEntry> &dependencies) {
  job.dependencyTable = driver_.place(dependencies);
  job.dependencyCount = static_cast<uint32_t>(dependencies.size());
}

void TestClient::push(const JobDescriptor &job) {
  RingHeader &header = ringHeader();
  uint8_t *entries = ring_.data() + sizeof(RingHeader);
  std::memcpy(entries + (header.tail % kEntries) * sizeof(JobDescriptor), &job, sizeof(job));
  ++header.tail;
}

void TestClient::submit(const JobDescriptor &job) {
  push(job);
  ring();
}

void TestClient::submitAt(uint64_t cycle, const JobDescriptor &job) {
  driver_.device().callAt(cycle, [this, job] { submit(job); });
}

} // namespace avocet::sim::test
