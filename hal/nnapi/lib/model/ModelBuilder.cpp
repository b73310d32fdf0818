//===- ModelBuilder.cpp - A model that is being built ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ModelBuilder.h"

#include "avocet/base/File.h"
#include "avocet/base/Rounding.h"
#include "avocet/hal/types/GraphDump.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "memory/Memory.h"
#include "model/ExtensionPrefixes.h"
#include "model/FinishedModel.h"
#include "model/OperandChecks.h"
#include "model/Simplification.h"
#include "telemetry/Counters.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::nnapi {
namespace {

using hal::OperandLifeTime;

bool isControlFlow(hal::OperationType type) {
  return type == hal::OperationType::If || type == hal::OperationType::While;
}

void append(std::vector<uint8_t> &bytes, const void *data, size_t length) {
  const auto *first = static_cast<const uint8_t *>(data);
  bytes.insert(bytes.end(), first, first + length);
}

/// Offsets of values, so that the device may use them in place.
constexpr uint64_t kValueAlignment = 64;

} // namespace

ApiOutcome ModelBuilder::checkOpen() const {
  return isClosed_ ? ApiOutcome(badState("the model is finished")) : success();
}

ApiResult<hal::Operand *> ModelBuilder::operandAt(int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= model_.main.operands.size())
    return badData(fmt::format("operand {} of a model with {} operands", index, model_.main.operands.size()));
  return &model_.main.operands[static_cast<size_t>(index)];
}

ApiOutcome ModelBuilder::addOperand(const ANeuralNetworksOperandType &type) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (model_.main.operands.size() >= hal::kMaxCount)
    return badData(fmt::format("more than {} operands", hal::kMaxCount));
  AVOCET_ASSIGN_OR_RETURN(hal::Operand operand, operandOf(type));
  model_.main.operands.push_back(std::move(operand));
  return success();
}

/// The operand, if it may hold a constant of this many bytes.
ApiResult<hal::Operand *> ModelBuilder::valueOperandAt(int32_t index, size_t length) {
  AVOCET_ASSIGN_OR_RETURN(hal::Operand * operand, operandAt(index));
  if (length > hal::kMaxByteSize)
    return badData(fmt::format("a value of {} bytes; at most {} are allowed", length, hal::kMaxByteSize));
  if (operand->type == hal::OperandType::Subgraph)
    return badData(fmt::format("operand {} is a model, which has no bytes", index));
  if (hal::findOperandType(operand->type) == nullptr)
    return operand;
  const uint64_t needed = hal::getNonExtensionSize(*operand).value_or(0);
  if (needed == 0)
    return badData(fmt::format("operand {} of extents {} cannot be a constant: its size is not known", index,
                               hal::toString(operand->dimensions)));
  if (needed != length)
    return badData(fmt::format("{} bytes for operand {}, which has {}", length, index, needed));
  return operand;
}

ApiOutcome ModelBuilder::setValue(int32_t index, const void *buffer, size_t length) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (buffer == nullptr) {
    if (length != 0)
      return unexpectedNull(fmt::format("{} bytes at a null pointer", length));
    AVOCET_ASSIGN_OR_RETURN(hal::Operand * omitted, operandAt(index));
    omitted->lifetime = OperandLifeTime::NoValue;
    omitted->location = {};
    largeValues_.erase(static_cast<uint32_t>(index));
    return success();
  }
  AVOCET_ASSIGN_OR_RETURN(hal::Operand * operand, valueOperandAt(index, length));
  largeValues_.erase(static_cast<uint32_t>(index));
  if (length > ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES) {
    largeValues_[static_cast<uint32_t>(index)] = {static_cast<const uint8_t *>(buffer), length};
    operand->lifetime = OperandLifeTime::ConstantReference;
    return success();
  }
  std::vector<uint8_t> &values = model_.operandValues;
  values.resize(roundUp(values.size(), alignof(std::max_align_t)));
  operand->lifetime = OperandLifeTime::ConstantCopy;
  operand->location = {0, values.size(), length, 0};
  append(values, buffer, length);
  return success();
}

uint32_t ModelBuilder::poolOf(const std::shared_ptr<Memory> &memory) {
  auto place = std::ranges::find(model_.pools, memory->shared());
  if (place == model_.pools.end())
    place = model_.pools.insert(place, memory->shared());
  return static_cast<uint32_t>(place - model_.pools.begin());
}

