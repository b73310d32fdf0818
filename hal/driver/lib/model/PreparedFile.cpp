//===- PreparedFile.cpp - A compiled model as bytes -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/CompiledModel.h"

#include "avocet/hal/types/Utils.h"
#include "device/HalResult.h"
#include "nnapiModel_generated.h"
#include "preparedModel_generated.h"

#include <fmt/core.h>

#include <algorithm>

namespace avocet::hal {
namespace {

constexpr uint32_t kFormatVersion = 5;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 30;

using Builder = flatbuffers::FlatBufferBuilder;
template <typename T> using List = flatbuffers::Vector<flatbuffers::Offset<T>>;

Error broken(std::string_view rule) { return generalFailure(fmt::format("model cache: {}", rule)); }

Outcome brokenUnless(const Outcome &outcome) { return outcome ? success() : broken(outcome.error().message); }

flatbuffers::Offset<fb::ChannelQuantization> writeChannels(Builder &builder, const ExtraParams &extra) {
  const auto *channels = std::get_if<SymmPerChannelQuantParams>(&extra);
  return channels ? fb::CreateChannelQuantizationDirect(builder, &channels->scales, channels->channelDim) : 0;
}

/// Lifetime and location are not stored: the operand's list determines the lifetime, and inputs and outputs have no
/// location.
flatbuffers::Offset<fb::PreparedOperand> write(Builder &builder, const Operand &operand) {
  auto channels = writeChannels(builder, operand.extraParams);
  return fb::CreatePreparedOperandDirect(builder, static_cast<int32_t>(operand.type), &operand.dimensions,
                                         operand.scale, operand.zeroPoint, channels,
                                         std::get_if<std::vector<uint8_t>>(&operand.extraParams));
}

flatbuffers::Offset<flatbuffers::Vector<uint8_t>> write(Builder &builder, std::span<const uint8_t> bytes,
                                                        size_t alignment) {
  builder.ForceVectorAlignment(bytes.size(), 1, alignment);
  return builder.CreateVector(bytes.data(), bytes.size());
}

flatbuffers::Offset<flatbuffers::Vector<uint8_t>> writeChecksum(Builder &builder, const Checksum &checksum) {
  return builder.CreateVector(checksum.data(), checksum.size());
}

flatbuffers::Offset<fb::SpecializedProgram> write(Builder &builder, const KeptProgram &kept, const DataPart &part) {
  std::vector<flatbuffers::Offset<fb::InputFacts>> inputs;
  for (const InputFacts &facts : kept.facts)
    inputs.push_back(fb::CreateInputFactsDirect(builder, facts.isOmitted, &facts.dimensions, &facts.value));
  auto program = write(builder, *kept.program, 8);
  return fb::CreateSpecializedProgram(builder, builder.CreateVector(inputs), program, part.offset, part.bytes,
                                      writeChecksum(builder, part.checksum), kept.optimize);
}

uint64_t sizeOf(const KeptProgram &kept) {
  uint64_t bytes = kept.program->size() + 256;
  for (const InputFacts &facts : kept.facts)
    bytes += facts.value.size() + facts.dimensions.size() * sizeof(uint32_t) + 64;
  return bytes;
}

uint64_t sizeOf(const CompiledModel &model) {
  uint64_t bytes = model.program ? model.program->bytes().size() : 0;
  for (const KeptProgram &kept : model.specializations)
    bytes += sizeOf(kept);
  if (!model.source)
    return bytes;
  bytes += model.source->bytes.size();
  for (const auto &pool : model.source->pools)
    bytes += pool.size() + 128;
  return bytes;
}

std::span<const uint8_t> spanOf(const flatbuffers::Vector<uint8_t> *bytes) {
  return bytes ? std::span(bytes->data(), bytes->size()) : std::span<const uint8_t>();
}

Result<ExtraParams> readExtraParams(const fb::PreparedOperand &stored) {
  const fb::ChannelQuantization *channels = stored.channels();
  const flatbuffers::Vector<uint8_t> *data = stored.extension_data();
  if (channels != nullptr && data != nullptr)
    return broken("an operand has channel scales and the bytes of an extension");
  if (channels != nullptr)
    return ExtraParams(
        SymmPerChannelQuantParams{{channels->scales()->begin(), channels->scales()->end()}, channels->dimension()});
  if (data != nullptr)
    return ExtraParams(std::vector<uint8_t>(data->begin(), data->end()));
  return ExtraParams();
}

Result<Operand> read(const fb::PreparedOperand &stored) {
  Operand operand;
  operand.type = static_cast<OperandType>(stored.type());
  if (findOperandType(operand.type) == nullptr)
    return broken("an operand has a type that does not exist");
  if (stored.dimensions())
    operand.dimensions.assign(stored.dimensions()->begin(), stored.dimensions()->end());
  operand.scale = stored.scale();
  operand.zeroPoint = stored.zero_point();
  AVOCET_ASSIGN_OR_RETURN(operand.extraParams, readExtraParams(stored));
  return operand;
}

Result<Signature> readSignature(const fb::PreparedModel &stored) {
  Signature signature;
  for (const fb::PreparedOperand *input : *stored.inputs()) {
    AVOCET_ASSIGN_OR_RETURN(Operand operand, read(*input));
    operand.lifetime = OperandLifeTime::SubgraphInput;
    signature.addInput(std::move(operand));
  }
  for (const fb::PreparedOperand *output : *stored.outputs()) {
    AVOCET_ASSIGN_OR_RETURN(Operand operand, read(*output));
    operand.lifetime = OperandLifeTime::SubgraphOutput;
    signature.addOutput(std::move(operand));
  }
  return signature;
}

/// The compiler checks the rest when it reads the bytes.
Outcome checkSource(std::span<const uint8_t> bytes, size_t numInputs) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!nnapi::VerifyModelBuffer(verifier))
    return broken("the source's structure is broken");
  const nnapi::Subgraph &main = *nnapi::GetModel(bytes.data())->main();
  if (main.inputs()->size() != numInputs)
    return broken("the source has another number of inputs");
  for (uint32_t input : *main.inputs())
    if (input >= main.operands()->size())
      return broken("an input of the source does not exist");
  return success();
}

