//===- ModelBuilder.cpp - Models of the C library -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

namespace avocet::hal::capi {
namespace {

/// Codes above this one have an extension's prefix in their upper half.
constexpr uint32_t kMaxPlainCode = 0xffff;
constexpr int kPrefixShift = 16;
/// More branches and bodies within each other than any model has.
constexpr size_t kMaxNesting = 64;

bool isWithin(const DataLocation &location, uint64_t size) {
  return location.offset <= size && location.length <= size - location.offset;
}

/// Builds the subgraphs of one model, each when an operand refers to it.
class ModelBuilder {
public:
  ModelBuilder(const Api &api, const Model &model) : api_(api), table_(*api.table), model_(model) {}
  Result<BuiltModel> build();

private:
  Outcome makePools();
  Result<OwnedModel> buildGraph(const Subgraph &graph);
  Outcome addOperand(ANeuralNetworksModel *made, int32_t index, const Operand &operand);
  Outcome addType(ANeuralNetworksModel *made, const Operand &operand);
  Outcome addExtraParams(ANeuralNetworksModel *made, int32_t index, const Operand &operand);
  Outcome addValue(ANeuralNetworksModel *made, int32_t index, const Operand &operand);
  Outcome addCopiedValue(ANeuralNetworksModel *made, int32_t index, const DataLocation &location);
  Outcome addReferencedValue(ANeuralNetworksModel *made, int32_t index, const DataLocation &location);
  Outcome addSubgraph(ANeuralNetworksModel *made, int32_t index, uint64_t subgraph);
  Outcome addOperation(ANeuralNetworksModel *made, const Operation &operation);
  Result<const char *> extensionOf(uint32_t code) const;
  Result<int32_t> operandCode(ANeuralNetworksModel *made, OperandType type) const;
  Result<ANeuralNetworksOperationType> operationCode(ANeuralNetworksModel *made, OperationType type) const;

