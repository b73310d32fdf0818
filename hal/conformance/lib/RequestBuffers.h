//===- RequestBuffers.h - Memory of one request -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CONFORMANCE_REQUESTBUFFERS_H
#define AVOCET_HAL_CONFORMANCE_REQUESTBUFFERS_H

#include "SharedArea.h"
#include "avocet/hal/conformance/TestCase.h"

#include <optional>
#include <string>

namespace avocet::hal::conformance {

/// Pools for the inputs and outputs of a case, and the request that names their regions. Around every output lie bytes
/// that nobody may touch.
class RequestBuffers {
public:
  /// The first output's region is `shortBy` bytes shorter than what is expected.
  static avocet::Result<RequestBuffers> make(const TestCase &test, uint64_t shortBy = 0);

  const Request &request() const { return request_; }
  std::span<const uint8_t> output(size_t index) const;

  /// As many bytes of each output as the case expects.
  std::vector<Bytes> copyOutputs(const TestCase &test) const;

  /// Forgets what the last execution wrote.
  void clearOutputs();

  /// Empty, or which byte was written that is no output's.
  std::string damage() const;

private:
  avocet::Result<SharedMemory> makeInputs(const TestCase &test);
  avocet::Result<SharedMemory> makeOutputs(const TestCase &test, uint64_t shortBy);

  Request request_;
  std::optional<SharedArea> inputs_;
  Bytes writtenInputs_; ///< as they were handed over
  std::optional<SharedArea> outputs_;
};

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_CONFORMANCE_REQUESTBUFFERS_H
