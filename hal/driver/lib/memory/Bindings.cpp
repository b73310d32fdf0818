//===- Bindings.cpp - Binds a request's memory to a job ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/Bindings.h"

#include "avocet/hal/types/VerboseLog.h"

#include "memory/DeviceBuffer.h"

#include <fmt/core.h>
#include <sys/mman.h>

namespace avocet::hal {

Bindings::Bindings(ClientState &client, ModelMemory &memory, const RequestView &view, PinnedPools *pinned)
    : client_(client), memory_(memory), view_(view), pinned_(pinned), pools_(view.numPools()) {}

void Bindings::count(bool isNew) {
  Counters &counters = client_.core().counters();
  (isNew ? counters.operandsBound : counters.bindingsReused) += 1;
}

Result<std::shared_ptr<const MappedPool>> Bindings::lookUp(const PoolFile &file, uint32_t index) {
  if (pinned_ != nullptr && (*pinned_)[index] != nullptr)
    return (*pinned_)[index];
  Result<std::shared_ptr<const MappedPool>> mapped = memory_.map(file, view_.isWritten(index));
  if (mapped && pinned_ != nullptr)
    (*pinned_)[index] = *mapped;
  return mapped;
}

Result<Bindings::Target> Bindings::targetIn(const PoolFile &file, const DataLocation &location, uint64_t bytes,
                                            int32_t protection) {
  AVOCET_RETURN_IF_ERROR(file.checkRange(location.offset, bytes, protection));
  Pool &pool = pools_[location.poolIndex];
  if (!pool.isKnown) {
    AVOCET_ASSIGN_OR_RETURN(pool.mapped, lookUp(file, location.poolIndex));
    pool.isKnown = true;
  }
  std::optional<uint64_t> offset;
  if (pool.mapped != nullptr)
    offset = pool.mapped->find(file, location.offset, bytes);
  return offset ? Target{pool.mapped->mapping, *offset} : Target();
}

Result<Bindings::Target> Bindings::targetIn(const std::shared_ptr<runtime::Buffer> &buffer) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::BufferMapping> mapping, memory_.map(buffer));
  return Target{std::move(mapping), 0};
}

Result<Bindings::Target> Bindings::inputTarget(size_t index, uint64_t bytes, bool mayBePending) {
  const RequestArgument &argument = view_.input(index);
  DeviceBuffer *buffer = view_.bufferOf(argument);
  if (buffer == nullptr)
    return targetIn(std::get<PoolFile>(view_.pool(argument.location.poolIndex)), argument.location, bytes, PROT_READ);
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Buffer> memory,
                          buffer->read(view_.inputDimensions(index), mayBePending));
  return targetIn(memory);
}

Outcome Bindings::bindInput(JobSlot &slot, size_t number, size_t index, bool mayBePending, uint64_t bytes) {
  if (bytes != view_.inputBytes(index))
    return generalFailure(fmt::format("it has {} bytes, its program takes {}", view_.inputBytes(index), bytes));
  AVOCET_ASSIGN_OR_RETURN(Target target, inputTarget(index, bytes, mayBePending));
  if (target.mapping != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(bool isNew, slot.bindInput(number, std::move(target.mapping), target.offset));
    count(isNew);
    return success();
  }
  AVOCET_RETURN_IF_ERROR(slot.stageInput(number));
  staged_.push_back({index, number});
  return success();
}

Outcome Bindings::readInputs(JobSlot &slot) const {
  for (const StagedInput &input : staged_) {
    AVOCET_ASSIGN_OR_RETURN(std::span<uint8_t> bytes, slot.stageInput(input.number));
    client_.core().counters().hostBytesCopied += bytes.size();
    verbose(VerboseTag::Memory, "{} bytes copied from the client's memory", bytes.size());
    const DataLocation &location = view_.input(input.index).location;
    if (Outcome read = std::get<PoolFile>(view_.pool(location.poolIndex)).read(location.offset, bytes); !read)
      return inRequest("input", input.index, read.error());
  }
  return success();
}

/// Omitted inputs have no number in the program.
Outcome Bindings::bindInputs(JobSlot &slot, const Program &program, bool mayBePending) {
  size_t number = 0;
  for (size_t i = 0; i < view_.numInputs(); ++i) {
    if (view_.isInputOmitted(i))
      continue;
    uint64_t bytes = program.model().input(number).bytes;
    if (Outcome bound = bindInput(slot, number++, i, mayBePending, bytes); !bound)
      return inRequest("input", i, bound.error());
  }
  return success();
}