  const Api &api_;
  const NnApiSLDriverImplFL7 &table_;
  const Model &model_;
  BuiltModel built_{{}, {}, {nullptr, nullptr}};
  std::vector<bool> isOpen_; ///< by subgraph: it is being built, or is built
  size_t nesting_ = 0;
};

Outcome ModelBuilder::makePools() {
  for (const SharedMemory &pool : model_.pools) {
    if (!pool)
      return invalidArgument("a pool of the model is null");
    AVOCET_ASSIGN_OR_RETURN(OwnedMemory memory, makeMemory(api_, *pool, PROT_READ));
    built_.pools.push_back(std::move(memory));
  }
  return success();
}

Result<const char *> ModelBuilder::extensionOf(uint32_t code) const {
  const auto found = std::ranges::find(model_.extensionNameToPrefix, static_cast<uint16_t>(code >> kPrefixShift),
                                       &ExtensionNameAndPrefix::prefix);
  if (found == model_.extensionNameToPrefix.end())
    return invalidArgument(fmt::format("code {:#x} has a prefix that the model does not name", code));
  return found->name.c_str();
}

Result<int32_t> ModelBuilder::operandCode(ANeuralNetworksModel *made, OperandType type) const {
  const auto code = static_cast<uint32_t>(type);
  if (code <= kMaxPlainCode)
    return static_cast<int32_t>(code);
  AVOCET_ASSIGN_OR_RETURN(const char *name, extensionOf(code));
  int32_t own = 0;
  AVOCET_RETURN_IF_ERROR(
      check(table_.ANeuralNetworksModel_getExtensionOperandType(made, name, static_cast<uint16_t>(code), &own),
            "Model_getExtensionOperandType"));
  return own;
}

Result<ANeuralNetworksOperationType> ModelBuilder::operationCode(ANeuralNetworksModel *made, OperationType type) const {
  const auto code = static_cast<uint32_t>(type);
  if (code <= kMaxPlainCode)
    return static_cast<ANeuralNetworksOperationType>(code);
  AVOCET_ASSIGN_OR_RETURN(const char *name, extensionOf(code));
  ANeuralNetworksOperationType own = 0;
  AVOCET_RETURN_IF_ERROR(
      check(table_.ANeuralNetworksModel_getExtensionOperationType(made, name, static_cast<uint16_t>(code), &own),
            "Model_getExtensionOperationType"));
  return own;
}

Outcome ModelBuilder::addType(ANeuralNetworksModel *made, const Operand &operand) {
  AVOCET_ASSIGN_OR_RETURN(const int32_t code, operandCode(made, operand.type));
  const ANeuralNetworksOperandType type = {code, static_cast<uint32_t>(operand.dimensions.size()),
                                           operand.dimensions.empty() ? nullptr : operand.dimensions.data(),
                                           operand.scale, operand.zeroPoint};
  return check(table_.ANeuralNetworksModel_addOperand(made, &type), "Model_addOperand");
}

Outcome ModelBuilder::addExtraParams(ANeuralNetworksModel *made, int32_t index, const Operand &operand) {
  if (const auto *channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
    const ANeuralNetworksSymmPerChannelQuantParams params = {
        channels->channelDim, static_cast<uint32_t>(channels->scales.size()), channels->scales.data()};
    return check(table_.ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(made, index, &params),
                 "Model_setOperandSymmPerChannelQuantParams");
  }
  if (const auto *data = std::get_if<std::vector<uint8_t>>(&operand.extraParams))
    return check(table_.ANeuralNetworksModel_setOperandExtensionData(made, index, data->data(), data->size()),
                 "Model_setOperandExtensionData");
  return success();
}

Outcome ModelBuilder::addCopiedValue(ANeuralNetworksModel *made, int32_t index, const DataLocation &location) {
  if (!isWithin(location, model_.operandValues.size()))
    return invalidArgument(fmt::format("constant {} ends at {} of {} bytes of values", index,
                                       location.offset + location.length, model_.operandValues.size()));
  return check(table_.ANeuralNetworksModel_setOperandValue(made, index, model_.operandValues.data() + location.offset,
                                                           location.length),
               "Model_setOperandValue");
}

Outcome ModelBuilder::addReferencedValue(ANeuralNetworksModel *made, int32_t index, const DataLocation &location) {
  if (location.poolIndex >= built_.pools.size())
    return invalidArgument(
        fmt::format("constant {} is in pool {} of {}", index, location.poolIndex, built_.pools.size()));
  return check(table_.ANeuralNetworksModel_setOperandValueFromMemory(
                   made, index, built_.pools[location.poolIndex].get(), location.offset, location.length),
               "Model_setOperandValueFromMemory");
}

Outcome ModelBuilder::addSubgraph(ANeuralNetworksModel *made, int32_t index, uint64_t subgraph) {
  if (subgraph >= model_.referenced.size())
    return invalidArgument(fmt::format("operand {} is subgraph {} of {}", index, subgraph, model_.referenced.size()));
  OwnedModel &value = built_.referenced[subgraph];
  if (!value) {
    if (isOpen_[subgraph])
      return invalidArgument(fmt::format("subgraph {} contains itself", subgraph));
    if (nesting_ == kMaxNesting)
      return invalidArgument(fmt::format("subgraph {} is within {} others, more than is allowed", subgraph, nesting_));
    isOpen_[subgraph] = true;
    ++nesting_;
    AVOCET_ASSIGN_OR_RETURN(value, buildGraph(model_.referenced[subgraph]));
    --nesting_;
  }
  return check(table_.ANeuralNetworksModel_setOperandValueFromModel(made, index, value.get()),
               "Model_setOperandValueFromModel");
}

Outcome ModelBuilder::addValue(ANeuralNetworksModel *made, int32_t index, const Operand &operand) {
  switch (operand.lifetime) {
  case OperandLifeTime::ConstantCopy:
    return addCopiedValue(made, index, operand.location);
  case OperandLifeTime::ConstantReference:
    return addReferencedValue(made, index, operand.location);
  case OperandLifeTime::NoValue:
    return check(table_.ANeuralNetworksModel_setOperandValue(made, index, nullptr, 0), "Model_setOperandValue");
  case OperandLifeTime::Subgraph:
    return addSubgraph(made, index, operand.location.offset);
  default: // an input, output or temporary: the operations tell which
    return success();
  }
}

Outcome ModelBuilder::addOperand(ANeuralNetworksModel *made, int32_t index, const Operand &operand) {
  AVOCET_RETURN_IF_ERROR(addType(made, operand));
  AVOCET_RETURN_IF_ERROR(addExtraParams(made, index, operand));
  return addValue(made, index, operand);
}

Outcome ModelBuilder::addOperation(ANeuralNetworksModel *made, const Operation &operation) {
  AVOCET_ASSIGN_OR_RETURN(const ANeuralNetworksOperationType code, operationCode(made, operation.type));
  return check(table_.ANeuralNetworksModel_addOperation(
                   made, code, static_cast<uint32_t>(operation.inputs.size()), operation.inputs.data(),
                   static_cast<uint32_t>(operation.outputs.size()), operation.outputs.data()),
               "Model_addOperation");
}

Result<OwnedModel> ModelBuilder::buildGraph(const Subgraph &graph) {
  AVOCET_ASSIGN_OR_RETURN(OwnedModel made, createObject(table_.ANeuralNetworksModel_free, "Model_create",
                                                        table_.ANeuralNetworksModel_create));
  for (size_t i = 0; i < graph.operands.size(); ++i)
    AVOCET_RETURN_IF_ERROR(addOperand(made.get(), static_cast<int32_t>(i), graph.operands[i]));
  for (const Operation &operation : graph.operations)
    AVOCET_RETURN_IF_ERROR(addOperation(made.get(), operation));
  AVOCET_RETURN_IF_ERROR(
      check(table_.ANeuralNetworksModel_identifyInputsAndOutputs(
                made.get(), static_cast<uint32_t>(graph.inputIndexes.size()), graph.inputIndexes.data(),
                static_cast<uint32_t>(graph.outputIndexes.size()), graph.outputIndexes.data()),
            "Model_identifyInputsAndOutputs"));
  AVOCET_RETURN_IF_ERROR(check(
      table_.ANeuralNetworksModel_relaxComputationFloat32toFloat16(made.get(), model_.relaxComputationFloat32toFloat16),
      "Model_relaxComputationFloat32toFloat16"));
  AVOCET_RETURN_IF_ERROR(check(table_.ANeuralNetworksModel_finish(made.get()), "Model_finish"));
  return made;
}

Result<BuiltModel> ModelBuilder::build() {
  isOpen_.resize(model_.referenced.size());
  for (size_t i = 0; i < model_.referenced.size(); ++i)
    built_.referenced.emplace_back(nullptr, table_.ANeuralNetworksModel_free);
  AVOCET_RETURN_IF_ERROR(makePools());
  AVOCET_ASSIGN_OR_RETURN(built_.main, buildGraph(model_.main));
  return std::move(built_);
}

} // namespace

Result<BuiltModel> buildModel(const Api &api, const Model &model) { return ModelBuilder(api, model).build(); }

} // namespace avocet::hal::capi
