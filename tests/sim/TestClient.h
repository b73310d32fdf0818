//===- TestClient.h - One more context on a test driver's device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_SIM_TESTCLIENT_H
#define AVOCET_TESTS_SIM_TESTCLIENT_H

#include "TestCommands.h"
#include "TestDriver.h"

namespace avocet::sim::test {

/// A context of an owner, with its own ring and some memory, which is region 1 of its jobs. Context and ring have the
/// same number.
class TestClient {
public:
  static constexpr uint32_t kEntries = 128;

  TestClient(TestDriver &driver, uint32_t number, uint32_t owner, size_t dataBytes = 1 << 16);

  uint32_t number() const { return number_; }
  uint8_t *data() { return data_.data(); }

  firmware::JobDescriptor makeJob(const std::vector<TestStream> &streams, uint32_t priority = 0);
  /// Makes a job wait for others.
  void setDependencies(firmware::JobDescriptor &job, const std::vector<firmware::DependencyEntry> &dependencies);

  /// Adds a job to the ring, without ringing.
  void push(const firmware::JobDescriptor &job);
  /// Adds a job to the ring and rings.
  void submit(const firmware::JobDescriptor &job);
  /// The same, at a device cycle.
  void submitAt(uint64_t cycle, const firmware::JobDescriptor &job);

  firmware::CompletionRecord recordOf(const firmware::JobDescriptor &job) const { return driver_.recordOf(job); }
  firmware::FaultCode faultOf(const firmware::JobDescriptor &job) const {
    return static_cast<firmware::FaultCode>(recordOf(job).faultCode);
  }

  firmware::RingHeader &ringHeader() { return *reinterpret_cast<firmware::RingHeader *>(ring_.data()); }
  /// Announces context, mappings and ring: at construction, and after a reset.
  void announce();
  void ring() { driver_.writeRegister(firmware::Register::RingBell, number_); }
  firmware::ReplyCode destroy();
  /// The mapping as announced.
  firmware::MapRequest dataMapping() const {
    return {number_, firmware::access::kRead | firmware::access::kWrite, data_.address(), data_.address(),
            data_.size()};
  }

private:
  TestDriver &driver_;
  const uint32_t number_, owner_;
  Pages ring_{sizeof(firmware::RingHeader) + kEntries * sizeof(firmware::JobDescriptor)};
  Pages data_;
};

} // namespace avocet::sim::test

#endif // AVOCET_TESTS_SIM_TESTCLIENT_H
