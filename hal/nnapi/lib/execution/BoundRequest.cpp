//===- BoundRequest.cpp - A request of the HAL and its memory -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/BoundRequest.h"

#include "avocet/base/Rounding.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"

#include "telemetry/Counters.h"

#include <algorithm>
#include <cstring>

namespace avocet::nnapi {
namespace {

uint64_t pointerBytes(const std::vector<Argument> &arguments, uint64_t alignment) {
  uint64_t bytes = 0;
  for (const Argument &argument : arguments)
    if (argument.kind == Argument::Kind::Pointer)
      bytes += roundUp(argument.place.length, alignment);
  return bytes;
}

} // namespace

ApiResult<std::unique_ptr<BoundRequest>> BoundRequest::bind(const Arguments &arguments,
                                                            const Compilation &compilation) {
  std::unique_ptr<BoundRequest> made(new BoundRequest(arguments, compilation));
  const uint64_t alignment = compilation.memoryPreference().alignment;
  if (const uint64_t bytes = pointerBytes(arguments.inputs(), alignment) + pointerBytes(arguments.outputs(), alignment);
      bytes != 0) {
    AVOCET_ASSIGN_OR_RETURN(made->area_, compilation.areas().take(bytes));
    hal::verbose(hal::VerboseTag::Memory, "{} bytes of shared memory for values at pointers", bytes);
  }
  made->addMemories(arguments.inputs());
  made->addMemories(arguments.outputs());
  if (made->area_ != nullptr)
    made->request_.pools.push_back(made->area_->area.memory());
  uint64_t nextOffset = 0;
  made->request_.inputs = made->requestArguments(arguments.inputs(), nextOffset);
  made->request_.outputs = made->requestArguments(arguments.outputs(), nextOffset);
  // Devices demand all extents of an input.
  for (size_t i = 0; i < arguments.inputs().size(); ++i)
    if (arguments.inputs()[i].isOpen())
      made->request_.inputs[i].dimensions = arguments.inputs()[i].place.memory->dimensions();
  return made;
}

BoundRequest::~BoundRequest() {
  if (area_ != nullptr)
    compilation_.areas().giveBack(std::move(area_));
}

void BoundRequest::addMemories(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments)
    if (argument.kind == Argument::Kind::Memory &&
        std::ranges::find(memories_, argument.place.memory) == memories_.end()) {
      memories_.push_back(argument.place.memory);
      request_.pools.push_back(argument.place.memory->pool());
    }
}

/// `nextOffset`: the first free byte of the area.
hal::DataLocation BoundRequest::locate(const Argument &argument, uint64_t &nextOffset) const {
  const ValuePlace &place = argument.place;
  hal::DataLocation location;
  location.length = argument.valueBytes != 0 ? argument.valueBytes : place.length;
  if (argument.kind == Argument::Kind::Pointer) {
    location.poolIndex = static_cast<uint32_t>(memories_.size());
    location.offset = nextOffset;
    location.padding = place.length - location.length;
    nextOffset += roundUp(place.length, compilation_.memoryPreference().alignment);
    return location;
  }
  location.poolIndex = static_cast<uint32_t>(std::ranges::find(memories_, place.memory) - memories_.begin());
  if (std::holds_alternative<hal::BufferToken>(request_.pools[location.poolIndex]))
    return {location.poolIndex, 0, 0, 0};
  const uint64_t available = place.length != 0 ? place.length : place.memory->size();
  location.offset = place.offset;
  location.length = argument.valueBytes != 0 ? argument.valueBytes : available;
  location.padding = available - location.length;
  return location;
}

std::vector<hal::RequestArgument> BoundRequest::requestArguments(const std::vector<Argument> &from,
                                                                 uint64_t &nextOffset) const {
  std::vector<hal::RequestArgument> made;
  for (const Argument &argument : from) {
    hal::RequestArgument &next = made.emplace_back();
    next.hasNoValue = argument.kind == Argument::Kind::Omitted;
    if (next.hasNoValue)
      continue;
    next.location = locate(argument, nextOffset);
    next.dimensions = argument.dimensions;
  }
  return made;
}

std::vector<int64_t> BoundRequest::identifiersFor(const std::shared_ptr<hal::IBurst> &burst) const {
  std::vector<int64_t> identifiers;
  auto add = [&](MemoryIdentity &identity) {
    identity.noteUse(burst);
    identifiers.push_back(identity.number());
  };
  for (const std::shared_ptr<Memory> &memory : memories_)
    add(memory->identity());
  if (area_ != nullptr)
    add(area_->identity);
  return identifiers;
}

bool BoundRequest::hasPointerOutputs() const {
  return std::ranges::any_of(arguments_.outputs(),
                             [](const Argument &output) { return output.kind == Argument::Kind::Pointer; });
}

void BoundRequest::copyIn() {
  hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::InputsAndOutputs, "copy inputs");
  for (size_t i = 0; i < arguments_.inputs().size(); ++i) {
    const Argument &input = arguments_.inputs()[i];
    if (input.kind != Argument::Kind::Pointer)
      continue;
    std::memcpy(area_->area.bytes().data() + request_.inputs[i].location.offset, input.place.pointer,
                input.place.length);
    Counters::instance().copiedBytes += input.place.length;
  }
}

/// How many bytes of an output were written.
uint64_t BoundRequest::outputBytes(size_t index, const hal::ExecutionOutcome &outcome) const {
  const uint64_t length = request_.outputs[index].location.length;
  if (index >= outcome.outputShapes.size())
    return length;
  const hal::Subgraph &main = compilation_.model().main;
  const hal::Operand &operand = main.operands[main.outputIndexes[index]];
  auto bytes = hal::getNonExtensionSize(operand.type, outcome.outputShapes[index].dimensions);
  return std::min(length, bytes.value_or(length));
}

void BoundRequest::copyOut(const hal::ExecutionOutcome &outcome) {
  hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::InputsAndOutputs, "copy outputs");
  for (size_t i = 0; i < arguments_.outputs().size(); ++i) {
    const Argument &output = arguments_.outputs()[i];
    if (output.kind == Argument::Kind::Pointer && outcome.isOk())
      copyOutput(i, outputBytes(i, outcome));
    if (output.kind == Argument::Kind::Memory)
      output.place.memory->noteWritten(outcome.isOk(), i < outcome.outputShapes.size()
                                                           ? outcome.outputShapes[i].dimensions
                                                           : std::vector<uint32_t>());
  }
}

void BoundRequest::copyOutput(size_t index, uint64_t bytes) {
  std::memcpy(const_cast<void *>(arguments_.outputs()[index].place.pointer),
              area_->area.bytes().data() + request_.outputs[index].location.offset, bytes);
  Counters::instance().copiedBytes += bytes;
}

} // namespace avocet::nnapi
