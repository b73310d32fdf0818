//===- RequestView.cpp - A request against a model's interface ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestView.h"

#include "avocet/hal/Utils.h"
#include "avocet/hal/Validation.h"

#include <fmt/core.h>

namespace avocet::hal {

static Error inContext(std::string_view kind, size_t index, const Error &cause) {
  return error(cause.code, fmt::format("request: {} {}: {}", kind, index, cause.message));
}

Result<RequestView> RequestView::open(const Signature &signature, const Request &request) {
  RequestView view;
  view.request_ = &request;
  // First: handles that nobody can decode are a general failure, not a mistake in the request.
  AVOCET_HAL_RETURN_IF_ERROR(view.openPools());
  AVOCET_HAL_RETURN_IF_ERROR(validateRequestForModel(request, signature.model()));
  for (size_t i = 0; i < signature.numInputs(); ++i)
    view.resolveInput(signature.input(i), request.inputs[i]);
  return view;
}

Outcome RequestView::openPools() {
  for (size_t i = 0; i < request_->pools.size(); ++i) {
    const auto *memory = std::get_if<SharedMemory>(&request_->pools[i]);
    if (memory == nullptr)
      return invalidArgument(fmt::format("request: pool {} names a buffer that this device did not allocate", i));
    Result<PoolFile> pool = PoolFile::open(*memory);
    if (!pool)
      return inContext("pool", i, pool.error());
    pools_.push_back(std::move(*pool));
  }
  return success();
}

void RequestView::resolveInput(const Operand &operand, const RequestArgument &argument) {
  std::vector<uint32_t> &dimensions = dimensions_.emplace_back();
  uint64_t &bytes = bytes_.emplace_back(0);
  if (argument.hasNoValue)
    return;
  dimensions = combineDimensions(operand.dimensions, argument.dimensions).value_or(argument.dimensions);
  bytes = getNonExtensionSize(operand.type, dimensions).value_or(0);
}

Outcome RequestView::readInput(size_t index, std::span<uint8_t> bytes) const {
  const DataLocation &location = request_->inputs[index].location;
  Outcome outcome = pools_[location.poolIndex].read(location.offset, bytes);
  return outcome ? outcome : inContext("input", index, outcome.error());
}

Outcome RequestView::writeOutput(size_t index, std::span<const uint8_t> bytes) const {
  const DataLocation &location = request_->outputs[index].location;
  Outcome outcome = pools_[location.poolIndex].write(location.offset, bytes);
  return outcome ? outcome : inContext("output", index, outcome.error());
}

} // namespace avocet::hal