Outcome readSource(const fb::PreparedModel &stored, CompiledModel &model) {
  std::span<const uint8_t> bytes = spanOf(stored.source());
  if (bytes.empty())
    return success();
  model.isSourceTemporary = stored.source_is_temporary();
  const bool isNnapi = model.format == compiler::InputFormat::Nnapi;
  if (!isNnapi && !model.isSourceTemporary)
    return broken("a whole network cannot be compiled for executions");
  if (isNnapi)
    AVOCET_RETURN_IF_ERROR(checkSource(bytes, model.signature.numInputs()));
  model.source = std::make_shared<ModelBytes>(ModelBytes{{bytes.begin(), bytes.end()}, {}});
  model.source->format = model.format;
  if (stored.pools())
    for (const fb::ConstantPool *pool : *stored.pools())
      model.source->pools.emplace_back(pool->bytes()->begin(), pool->bytes()->end());
  return success();
}

Outcome readValueInputs(const fb::PreparedModel &stored, CompiledModel &model) {
  if (stored.value_inputs())
    model.valueInputs.assign(stored.value_inputs()->begin(), stored.value_inputs()->end());
  return brokenUnless(checkValueInputs(model.valueInputs, model.signature.numInputs()));
}

Outcome readChecksum(const flatbuffers::Vector<uint8_t> *stored, Checksum &checksum) {
  std::span<const uint8_t> bytes = spanOf(stored);
  if (bytes.size() != checksum.size())
    return broken("the checksum of its data has another length");
  std::ranges::copy(bytes, checksum.begin());
  return success();
}

Result<KeptProgram> read(const fb::SpecializedProgram &stored, size_t numInputs) {
  KeptProgram kept;
  if (stored.inputs()->size() != numInputs)
    return broken("a program for an execution has another number of inputs");
  for (const fb::InputFacts *input : *stored.inputs()) {
    InputFacts &facts = kept.facts.emplace_back();
    facts.isOmitted = input->is_omitted();
    if (input->dimensions())
      facts.dimensions.assign(input->dimensions()->begin(), input->dimensions()->end());
    if (input->value())
      facts.value.assign(input->value()->begin(), input->value()->end());
  }
  std::span<const uint8_t> program = spanOf(stored.program());
  kept.program = std::make_shared<const std::vector<uint8_t>>(program.begin(), program.end());
  kept.optimize = stored.optimize();
  kept.part.offset = stored.data_offset();
  kept.part.bytes = stored.data_size();
  AVOCET_RETURN_IF_ERROR(readChecksum(stored.data_checksum(), kept.part.checksum));
  return kept;
}

Outcome readSpecializations(const fb::PreparedModel &stored, CompiledModel &model) {
  if (stored.specializations() == nullptr)
    return success();
  if ((model.source == nullptr || model.isSourceTemporary) && stored.specializations()->size() != 0)
    return broken("there are programs for executions without a source");
  for (const fb::SpecializedProgram *program : *stored.specializations()) {
    AVOCET_ASSIGN_OR_RETURN(KeptProgram kept, read(*program, model.signature.numInputs()));
    model.specializations.push_back(std::move(kept));
  }
  return success();
}

