//===- RequestView.cpp - A request against a model's interface ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestView.h"

#include "Shapes.h"

#include <fmt/core.h>

namespace avocet::hal {
namespace {

Error broken(std::string_view kind, size_t index, std::string_view rule) {
  return invalidArgument(fmt::format("request: {} {}: {}", kind, index, rule));
}

Error inContext(std::string_view kind, size_t index, const Error &cause) {
  return error(cause.code, fmt::format("request: {} {}: {}", kind, index, cause.message));
}

bool isEmpty(const RequestArgument &argument) {
  return argument.location == DataLocation() && argument.dimensions.empty();
}

} // namespace

Signature signatureOf(const Model &model) {
  Signature signature;
  for (uint32_t index : model.main.inputIndexes)
    signature.inputs.push_back(model.main.operands[index]);
  for (uint32_t index : model.main.outputIndexes)
    signature.outputs.push_back(model.main.operands[index]);
  return signature;
}

Result<RequestView> RequestView::open(const Signature &signature, const Request &request) {
  if (request.inputs.size() != signature.inputs.size() || request.outputs.size() != signature.outputs.size())
    return invalidArgument(fmt::format("request: has {} inputs and {} outputs, the model {} and {}",
                                       request.inputs.size(), request.outputs.size(), signature.inputs.size(),
                                       signature.outputs.size()));
  RequestView view;
  view.request_ = &request;
  AVOCET_HAL_RETURN_IF_ERROR(view.openPools());
  for (size_t i = 0; i < signature.inputs.size(); ++i)
    AVOCET_HAL_RETURN_IF_ERROR(view.resolveInput(i, signature.inputs[i]));
  for (size_t i = 0; i < signature.outputs.size(); ++i)
    AVOCET_HAL_RETURN_IF_ERROR(view.checkOutput(i, signature.outputs[i]));
  return view;
}

Outcome RequestView::openPools() {
  for (size_t i = 0; i < request_->pools.size(); ++i) {
    const auto *memory = std::get_if<SharedMemory>(&request_->pools[i]);
    if (memory == nullptr)
      return broken("pool", i, "names a buffer that this device did not allocate");
    Result<PoolFile> pool = PoolFile::open(*memory);
    if (!pool)
      return inContext("pool", i, pool.error());
    pools_.push_back(std::move(*pool));
  }
  return success();
}

Outcome RequestView::checkLocation(const DataLocation &location) const {
  if (location.poolIndex >= pools_.size())
    return invalidArgument(fmt::format("there is no pool {}, the request has {}", location.poolIndex, pools_.size()));
  uint64_t size = pools_[location.poolIndex].size();
  if (location.offset > size || location.length > size - location.offset ||
      location.padding > size - location.offset - location.length)
    return invalidArgument(fmt::format("{} bytes and {} of padding at {} reach beyond the pool's {}", location.length,
                                       location.padding, location.offset, size));
  return success();
}

Outcome RequestView::resolveInput(size_t index, const Operand &operand) {
  const RequestArgument &argument = request_->inputs[index];
  std::vector<uint32_t> &dimensions = dimensions_.emplace_back();
  uint64_t &bytes = bytes_.emplace_back(0);
  if (argument.hasNoValue)
    return isEmpty(argument) ? success() : broken("input", index, "is omitted, but has a place or dimensions");
  if (Outcome outcome = checkLocation(argument.location); !outcome)
    return inContext("input", index, outcome.error());
  std::optional<std::vector<uint32_t>> both = combine(operand.dimensions, argument.dimensions);
  if (!both || (isScalarType(operand.type) && !both->empty()))
    return broken("input", index, "its dimensions contradict the model's");
  std::optional<uint64_t> size = byteSizeOf(operand.type, *both);
  if (!size)
    return broken("input", index, "its dimensions are not known, or too large");
  if (argument.location.length < *size)
    return broken("input", index, fmt::format("{} bytes are given, {} are needed", argument.location.length, *size));
  dimensions = std::move(*both);
  bytes = *size;
  return success();
}

Outcome RequestView::checkOutput(size_t index, const Operand &operand) const {
  const RequestArgument &argument = request_->outputs[index];
  if (argument.hasNoValue)
    return isEmpty(argument) ? success() : broken("output", index, "is omitted, but has a place or dimensions");
  if (Outcome outcome = checkLocation(argument.location); !outcome)
    return inContext("output", index, outcome.error());
  std::optional<std::vector<uint32_t>> both = combine(operand.dimensions, argument.dimensions);
  if (!both || (isScalarType(operand.type) && !both->empty()))
    return broken("output", index, "its dimensions contradict the model's");
  return success();
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
