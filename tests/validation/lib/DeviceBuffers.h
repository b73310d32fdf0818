//===- DeviceBuffers.h - Driver-allocated buffers of a request --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_DEVICEBUFFERS_H
#define AVOCET_VALIDATION_DEVICEBUFFERS_H

#include "Verdicts.h"

namespace avocet::hal::conformance {

/// A driver buffer for each input and output of a case, and the request that uses them. The inputs are filled.
class DeviceBuffers {
public:
  /// Passed, or the reason of the failure.
  RunResult make(IDevice &device, const std::shared_ptr<IPreparedModel> &model, const TestCase &test);

  const Request &request() const { return request_; }

  /// Passed if none of the outputs can be read, as before the first execution.
  RunResult checkUninitialized(const TestCase &test) const;

  /// Passed with the bytes of all outputs.
  RunResult copyOutputs(const TestCase &test, std::vector<Bytes> &outputs) const;

private:
  RunResult addInput(IDevice &device, const std::shared_ptr<IPreparedModel> &model, const std::optional<Bytes> &input);
  RunResult addOutput(IDevice &device, const std::shared_ptr<IPreparedModel> &model);
  /// The argument of a buffer that was added, or an omitted one.
  RequestArgument argumentFor(const std::shared_ptr<IBuffer> &buffer);

  std::vector<std::shared_ptr<IBuffer>> inputs_; ///< null: omitted
  std::vector<std::shared_ptr<IBuffer>> outputs_;
  Request request_;
};

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_DEVICEBUFFERS_H
