//===- RequestView.h - A request against a model's interface ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checked form of a request: all values are in range, its pools are open, its tokens are known and allowed in their
// places, and the shapes of its inputs are known. It reads the caller's memory at most once.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_REQUESTVIEW_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_REQUESTVIEW_H

#include "avocet/hal/types/Types.h"
#include "avocet/hal/types/Validation.h"
#include "memory/DeviceBuffer.h"
#include "memory/PoolFile.h"
#include "model/Signature.h"

#include <span>
#include <variant>
#include <vector>

namespace avocet::hal {

/// The model and client that a request belongs to.
struct RequestOwner {
  const Signature &signature;
  uint64_t model = 0; ///< PreparedModel::id()
  const BufferTable &buffers;
};

/// Refers to the request, which must outlive it. Immutable; usable from several threads.
class RequestView {
public:
  /// A pool of the caller, or a buffer that the driver allocated.
  using Pool = std::variant<PoolFile, std::shared_ptr<DeviceBuffer>>;

  /// InvalidArgument names the argument and the rule; GeneralFailure for pools that cannot be opened. Without
  /// `allowUnspecifiedOutput` the outputs' extents must all be known.
  static Result<RequestView> open(const RequestOwner &owner, const Request &request, bool allowUnspecifiedOutput);

  size_t numInputs() const { return dimensions_.size(); }
  size_t numOutputs() const { return request_->outputs.size(); }
  size_t numPools() const { return pools_.size(); }
  bool isInputOmitted(size_t index) const { return request_->inputs[index].hasNoValue; }
  bool isOutputOmitted(size_t index) const { return request_->outputs[index].hasNoValue; }
  /// Extents of an input, all known; empty for scalars and omitted inputs.
  const std::vector<uint32_t> &inputDimensions(size_t index) const { return dimensions_[index]; }
  /// Bytes of an input, from its dimensions.
  uint64_t inputBytes(size_t index) const { return bytes_[index]; }
  const RequestArgument &input(size_t index) const { return request_->inputs[index]; }
  const RequestArgument &output(size_t index) const { return request_->outputs[index]; }
  const Pool &pool(size_t index) const { return pools_[index]; }
  /// Whether a pool contains an output.
  bool isWritten(size_t pool) const { return isWritten_[pool]; }

  /// Null unless the argument is in a driver buffer.
  DeviceBuffer *bufferOf(const RequestArgument &argument) const;

  /// Copies. `bytes` has inputBytes() of the input, or at most the length of the output. A driver buffer must already
  /// have its value.
  Outcome readInput(size_t index, std::span<uint8_t> bytes) const;
  Outcome writeOutput(size_t index, std::span<const uint8_t> bytes) const;

private:
  Outcome openPools(const BufferTable &buffers);
  PoolPlaces poolPlaces() const;
  Outcome checkBuffers(uint64_t model) const;
  void resolveInput(const Operand &operand, const RequestArgument &argument);

  const Request *request_ = nullptr;
  std::vector<Pool> pools_;
  std::vector<bool> isWritten_; ///< by pool
  std::vector<std::vector<uint32_t>> dimensions_;
  std::vector<uint64_t> bytes_;
};

/// An error of one argument.
Error inRequest(std::string_view kind, size_t index, const Error &cause);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_REQUESTVIEW_H
