//===- RequestBuffers.h - Memory of one request -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_REQUESTBUFFERS_H
#define AVOCET_VALIDATION_REQUESTBUFFERS_H

#include "avocet/hal/vectors/SharedArea.h"
#include "avocet/hal/vectors/TestCase.h"

#include <optional>
#include <string>

namespace avocet::hal::conformance {

/// Pools for the inputs and outputs of a case, and the request that names their regions. Guard bytes lie before and
/// after every output.
class RequestBuffers {
public:
  /// The first output's region is `shortBy` bytes shorter than the expected output.
  static avocet::Result<RequestBuffers> make(const TestCase &test, uint64_t shortBy = 0);

  const Request &request() const { return request_; }
  std::span<const uint8_t> output(size_t index) const;

  /// The expected number of bytes of each output.
  std::vector<Bytes> copyOutputs(const TestCase &test) const;

  /// Resets the bytes written by the last execution.
  void clearOutputs();

  /// Empty, or the first byte outside the outputs that was written.
  std::string damage() const;

private:
  avocet::Result<SharedMemory> makeInputs(const TestCase &test);
  avocet::Result<SharedMemory> makeOutputs(const TestCase &test, uint64_t shortBy);

  Request request_;
  std::optional<SharedArea> inputs_;
  Bytes writtenInputs_; ///< their bytes before the execution
  std::optional<SharedArea> outputs_;
};

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_REQUESTBUFFERS_H
