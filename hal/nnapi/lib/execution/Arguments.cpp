//===- Arguments.cpp - Inputs and outputs of an execution -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Arguments.h"

#include "avocet/hal/types/Utils.h"
#include "model/OperandChecks.h"

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
  AVOCET_ASSIGN_OR_RETURN(hal::Operand given, operandOf(*type));
  if (hal::isScalar(operand.type) && !given.dimensions.empty())
    return badData(fmt::format("{} dimensions of a scalar", given.dimensions.size()));
  auto both = hal::combineDimensions(operand.dimensions, given.dimensions);
  if (!both.has_value())
    return badData(fmt::format("extents {} contradict those of the model, {}", hal::toString(given.dimensions),
                               hal::toString(operand.dimensions)));
  return std::move(*both);
}

/// 0: not known before the execution, or of a type of which no device states the size.
ApiResult<uint64_t> Arguments::valueBytes(const hal::Operand &operand, const std::vector<uint32_t> &dimensions) const {
  auto bytes = valueSize(operand.type, dimensions);
  if (bytes.has_value())
    return *bytes;
  if (hal::findOperandType(operand.type) == nullptr)
    return 0;
  return badData(
      fmt::format("a tensor of extents {} has more than {} bytes", hal::toString(dimensions), hal::kMaxByteSize));
}

ApiOutcome Arguments::checkLength(const ValuePlace &place, uint64_t valueBytes) const {
  if (place.length > hal::kMaxByteSize)
    return badData(fmt::format("{} bytes; at most {} are allowed", place.length, hal::kMaxByteSize));
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
    AVOCET_ASSIGN_OR_RETURN(made.valueBytes, valueBytes(operand, dimensions));
    const bool isDescribed = place.memory != nullptr && place.memory->isDescribed();
    if (!isOutput && made.valueBytes == 0 && hal::findOperandType(operand.type) != nullptr && !isDescribed)
      return badData(
          fmt::format("input {} of extents {}: an input needs all of them", index, hal::toString(dimensions)));
    AVOCET_RETURN_IF_ERROR(checkLength(place, made.valueBytes));
    if (place.memory != nullptr)
      AVOCET_RETURN_IF_ERROR(place.memory->checkUse({compilation_.number(), isOutput, static_cast<uint32_t>(index)},
                                                    dimensions, place.offset, place.length));
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

ApiOutcome Arguments::checkReadable() const {
  for (const Argument &input : inputs_)
    if (input.kind == Argument::Kind::Memory)
      AVOCET_RETURN_IF_ERROR(input.place.memory->checkWritten());
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
