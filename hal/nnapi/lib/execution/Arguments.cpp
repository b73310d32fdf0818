//===- Arguments.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Arguments.h"

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::nnapi {

Arguments::Arguments(const Compilation &compilation)
    : compilation_(compilation), inputs_(compilation.model().main.inputIndexes.size()),
      outputs_(compilation.model().main.outputIndexes.size()) {}

ApiOutcome Arguments::setPadding(bool enable) {
  if (isAnySet_)
    return badState("padding must be enabled before the first input and output is set");
  mayPad_ = enable;
  return success();
}

ApiResult<Argument *> Arguments::find(bool isOutput, int32_t index) {
  std::vector<Argument> &list = isOutput ? outputs_ : inputs_;
  if (index < 0 || static_cast<size_t>(index) >= list.size())
    return badData(fmt::format("{} {} of a model with {}", isOutput ? "output" : "input", index, list.size()));
  Argument &argument = list[static_cast<size_t>(index)];
  if (argument.kind != Argument::Kind::Unset)
    return badState(fmt::format("{} {} is set already", isOutput ? "output" : "input", index));
  return &argument;
}

/// The extents known of the value: those of the model, completed by those given with it.
ApiResult<std::vector<uint32_t>> Arguments::dimensionsOf(const hal::Operand &operand,
                                                         const ANeuralNetworksOperandType *type) const {
  if (type == nullptr)
    return operand.dimensions;
  if (type->dimensionCount != 0 && type->dimensions == nullptr)
    return unexpectedNull(fmt::format("the list of {} dimensions is null", type->dimensionCount));
  const std::span<const uint32_t> given(type->dimensions, type->dimensionCount);
  if (hal::isScalar(operand.type) && !given.empty())
    return badData(fmt::format("{} dimensions of a scalar", given.size()));
  auto both = hal::combineDimensions(operand.dimensions, given);
  if (!both.has_value())
    return badData(fmt::format("extents {} contradict those of the model, {}", hal::toString(given),
                               hal::toString(operand.dimensions)));
  return std::move(*both);
}

ApiOutcome Arguments::checkLength(const ValuePlace &place, uint64_t valueBytes) const {
  const bool isWholeMemory = place.memory != nullptr && place.offset == 0 && place.length == 0;
  if (valueBytes == 0 || isWholeMemory || place.length == valueBytes || (mayPad_ && place.length > valueBytes))
    return success();
  return badData(fmt::format("{} bytes for a value of {} bytes{}", place.length, valueBytes,
                             place.length > valueBytes ? "; enableInputAndOutputPadding() allows more" : ""));
}

ApiOutcome Arguments::set(bool isOutput, int32_t index, const ANeuralNetworksOperandType *type, ValuePlace place) {
  AVOCET_ASSIGN_OR_RETURN(Argument * argument, find(isOutput, index));
  if (place.memory == nullptr && (place.pointer == nullptr) != (place.length == 0))
    return badData(fmt::format("{} bytes at {} pointer; an omitted value has a null pointer and 0 bytes", place.length,
                               place.pointer == nullptr ? "a null" : "a"));
  const hal::Subgraph &main = compilation_.model().main;
  const auto position = static_cast<size_t>(index);
  const hal::Operand &operand = main.operands[(isOutput ? main.outputIndexes : main.inputIndexes)[position]];
  Argument made;
  if (place.memory == nullptr && place.pointer == nullptr) {
    made.kind = Argument::Kind::Omitted;
  } else {
    AVOCET_ASSIGN_OR_RETURN(std::vector<uint32_t> dimensions, dimensionsOf(operand, type));
    made.kind = place.memory != nullptr ? Argument::Kind::Memory : Argument::Kind::Pointer;
    made.valueBytes = hal::getNonExtensionSize(operand.type, dimensions).value_or(0);
    if (!isOutput && made.valueBytes == 0 && hal::findOperandType(operand.type) != nullptr && place.memory == nullptr)
      return badData(
          fmt::format("input {} of extents {}: an input needs all of them", index, hal::toString(dimensions)));
    AVOCET_RETURN_IF_ERROR(checkLength(place, made.valueBytes));
    if (place.memory != nullptr)
      AVOCET_RETURN_IF_ERROR(
          place.memory->checkUse({&compilation_, isOutput, static_cast<uint32_t>(index)}, place.offset, place.length));
    if (type != nullptr && type->dimensionCount != 0)
      made.dimensions = std::move(dimensions);
    made.place = std::move(place);
  }
  *argument = std::move(made);
  isAnySet_ = true;
  return success();
}

ApiOutcome Arguments::checkComplete() const {
  auto isUnset = [](const Argument &argument) { return argument.kind == Argument::Kind::Unset; };
  if (auto input = std::ranges::find_if(inputs_, isUnset); input != inputs_.end())
    return badData(fmt::format("input {} is not set", input - inputs_.begin()));
  if (auto output = std::ranges::find_if(outputs_, isUnset); output != outputs_.end())
    return badData(fmt::format("output {} is not set", output - outputs_.begin()));
  return success();
}

ApiOutcome Arguments::checkOutputsSpecified() const {
  auto isUnknown = [](const Argument &argument) {
    return argument.kind != Argument::Kind::Omitted && argument.valueBytes == 0;
  };
  if (auto output = std::ranges::find_if(outputs_, isUnknown); output != outputs_.end())
    return badData(
        fmt::format("the size of output {} is not known, which a fenced execution needs", output - outputs_.begin()));
  return success();
}

} // namespace avocet::nnapi
