//===- BufferCopies.cpp - Buffers of a device, on another one -*- C++ -*---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/BufferCopies.h"

#include "avocet/hal/types/Utils.h"
#include "run/Value.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal::partition {

bool usesBuffer(const Request &request) {
  return std::ranges::any_of(request.pools,
                             [](const RequestPool &pool) { return std::holds_alternative<BufferToken>(pool); });
}

Outcome LastingBuffer::copyTo(const SharedMemory &memory) {
  const SharedMemory source = kept();
  if (source == nullptr)
    return buffer_->copyTo(memory);
  const uint64_t bytes = sizeOf(*source);
  if (memory == nullptr || sizeOf(*memory) != bytes)
    return invalidArgument(fmt::format("a memory of another size than the {} bytes of the buffer", bytes));
  Value value;
  value.pool = source;
  value.location = {0, 0, bytes, 0};
  Destination destination;
  destination.pool = memory;
  return partition::copyTo(destination, value);
}

Outcome LastingBuffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) {
  keep(nullptr); // a copy that fails leaves no value
  return buffer_->copyFrom(memory, dimensions);
}

void LastingBuffer::keep(SharedMemory memory) {
  std::scoped_lock lock(mutex_);
  kept_ = std::move(memory);
}

SharedMemory LastingBuffer::kept() const {
  std::scoped_lock lock(mutex_);
  return kept_;
}

void BufferTable::add(const std::shared_ptr<IDevice> &device, const std::shared_ptr<LastingBuffer> &buffer) {
  std::scoped_lock lock(mutex_);
  std::erase_if(buffers_, [](const auto &entry) { return entry.second.expired(); });
  buffers_[{device.get(), buffer->token()}] = buffer;
}

std::shared_ptr<LastingBuffer> BufferTable::find(const std::shared_ptr<IDevice> &device, BufferToken token) const {
  std::scoped_lock lock(mutex_);
  const auto found = buffers_.find({device.get(), token});
  return found != buffers_.end() ? found->second.lock() : nullptr;
}

namespace {

/// First guess for an output of unknown size. The device then states the size.
constexpr uint64_t kFirstBytes = 1024;

Result<SharedHandle> makeFile(uint64_t bytes) {
  auto file = createMemoryFile("avocet-buffer", bytes);
  if (!file)
    return fromStatus(file.status());
  return std::make_shared<const FileDescriptor>(std::move(file).value());
}

/// The first bytes of a file; a buffer accepts a memory of exactly the size of its value.
SharedMemory memoryOf(const SharedHandle &file, uint64_t bytes) {
  return std::make_shared<const Memory>(Memory{Ashmem{file, bytes}});
}

/// A request in which shared memory replaces the buffers.
class BufferCopies {
public:
  BufferCopies(const Model &model, const Request &request, const BufferFinder &find, bool isDeviceGone)
      : main_(model.main), request_(request), find_(find), isDeviceGone_(isDeviceGone) {}

  const Request &request() const { return request_; }

  /// Copies the inputs.
  Outcome begin() {
    for (uint32_t i = 0; i < request_.inputs.size(); ++i)
      AVOCET_RETURN_IF_ERROR(addInput(i));
    for (uint32_t i = 0; i < request_.outputs.size(); ++i)
      AVOCET_RETURN_IF_ERROR(addOutput(i));
    return success();
  }

  /// Makes room for outputs that were too small. False: no copy of a buffer was, or their sizes are not known.
  Result<bool> enlarge(const ExecutionOutcome &outcome) {
    bool hasChanged = false;
    for (auto &[index, copy] : copies_) {
      if (copy.isInput || copy.position >= outcome.outputShapes.size())
        continue;
      const OutputShape &shape = outcome.outputShapes[copy.position];
      const uint64_t bytes = getNonExtensionSize(outputOperand(copy.position).type, shape.dimensions).value_or(0);
      if (shape.isSufficient || bytes <= request_.outputs[copy.position].location.length)
        continue;
      AVOCET_RETURN_IF_ERROR(place(index, copy, request_.outputs[copy.position], bytes));
      hasChanged = true;
    }
    return hasChanged;
  }

  /// Copies the outputs of a successful execution.
  Outcome end(const ExecutionOutcome &outcome) {
    for (auto &[index, copy] : copies_)
      if (!copy.isInput)
        AVOCET_RETURN_IF_ERROR(writeBack(copy, outcome));
    return success();
  }

private:
  struct Copy {
    std::shared_ptr<LastingBuffer> buffer;
    SharedHandle file;
    bool isInput = true;
    uint32_t position = 0; ///< of the first argument in it; an output is alone in its buffer
  };

  const Operand &inputOperand(uint32_t position) const { return main_.operands[main_.inputIndexes[position]]; }
  const Operand &outputOperand(uint32_t position) const { return main_.operands[main_.outputIndexes[position]]; }

  static const std::vector<uint32_t> &dimensionsOf(const RequestArgument &argument, const Operand &operand) {
    return argument.dimensions.empty() ? operand.dimensions : argument.dimensions;
  }

