//===- RequestView.cpp - A request against a model's interface ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/RequestView.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "memory/DeviceBuffer.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::hal {

Error inRequest(std::string_view kind, size_t index, const Error &cause) {
  return error(cause.code, fmt::format("request: {} {}: {}", kind, index, cause.message));
}

Result<RequestView> RequestView::open(const RequestOwner &owner, const Request &request, bool allowUnspecifiedOutput) {
  RequestView view;
  view.request_ = &request;
  // First: unknown handles are a general failure, not an invalid request.
  AVOCET_RETURN_IF_ERROR(view.openPools(owner.buffers));
  AVOCET_RETURN_IF_ERROR(
      validateRequestForModel(request, owner.signature.model(), allowUnspecifiedOutput, view.poolPlaces()));
  AVOCET_RETURN_IF_ERROR(view.checkBuffers(owner.model));
  view.dimensions_.reserve(owner.signature.numInputs());
  view.bytes_.reserve(owner.signature.numInputs());
  for (size_t i = 0; i < owner.signature.numInputs(); ++i)
    view.resolveInput(owner.signature.input(i), request.inputs[i]);
  view.isWritten_.resize(request.pools.size());
  for (const RequestArgument &output : request.outputs)
    if (!output.hasNoValue)
      view.isWritten_[output.location.poolIndex] = true;
  return view;
}

static Result<RequestView::Pool> openPool(const RequestPool &pool, const BufferTable &buffers) {
  if (const auto *memory = std::get_if<SharedMemory>(&pool)) {
    AVOCET_ASSIGN_OR_RETURN(PoolFile file, PoolFile::open(*memory));
    return RequestView::Pool(std::move(file));
  }
  auto token = std::get<BufferToken>(pool);
  std::shared_ptr<DeviceBuffer> buffer = buffers.find(token);
  if (buffer == nullptr)
    return invalidArgument(
        fmt::format("token {} is none of a buffer that this client has", static_cast<uint32_t>(token)));
  return RequestView::Pool(std::move(buffer));
}

Outcome RequestView::openPools(const BufferTable &buffers) {
  pools_.reserve(request_->pools.size());
  for (size_t i = 0; i < request_->pools.size(); ++i) {
    Result<Pool> pool = openPool(request_->pools[i], buffers);
    if (!pool)
      return inRequest("pool", i, pool.error());
    pools_.push_back(std::move(*pool));
  }
  return success();
}

/// Uses the places found when the pools were opened, where available.
PoolPlaces RequestView::poolPlaces() const {
  PoolPlaces places(pools_.size());
  for (size_t i = 0; i < pools_.size(); ++i) {
    const auto *file = std::get_if<PoolFile>(&pools_[i]);
    if (file == nullptr)
      continue;
    if (const std::optional<FileIdentity> &known = file->identity())
      places[i] = FilePlace{known->device, known->inode, file->start()};
    else
      places[i] = filePlaceOf(*std::get<SharedMemory>(request_->pools[i]));
  }
  return places;
}

DeviceBuffer *RequestView::bufferOf(const RequestArgument &argument) const {
  if (argument.hasNoValue)
    return nullptr;
  const auto *buffer = std::get_if<std::shared_ptr<DeviceBuffer>>(&pools_[argument.location.poolIndex]);
  return buffer != nullptr ? buffer->get() : nullptr;
}

static Error wrongRole() { return invalidArgument("the buffer was not allocated for this input or output"); }

/// Checks that buffers are used only in their allocated roles. The overlap check has already refused shared outputs.
Outcome RequestView::checkBuffers(uint64_t model) const {
  for (uint32_t i = 0; i < request_->inputs.size(); ++i)
    if (const DeviceBuffer *buffer = bufferOf(input(i)); buffer != nullptr && !buffer->hasRole({model, false, i}))
      return inRequest("input", i, wrongRole());
  for (uint32_t i = 0; i < request_->outputs.size(); ++i) {
    const DeviceBuffer *buffer = bufferOf(output(i));
    if (buffer == nullptr)
      continue;
    if (!buffer->hasRole({model, true, i}))
      return inRequest("output", i, wrongRole());
    if (Outcome fits = buffer->checkOutput(output(i).dimensions); !fits)
      return inRequest("output", i, fits.error());
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
  if (DeviceBuffer *buffer = bufferOf(request_->inputs[index])) {
    Result<std::shared_ptr<runtime::Buffer>> memory = buffer->read(dimensions_[index], false);
    if (!memory)
      return inRequest("input", index, memory.error());
    std::ranges::copy((*memory)->bytes().first(bytes.size()), bytes.begin());
    return success();
  }
  Outcome outcome = std::get<PoolFile>(pools_[location.poolIndex]).read(location.offset, bytes);
  return outcome ? outcome : inRequest("input", index, outcome.error());
}

Outcome RequestView::writeOutput(size_t index, std::span<const uint8_t> bytes) const {
  const DataLocation &location = request_->outputs[index].location;
  Outcome outcome = std::get<PoolFile>(pools_[location.poolIndex]).write(location.offset, bytes);
  return outcome ? outcome : inRequest("output", index, outcome.error());
}

} // namespace avocet::hal
