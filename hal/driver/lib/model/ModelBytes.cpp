//===- ModelBytes.cpp - A model in the compiler's input form ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/ModelBytes.h"

#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/Signatures.h"
#include "model/ConstantPools.h"
#include "model/NetworkModel.h"
#include "nnapiModel_generated.h"

#include <fmt/core.h>

namespace avocet::hal {

namespace fb = nnapi;

namespace {

constexpr uint64_t kMaxModelBytes = uint64_t{1} << 30;

constexpr bool same(fb::Lifetime a, OperandLifeTime b) { return static_cast<int32_t>(a) == static_cast<int32_t>(b); }
static_assert(same(fb::Lifetime::Temporary, OperandLifeTime::TemporaryVariable) &&
              same(fb::Lifetime::SubgraphInput, OperandLifeTime::SubgraphInput) &&
              same(fb::Lifetime::SubgraphOutput, OperandLifeTime::SubgraphOutput) &&
              same(fb::Lifetime::ConstantCopy, OperandLifeTime::ConstantCopy) &&
              same(fb::Lifetime::ConstantPool, OperandLifeTime::ConstantReference) &&
              same(fb::Lifetime::NoValue, OperandLifeTime::NoValue) &&
              same(fb::Lifetime::Subgraph, OperandLifeTime::Subgraph) && fb::Lifetime::MAX == fb::Lifetime::Subgraph);

std::unique_ptr<fb::OperandT> operandOf(const Operand &operand, const ConstantPools &pools) {
  auto result = std::make_unique<fb::OperandT>();
  result->type = static_cast<int32_t>(operand.type);
  result->dimensions = operand.dimensions;
  result->scale = operand.scale;
  result->zero_point = operand.zeroPoint;
  result->lifetime = static_cast<fb::Lifetime>(operand.lifetime);
  if (const auto *channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
    result->channel_scales = channels->scales;
    result->channel_dim = channels->channelDim;
  }
  if (const auto *data = std::get_if<std::vector<uint8_t>>(&operand.extraParams))
    result->extension_data = *data;
  if (operand.lifetime == OperandLifeTime::Subgraph)
    result->subgraph = static_cast<int32_t>(operand.location.offset);
  if (operand.lifetime == OperandLifeTime::ConstantCopy || operand.lifetime == OperandLifeTime::ConstantReference) {
    result->lifetime = fb::Lifetime::ConstantPool;
    DataLocation place = pools.locate(operand);
    result->location = std::make_unique<fb::Location>(place.poolIndex, place.offset, place.length);
  }
  return result;
}

std::unique_ptr<fb::SubgraphT> subgraphOf(const Subgraph &subgraph, const ConstantPools &pools) {
  auto result = std::make_unique<fb::SubgraphT>();
  for (const Operand &operand : subgraph.operands)
    result->operands.push_back(operandOf(operand, pools));
  for (const Operation &operation : subgraph.operations) {
    auto &copy = result->operations.emplace_back(std::make_unique<fb::OperationT>());
    copy->type = static_cast<int32_t>(operation.type);
    copy->inputs = operation.inputs;
    copy->outputs = operation.outputs;
  }
  result->inputs = subgraph.inputIndexes;
  result->outputs = subgraph.outputIndexes;
  return result;
}

/// The compiler has all extensions of the device and no other.
std::vector<std::unique_ptr<fb::ExtensionPrefixT>> prefixesOf(const Model &model) {
  std::vector<std::unique_ptr<fb::ExtensionPrefixT>> prefixes;
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix) {
    if (findExtension(extension.name) == nullptr)
      continue;
    auto &entry = prefixes.emplace_back(std::make_unique<fb::ExtensionPrefixT>());
    entry->name = extension.name;
    entry->prefix = extension.prefix;
  }
  return prefixes;
}

std::vector<uint8_t> pack(const fb::ModelT &model) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Model::Pack(builder, &model), fb::ModelIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

/// An upper bound of a subgraph's bytes in AVNN. FlatBuffers are limited to 2 GiB.
uint64_t sizeOf(const Subgraph &subgraph) {
  uint64_t words = subgraph.inputIndexes.size() + subgraph.outputIndexes.size();
  for (const Operand &operand : subgraph.operands) {
    const auto *channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams);
    const auto *data = std::get_if<std::vector<uint8_t>>(&operand.extraParams);
    words += 40 + operand.dimensions.size() + (channels ? channels->scales.size() : 0) + (data ? data->size() : 0);
  }
  for (const Operation &operation : subgraph.operations)
    words += 16 + operation.inputs.size() + operation.outputs.size();
  return words * sizeof(uint32_t);
}

