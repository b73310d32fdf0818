//===- RequestView.h - A request against a model's interface ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checked form of a request: everything in it is in range, its pools are open, and the shapes of its inputs are
// known. What it reads of the caller's memory it reads once.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_REQUESTVIEW_H
#define AVOCET_HAL_DRIVER_LIB_REQUESTVIEW_H

#include "PoolFile.h"
#include "Signature.h"
#include "avocet/hal/Types.h"

#include <span>
#include <vector>

namespace avocet::hal {

/// Refers to the request, which outlives it. Immutable; usable from several threads.
class RequestView {
public:
  /// InvalidArgument names the argument and the rule; GeneralFailure for pools that cannot be opened.
  static Result<RequestView> open(const Signature &signature, const Request &request);

  size_t numInputs() const { return dimensions_.size(); }
  size_t numOutputs() const { return request_->outputs.size(); }
  bool isInputOmitted(size_t index) const { return request_->inputs[index].hasNoValue; }
  bool isOutputOmitted(size_t index) const { return request_->outputs[index].hasNoValue; }
  /// Extents of an input, all known; empty for scalars and omitted inputs.
  const std::vector<uint32_t> &inputDimensions(size_t index) const { return dimensions_[index]; }
  /// Bytes of an input, from its dimensions.
  uint64_t inputBytes(size_t index) const { return bytes_[index]; }
  const RequestArgument &output(size_t index) const { return request_->outputs[index]; }

  /// `bytes` has inputBytes() of the input, or fewer than the length of the output.
  Outcome readInput(size_t index, std::span<uint8_t> bytes) const;
  Outcome writeOutput(size_t index, std::span<const uint8_t> bytes) const;

private:
  Outcome openPools();
  void resolveInput(const Operand &operand, const RequestArgument &argument);

  const Request *request_ = nullptr;
  std::vector<PoolFile> pools_;
  std::vector<std::vector<uint32_t>> dimensions_;
  std::vector<uint64_t> bytes_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_REQUESTVIEW_H