  /// The pool of a new file for the argument.
  Outcome place(uint32_t pool, Copy &copy, RequestArgument &argument, uint64_t bytes) {
    AVOCET_ASSIGN_OR_RETURN(copy.file, makeFile(bytes));
    request_.pools[pool] = memoryOf(copy.file, bytes);
    argument.location = {pool, 0, bytes, 0};
    return success();
  }

  Result<Copy> findCopy(uint32_t position, bool isInput, BufferToken token) const {
    Copy copy{find_(position, isInput, token), nullptr, isInput, position};
    if (copy.buffer == nullptr)
      return generalFailure(
          fmt::format("the buffer of {} {} is not known any more", isInput ? "input" : "output", position));
    return copy;
  }

  Outcome addInput(uint32_t position) {
    RequestArgument &argument = request_.inputs[position];
    if (argument.hasNoValue)
      return success();
    const uint32_t pool = argument.location.poolIndex;
    const uint64_t bytes =
        getNonExtensionSize(inputOperand(position).type, dimensionsOf(argument, inputOperand(position))).value_or(0);
    if (copies_.contains(pool)) // read twice
      argument.location.length = bytes;
    const auto *token = std::get_if<BufferToken>(&request_.pools[pool]);
    if (token == nullptr)
      return success();
    if (bytes == 0)
      return generalFailure(fmt::format("the size of input {} in a buffer is not known", position));
    AVOCET_ASSIGN_OR_RETURN(Copy copy, findCopy(position, true, *token));
    if (isDeviceGone_ && copy.buffer->kept() == nullptr)
      return generalFailure(fmt::format("the value of input {} is lost with the memory of the device", position));
    AVOCET_RETURN_IF_ERROR(place(pool, copy, argument, bytes));
    AVOCET_RETURN_IF_ERROR(copy.buffer->copyTo(memoryOf(copy.file, bytes)));
    copies_.emplace(pool, std::move(copy));
    return success();
  }

  Outcome addOutput(uint32_t position) {
    RequestArgument &argument = request_.outputs[position];
    if (argument.hasNoValue)
      return success();
    const uint32_t pool = argument.location.poolIndex;
    const auto *token = std::get_if<BufferToken>(&request_.pools[pool]);
    if (token == nullptr)
      return success();
    const uint64_t known =
        getNonExtensionSize(outputOperand(position).type, dimensionsOf(argument, outputOperand(position))).value_or(0);
    AVOCET_ASSIGN_OR_RETURN(Copy copy, findCopy(position, false, *token));
    AVOCET_RETURN_IF_ERROR(place(pool, copy, argument, known != 0 ? known : kFirstBytes));
    copies_.emplace(pool, std::move(copy));
    return success();
  }

  Outcome writeBack(const Copy &copy, const ExecutionOutcome &outcome) const {
    const Operand &operand = outputOperand(copy.position);
    const std::vector<uint32_t> &dimensions = copy.position < outcome.outputShapes.size()
                                                  ? outcome.outputShapes[copy.position].dimensions
                                                  : dimensionsOf(request_.outputs[copy.position], operand);
    const uint64_t bytes = getNonExtensionSize(operand.type, dimensions).value_or(0);
    if (!isDeviceGone_)
      return copy.buffer->copyFrom(memoryOf(copy.file, bytes), dimensions);
    copy.buffer->keep(memoryOf(copy.file, bytes));
    return success();
  }

  const Subgraph &main_;
  Request request_;
  const BufferFinder &find_;
  const bool isDeviceGone_;
  std::map<uint32_t, Copy> copies_; ///< by pool
};

ExecutionOutcome failedCopy(const Error &error) {
  return {ErrorStatus::GeneralFailure, "a buffer of the device cannot be copied: " + error.message, {}, {}};
}

} // namespace

ExecutionOutcome executeWithCopies(IPreparedModel &prepared, const Model &model, const Request &request,
                                   const ExecutionOptions &options, const BufferFinder &find, ErrorStatus failure) {
  if (!usesBuffer(request))
    return prepared.execute(request, options);
  BufferCopies copies(model, request, find, failure == ErrorStatus::DeadObject);
  if (Outcome begun = copies.begin(); !begun)
    return failedCopy(begun.error());
  ExecutionOutcome outcome = prepared.execute(copies.request(), options);
  while (outcome.status == ErrorStatus::OutputInsufficientSize) {
    const Result<bool> hasChanged = copies.enlarge(outcome);
    if (!hasChanged)
      return failedCopy(hasChanged.error());
    if (!*hasChanged)
      return outcome;
    outcome = prepared.execute(copies.request(), options);
  }
  if (!outcome.isOk())
    return outcome;
  if (Outcome ended = copies.end(outcome); !ended)
    return failedCopy(ended.error());
  return outcome;
}

void forgetKept(const Request &request, const BufferFinder &find) {
  for (uint32_t i = 0; i < request.outputs.size(); ++i) {
    const RequestArgument &argument = request.outputs[i];
    const auto *token =
        argument.hasNoValue ? nullptr : std::get_if<BufferToken>(&request.pools[argument.location.poolIndex]);
    if (const auto buffer = token != nullptr ? find(i, false, *token) : nullptr)
      buffer->keep(nullptr);
  }
}

} // namespace avocet::hal::partition