Result<Bindings::Target> Bindings::outputTarget(size_t index, uint64_t bytes, const OutputShape &shape) {
  const RequestArgument &argument = view_.output(index);
  if (argument.hasNoValue || !shape.isSufficient)
    return Target();
  DeviceBuffer *buffer = view_.bufferOf(argument);
  if (buffer == nullptr)
    return targetIn(std::get<PoolFile>(view_.pool(argument.location.poolIndex)), argument.location, bytes, PROT_WRITE);
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Buffer> memory, beginWrite(*buffer, shape.dimensions));
  return targetIn(memory);
}

Result<std::shared_ptr<runtime::Buffer>> Bindings::beginWrite(DeviceBuffer &buffer,
                                                              const std::vector<uint32_t> &dimensions) {
  written_.reserve(view_.numOutputs());
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Buffer> memory, buffer.beginWrite(dimensions));
  written_.push_back(&buffer);
  return memory;
}

/// A buffer whose extents the request gives is being written from now on: a run that reads it may be prepared.
Outcome Bindings::stageRows(JobSlot &slot, size_t index, const OutputShape &shape) {
  AVOCET_RETURN_IF_ERROR(slot.stageOutput(index));
  copiesOutputs_ = true;
  if (DeviceBuffer *buffer = view_.bufferOf(view_.output(index)); buffer != nullptr && shape.dimensions.front() != 0) {
    AVOCET_ASSIGN_OR_RETURN(begun_[index], beginWrite(*buffer, shape.dimensions));
  }
  return success();
}

Outcome Bindings::bindOutput(JobSlot &slot, size_t index, const OutputShape &shape, uint64_t bytes) {
  AVOCET_ASSIGN_OR_RETURN(Target target, outputTarget(index, bytes, shape));
  if (target.mapping == nullptr) {
    AVOCET_RETURN_IF_ERROR(slot.stageOutput(index));
    copiesOutputs_ |= !view_.isOutputOmitted(index);
    return success();
  }
  AVOCET_ASSIGN_OR_RETURN(bool isNew, slot.bindOutput(index, std::move(target.mapping), target.offset));
  count(isNew);
  return success();
}

Outcome Bindings::bindOutputs(JobSlot &slot, const Program &program, const std::vector<OutputShape> &shapes) {
  for (size_t i = 0; i < shapes.size(); ++i)
    if (Outcome bound = program.rows().of(i) ? stageRows(slot, i, shapes[i])
                                             : bindOutput(slot, i, shapes[i], program.model().output(i).bytes);
        !bound)
      return inRequest("output", i, bound.error());
  const size_t numStates = program.model().numStates();
  for (size_t i = shapes.size(); i < program.model().numOutputs() - numStates; ++i)
    AVOCET_RETURN_IF_ERROR(slot.stageOutput(i));
  return success();
}

/// Only outputs whose rows depend on data are staged for a buffer.
Outcome Bindings::copyOutput(size_t index, std::span<const uint8_t> bytes, const OutputShape &shape) {
  client_.core().counters().hostBytesCopied += bytes.size();
  verbose(VerboseTag::Memory, "{} bytes copied to the client's memory", bytes.size());
  DeviceBuffer *buffer = view_.bufferOf(view_.output(index));
  if (buffer == nullptr)
    return bytes.empty() ? success() : view_.writeOutput(index, bytes);
  std::shared_ptr<runtime::Buffer> &memory = begun_[index];
  if (memory == nullptr) {
    AVOCET_ASSIGN_OR_RETURN(memory, beginWrite(*buffer, shape.dimensions));
  }
  std::ranges::copy(bytes, memory->bytes().begin());
  return success();
}

/// Axis 0 is the outermost, so that the valid rows are the first bytes.
Outcome Bindings::finish(const JobSlot &slot, const Program &program, const std::vector<OutputShape> &shapes) {
  for (size_t i = 0; i < view_.numOutputs(); ++i) {
    std::span<const uint8_t> staged = slot.stagedOutput(i);
    if (staged.empty() || view_.isOutputOmitted(i))
      continue;
    if (program.rows().of(i))
      staged = staged.first(staged.size() / program.outputDimensions(i).front() * shapes[i].dimensions.front());
    AVOCET_RETURN_IF_ERROR(copyOutput(i, staged, shapes[i]));
  }
  AVOCET_RETURN_IF_ERROR(checkPools());
  settle(true);
  return success();
}

/// If a file shrank, the device read zeros from the lost part, and its writes there are lost.
Outcome Bindings::checkPools() {
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (pools_[i].mapped == nullptr)
      continue;
    if (Outcome intact = memory_.checkIntact(pools_[i].mapped, std::get<PoolFile>(view_.pool(i))); !intact) {
      if (pinned_ != nullptr)
        (*pinned_)[i] = nullptr; // to be mapped again
      return inRequest("pool", i, intact.error());
    }
  }
  return success();
}

void Bindings::settle(bool isSuccessful) {
  for (DeviceBuffer *buffer : written_)
    buffer->endWrite(isSuccessful);
  written_.clear();
}

} // namespace avocet::hal