ApiOutcome ModelBuilder::setValueFromMemory(int32_t index, const std::shared_ptr<Memory> &memory, size_t offset,
                                            size_t length) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  AVOCET_ASSIGN_OR_RETURN(hal::Operand * operand, valueOperandAt(index, length));
  AVOCET_RETURN_IF_ERROR(memory->checkConstant(offset, length));
  largeValues_.erase(static_cast<uint32_t>(index));
  operand->lifetime = OperandLifeTime::ConstantReference;
  operand->location = {poolOf(memory), offset, length, 0};
  return success();
}

ApiOutcome ModelBuilder::setValueFromModel(int32_t index, const ModelBuilder &value) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (&value == this || value.finished() == nullptr)
    return badState("the model that is to be a value is not finished, or not valid");
  if (!value.finished()->undefined.empty())
    return badData("the model that is to be a value has operations that NNAPI does not define");
  AVOCET_ASSIGN_OR_RETURN(hal::Operand * operand, operandAt(index));
  if (operand->type != hal::OperandType::Subgraph)
    return badData(fmt::format("operand {} has type {}, not MODEL", index, hal::toString(operand->type)));
  operand->lifetime = OperandLifeTime::Subgraph;
  subgraphs_[static_cast<uint32_t>(index)] = value.finished();
  return success();
}

ApiOutcome ModelBuilder::setChannelQuantization(int32_t index,
                                                const ANeuralNetworksSymmPerChannelQuantParams &parameters) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  AVOCET_ASSIGN_OR_RETURN(hal::Operand * operand, operandAt(index));
  AVOCET_ASSIGN_OR_RETURN(operand->extraParams, channelParametersOf(*operand, parameters));
  return success();
}

ApiOutcome ModelBuilder::setExtensionData(int32_t index, const void *data, size_t length) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  AVOCET_ASSIGN_OR_RETURN(hal::Operand * operand, operandAt(index));
  if (data == nullptr && length != 0)
    return unexpectedNull(fmt::format("{} bytes of extension data at a null pointer", length));
  if (data != nullptr && length == 0)
    return badData("no bytes of extension data at a pointer; none is a null pointer");
  if (!hal::isExtension(operand->type))
    return badData(
        fmt::format("operand {} has type {}, which is of no extension", index, hal::toString(operand->type)));
  if (data == nullptr) {
    operand->extraParams = std::monostate();
    return success();
  }
  const auto *bytes = static_cast<const uint8_t *>(data);
  operand->extraParams = std::vector<uint8_t>(bytes, bytes + length);
  return success();
}

ApiOutcome ModelBuilder::checkIndices(std::span<const uint32_t> indices) const {
  for (uint32_t index : indices)
    if (index >= model_.main.operands.size())
      return badData(fmt::format("operand {} of a model with {} operands", index, model_.main.operands.size()));
  return success();
}

ApiOutcome ModelBuilder::addOperation(int32_t type, std::span<const uint32_t> inputs,
                                      std::span<const uint32_t> outputs) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  if (model_.main.operations.size() >= hal::kMaxCount)
    return badData(fmt::format("more than {} operations", hal::kMaxCount));
  AVOCET_RETURN_IF_ERROR(checkIndices(inputs));
  AVOCET_RETURN_IF_ERROR(checkIndices(outputs));
  hal::Operation operation{
      static_cast<hal::OperationType>(type), {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}};
  if (const hal::OperationSignature *signature = hal::findSignature(operation.type)) {
    // Branches and bodies may be given later, so finish() checks control flow.
    if (!isControlFlow(operation.type) && !isToleratedThoughUndefined(model_.main, operation))
      if (auto needed = hal::checkSignature(*signature, hal::OperationView(model_, model_.main, operation)); !needed)
        return badData(fmt::format("{}: {}", signature->name(), needed.error().message));
  } else if (operation.type != hal::kOemOperation &&
             (!hal::isExtension(operation.type) || !isKnownPrefix(hal::extensionPrefix(operation.type)))) {
    return badData(fmt::format("operation {} is unknown", type));
  }
  model_.main.operations.push_back(std::move(operation));
  return success();
}

ApiOutcome ModelBuilder::setLifetimes(std::span<const uint32_t> indices, OperandLifeTime lifetime) {
  for (uint32_t index : indices) {
    hal::Operand &operand = model_.main.operands[index];
    if (operand.lifetime == OperandLifeTime::SubgraphInput || operand.lifetime == OperandLifeTime::SubgraphOutput)
      return badData(fmt::format("operand {} is an input or output twice", index));
    if (operand.lifetime != OperandLifeTime::TemporaryVariable)
      return badData(fmt::format("operand {} is a constant, and so no input or output", index));
    operand.lifetime = lifetime;
  }
  return success();
}