Outcome readProgram(const fb::PreparedModel &stored, CompiledModel &model) {
  std::span<const uint8_t> bytes = spanOf(stored.program());
  if (bytes.empty())
    return model.source ? success() : broken("there is neither a program nor a source");
  auto program = cache::ModelCache::adopt({bytes.begin(), bytes.end()}, "the saved program");
  if (!program)
    return broken(program.status().message());
  model.program = std::move(*program);
  AVOCET_RETURN_IF_ERROR(readChecksum(stored.data_checksum(), model.dataChecksum));
  return brokenUnless(checkProgram(*model.program, model.signature.numInputs(), model.signature.numOutputs()));
}

Outcome checkData(const cache::DataCache &data, const Checksum &checksum) {
  if (data.checksum() != checksum)
    return generalFailure("data cache: is damaged: its checksum is not that of what was saved");
  return success();
}

} // namespace

Result<std::vector<uint8_t>> serialize(const CompiledModel &model, std::span<const DataPart> parts) {
  if (sizeOf(model) > kMaxFileBytes)
    return generalFailure(fmt::format("model cache: would be larger than {} bytes", kMaxFileBytes));
  Builder builder;
  std::vector<flatbuffers::Offset<fb::PreparedOperand>> inputs, outputs;
  for (size_t i = 0; i < model.signature.numInputs(); ++i)
    inputs.push_back(write(builder, model.signature.input(i)));
  for (size_t i = 0; i < model.signature.numOutputs(); ++i)
    outputs.push_back(write(builder, model.signature.output(i)));
  auto program = model.program ? write(builder, model.program->bytes(), 8) : 0;
  auto source = model.source ? write(builder, model.source->bytes, 8) : 0;
  std::vector<flatbuffers::Offset<fb::ConstantPool>> pools;
  for (size_t i = 0; model.source && i < model.source->pools.size(); ++i)
    pools.push_back(fb::CreateConstantPool(builder, write(builder, model.source->pools[i], 64)));
  auto checksum = model.data ? writeChecksum(builder, model.data->checksum()) : 0;
  std::vector<flatbuffers::Offset<fb::SpecializedProgram>> specializations;
  for (size_t i = 0; i < model.specializations.size(); ++i)
    specializations.push_back(write(builder, model.specializations[i], parts[i]));
  builder.Finish(fb::CreatePreparedModel(builder, kFormatVersion, static_cast<int32_t>(model.priority),
                                         builder.CreateVector(inputs), builder.CreateVector(outputs),
                                         builder.CreateVector(model.valueInputs), program, source,
                                         builder.CreateVector(pools), checksum, static_cast<int32_t>(model.preference),
                                         builder.CreateVector(specializations), model.optimize, model.isSourceTemporary,
                                         static_cast<uint32_t>(model.format)),
                 fb::PreparedModelIdentifier());
  return std::vector<uint8_t>(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

Result<CompiledModel> deserialize(std::span<const uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!fb::VerifyPreparedModelBuffer(verifier))
    return broken("its structure is broken");
  const fb::PreparedModel &stored = *fb::GetPreparedModel(bytes.data());
  if (stored.format_version() != kFormatVersion)
    return broken(fmt::format("its format version is {}, must be {}", stored.format_version(), kFormatVersion));
  CompiledModel model;
  model.optimize = stored.optimize();
  model.format = static_cast<compiler::InputFormat>(stored.source_format());
  if (model.format != compiler::InputFormat::Nnapi && model.format != compiler::InputFormat::Tflite &&
      model.format != compiler::InputFormat::Onnx)
    return broken("its source has a format that does not exist");
  model.priority = static_cast<Priority>(stored.priority());
  if (model.priority < Priority::Low || model.priority > Priority::High)
    return broken("its priority does not exist");
  model.preference = static_cast<ExecutionPreference>(stored.preference());
  if (model.preference < ExecutionPreference::LowPower || model.preference > ExecutionPreference::SustainedSpeed)
    return broken("its execution preference does not exist");
  AVOCET_ASSIGN_OR_RETURN(model.signature, readSignature(stored));
  AVOCET_RETURN_IF_ERROR(readSource(stored, model));
  AVOCET_RETURN_IF_ERROR(readValueInputs(stored, model));
  AVOCET_RETURN_IF_ERROR(readProgram(stored, model));
  AVOCET_RETURN_IF_ERROR(readSpecializations(stored, model));
  return model;
}

Outcome setData(CompiledModel &model, std::shared_ptr<const cache::DataCache> data) {
  AVOCET_RETURN_IF_ERROR(checkData(*data, model.dataChecksum));
  model.data = std::move(data);
  return success();
}

Outcome setData(KeptProgram &program, std::shared_ptr<const cache::DataCache> data) {
  AVOCET_RETURN_IF_ERROR(checkData(*data, program.part.checksum));
  program.data = std::move(data);
  return success();
}

} // namespace avocet::hal