Outcome checkSize(const Model &model) {
  uint64_t bytes = sizeOf(model.main);
  for (const Subgraph &subgraph : model.referenced)
    bytes += sizeOf(subgraph);
  if (bytes > kMaxModelBytes)
    return error(ErrorStatus::ResourceExhaustedPersistent,
                 fmt::format("model: its description has {} bytes, at most {} are possible", bytes, kMaxModelBytes));
  return success();
}

void fillIn(fb::OperandT &operand, const InputFacts &facts) {
  if (facts.isOmitted)
    operand.lifetime = fb::Lifetime::NoValue;
  if (!facts.dimensions.empty())
    operand.dimensions = facts.dimensions;
  if (!facts.value.empty())
    operand.data = facts.value;
}

/// The bytes at a place, which are moved if they are the whole pool.
std::vector<uint8_t> takeBytes(std::vector<uint8_t> &pool, const DataLocation &place) {
  if (place.offset == 0 && place.length == pool.size())
    return std::move(pool);
  auto first = pool.begin() + static_cast<ptrdiff_t>(place.offset);
  return {first, first + static_cast<ptrdiff_t>(place.length)};
}

ModelBytes networkBytes(const Model &model, const NetworkParts &network, ConstantPools pools) {
  const DataLocation file = pools.locate(model.main.operands[network.file]);
  const DataLocation constants =
      network.constants ? pools.locate(model.main.operands[*network.constants]) : DataLocation{};
  ModelBytes result;
  result.format = network.format;
  result.charge = std::move(pools).takeCharge();
  // NOLINTNEXTLINE(bugprone-use-after-move): each call takes another part
  std::vector<std::vector<uint8_t>> taken = std::move(pools).take();
  if (constants.length > 0 && constants.poolIndex == file.poolIndex) {
    auto first = taken[file.poolIndex].begin() + static_cast<ptrdiff_t>(file.offset);
    result.bytes.assign(first, first + static_cast<ptrdiff_t>(file.length));
  } else {
    result.bytes = takeBytes(taken[file.poolIndex], file);
  }
  if (constants.length > 0)
    result.pools.push_back(takeBytes(taken[constants.poolIndex], constants));
  return result;
}

} // namespace

std::vector<std::span<const uint8_t>> ModelBytes::poolSpans() const { return {pools.begin(), pools.end()}; }

Result<std::vector<uint8_t>> describe(const Model &model, const ConstantPools &pools,
                                      std::span<const AttributeValue> attributes) {
  AVOCET_RETURN_IF_ERROR(checkSize(model));
  fb::ModelT result;
  result.main = subgraphOf(model.main, pools);
  for (const Subgraph &subgraph : model.referenced)
    result.referenced.push_back(subgraphOf(subgraph, pools));
  result.extensions = prefixesOf(model);
  for (const AttributeValue &attribute : attributes) {
    auto &entry = result.attributes.emplace_back(std::make_unique<fb::ExtensionAttributeT>());
    entry->extension = attribute.extension;
    entry->code = attribute.number;
    entry->value.assign(attribute.value.begin(), attribute.value.end());
  }
  result.relaxed = model.relaxComputationFloat32toFloat16;
  return pack(result);
}

Result<ModelBytes> modelBytesOf(const Model &model, Quota *memory) { return modelBytesOf(model, memory, {}); }

Result<ModelBytes> modelBytesOf(const Model &model, Quota *memory, std::span<const AttributeValue> attributes) {
  AVOCET_RETURN_IF_ERROR(checkSize(model)); // before constants are copied
  AVOCET_ASSIGN_OR_RETURN(std::optional<NetworkParts> network, networkOf(model));
  AVOCET_ASSIGN_OR_RETURN(ConstantPools pools, ConstantPools::copy(model, memory));
  if (network)
    return networkBytes(model, *network, std::move(pools));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, describe(model, pools, attributes));
  Charge charge = std::move(pools).takeCharge();
  // NOLINTNEXTLINE(bugprone-use-after-move): each call takes another part
  return ModelBytes{std::move(bytes), std::move(pools).take(), compiler::InputFormat::Nnapi, std::move(charge)};
}

std::vector<uint8_t> specialize(std::span<const uint8_t> bytes, const Facts &facts) {
  std::unique_ptr<fb::ModelT> model(fb::GetModel(bytes.data())->UnPack());
  for (size_t i = 0; i < facts.size(); ++i)
    fillIn(*model->main->operands[model->main->inputs[i]], facts[i]);
  return pack(*model);
}

} // namespace avocet::hal