ApiOutcome ModelBuilder::setInputsAndOutputs(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  AVOCET_RETURN_IF_ERROR(checkIndices(inputs));
  AVOCET_RETURN_IF_ERROR(checkIndices(outputs));
  const std::vector<hal::Operand> before = model_.main.operands;
  for (hal::Operand &operand : model_.main.operands)
    if (operand.lifetime == OperandLifeTime::SubgraphInput || operand.lifetime == OperandLifeTime::SubgraphOutput)
      operand.lifetime = OperandLifeTime::TemporaryVariable;
  ApiOutcome outcome = setLifetimes(inputs, OperandLifeTime::SubgraphInput);
  if (outcome.isOk())
    outcome = setLifetimes(outputs, OperandLifeTime::SubgraphOutput);
  if (!outcome.isOk()) {
    model_.main.operands = before;
    return outcome;
  }
  model_.main.inputIndexes.assign(inputs.begin(), inputs.end());
  model_.main.outputIndexes.assign(outputs.begin(), outputs.end());
  hasInputsAndOutputs_ = true;
  return success();
}

ApiOutcome ModelBuilder::relax(bool allow) {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  model_.relaxComputationFloat32toFloat16 = allow;
  return success();
}

ApiResult<int32_t> ModelBuilder::extensionCode(const std::string &extension, uint16_t code) const {
  AVOCET_ASSIGN_OR_RETURN(uint16_t prefix, prefixOf(extension));
  return static_cast<int32_t>(uint32_t{prefix} << 16 | code);
}

/// The application may change large values after finish(), so they move to one pool.
ApiOutcome ModelBuilder::copyLargeValues() {
  uint64_t size = 0;
  for (const auto &[index, value] : largeValues_)
    size = roundUp(size, kValueAlignment) + value.size();
  if (size == 0)
    return success();
  auto file = createMemoryFile("nnapi-constants", size);
  if (!file)
    return ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, file.error().message()};
  const auto pool = static_cast<uint32_t>(model_.pools.size());
  uint64_t offset = 0;
  for (const auto &[index, value] : largeValues_) {
    // Writing through a mapping takes twice as long, since each new page is cleared first and faults.
    if (Status written = writeAt(*file, offset, value, "the memory of constants"); !written.isOk())
      return ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, written.message()};
    model_.main.operands[index].location = {pool, offset, value.size(), 0};
    offset = roundUp(offset + value.size(), kValueAlignment);
  }
  auto handle = std::make_shared<const FileDescriptor>(std::move(*file));
  model_.pools.push_back(std::make_shared<const hal::Memory>(hal::Memory{hal::Ashmem{std::move(handle), size}}));
  largeValues_.clear();
  return success();
}

void ModelBuilder::mergeSubgraphs() {
  SubgraphMerger merger(model_);
  for (const auto &[index, part] : subgraphs_)
    model_.main.operands[index].location = {0, merger.add(*part), 0, 0};
}

std::vector<uint32_t> ModelBuilder::undefinedOperations() const {
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < model_.main.operations.size(); ++i)
    if (isToleratedThoughUndefined(model_.main, model_.main.operations[i]))
      positions.push_back(i);
  return positions;
}

ApiOutcome ModelBuilder::complete() {
  if (!hasInputsAndOutputs_)
    return badData("the model has no inputs and outputs");
  AVOCET_RETURN_IF_ERROR(copyLargeValues());
  mergeSubgraphs();
  model_.extensionNameToPrefix = usedExtensions(model_);
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint32_t> order, sortIntoRunOrder(model_.main));
  std::vector<uint32_t> undefined = undefinedOperations();
  if (undefined.size() < order.size())
    if (auto version = hal::validate(undefined.empty() ? model_ : withoutOperations(model_, undefined)); !version)
      return fromHal(version.error());
  simplify(model_);
  finished_ = std::make_shared<const FinishedModel>(std::move(model_), std::move(order), std::move(undefined));
  ++Counters::instance().models;
  const hal::Subgraph &main = finished_->model.main;
  hal::verbose(hal::VerboseTag::Model,
               "finished a model of {} operations, {} operands, {} inputs, {} outputs, {} subgraphs",
               main.operations.size(), main.operands.size(), main.inputIndexes.size(), main.outputIndexes.size(),
               finished_->model.referenced.size());
  if (hal::isVerbose(hal::VerboseTag::Model))
    hal::writeVerbose(hal::VerboseTag::Model, "graph:\n" + hal::graphDump("model", finished_->model));
  return success();
}

ApiOutcome ModelBuilder::finish() {
  AVOCET_RETURN_IF_ERROR(checkOpen());
  isClosed_ = true;
  ApiOutcome outcome = complete();
  model_ = {};
  subgraphs_.clear();
  largeValues_.clear();
  return outcome;
}

} // namespace avocet::nnapi
