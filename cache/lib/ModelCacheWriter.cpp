//===- ModelCacheWriter.cpp - A model cache from its description *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ModelCacheWriter.h"

#include "avocet/firmware_iface/Version.h"

#include "ModelFile.h"
#include "Text.h"
#include "modelCache_generated.h"

#include <fmt/format.h>

namespace avocet::cache {

namespace {

using flatbuffers::Offset;

/// Serializes one description. Each child has its own local variable: C++ does not define the order in which function
/// arguments are evaluated, and the order of bytes must not depend on the compiler.
class Writer {
public:
  std::vector<uint8_t> write(const ModelDescription &model) {
    auto inputs = list<fb::Operand>(model.inputs);
    auto outputs = list<fb::Operand>(model.outputs);
    auto regions = list<fb::Region>(model.regions);
    auto streams = list<fb::Stream>(model.streams);
    auto memoryPlan = list<fb::MemoryEntry>(model.memoryPlan);
    auto layers = list<fb::Layer>(model.layers);
    auto sourceMap = list<fb::SourceEntry>(model.sourceMap);
    auto compilerVersion = name(model.compilerVersion);
    auto modelName = name(model.modelName);
    auto targetName = name(model.targetName);
    Offset<flatbuffers::Vector<uint32_t>> control;
    if (!model.control.empty())
      control = builder_.CreateVector(model.control);
    Offset<flatbuffers::Vector<Offset<fb::SourceOperation>>> operations;
    if (!model.sourceOperations.empty())
      operations = list<fb::SourceOperation>(model.sourceOperations);
    fb::FinishModelBuffer(
        builder_, fb::CreateModel(builder_, firmware::kEncodingVersion, compilerVersion, modelName, targetName,
                                  model.targetFingerprint, inputs, outputs, regions, streams, memoryPlan, layers,
                                  sourceMap, model.dataBytes, model.sramPeakBytes, model.rooflineCycles, control,
                                  model.predictedCycles, operations, model.deviceCycles, model.leastDramBytes));
    return wrapModel({builder_.GetBufferPointer(), builder_.GetSize()});
  }

private:
  Offset<flatbuffers::String> name(const std::string &text) { return builder_.CreateString(cleaned(text)); }

  template <typename Table, typename T> Offset<flatbuffers::Vector<Offset<Table>>> list(const std::vector<T> &entries) {
    std::vector<Offset<Table>> offsets;
    offsets.reserve(entries.size());
    for (const T &each : entries)
      offsets.push_back(entry(each));
    return builder_.CreateVector(offsets);
  }

  Offset<fb::Quantization> entry(const Quantization &quantization) {
    auto scales = builder_.CreateVector(quantization.scales);
    auto zeroPoints = builder_.CreateVector(quantization.zeroPoints);
    return fb::CreateQuantization(builder_, scales, zeroPoints, quantization.axis);
  }
  Offset<fb::Operand> entry(const Operand &operand) {
    Offset<fb::Quantization> quantization;
    if (!operand.quantization.scales.empty())
      quantization = entry(operand.quantization);
    auto operandName = name(operand.name);
    auto shape = builder_.CreateVector(operand.shape);
    Offset<flatbuffers::Vector<uint8_t>> initial;
    if (!operand.initial.empty())
      initial = builder_.CreateVector(operand.initial);
    return fb::CreateOperand(builder_, operandName, static_cast<uint32_t>(operand.type), shape, operand.bytes,
                             quantization, operand.isState, initial);
  }
  Offset<fb::Region> entry(const Region &region) {
    return fb::CreateRegion(builder_, static_cast<fb::RegionKind>(region.kind), region.index, region.bytes);
  }
  Offset<fb::Stream> entry(const Stream &stream) {
    auto words = builder_.CreateVector(stream.words);
    Offset<flatbuffers::Vector<const fb::SourceCommand *>> sources;
    if (!stream.sources.empty())
      sources = builder_.CreateVectorOfNativeStructs<fb::SourceCommand>(stream.sources, packed);
    return fb::CreateStream(builder_, static_cast<uint32_t>(stream.engine.kind), stream.engine.index, words,
                            stream.section, sources);
  }
  Offset<fb::MemoryEntry> entry(const MemoryEntry &memory) {
    auto bufferName = name(memory.name);
    return fb::CreateMemoryEntry(builder_, bufferName, memory.region, memory.address, memory.bytes, memory.firstStep,
                                 memory.lastStep, memory.operation);
  }
  Offset<fb::Layer> entry(const Layer &layer) {
    auto layerName = name(layer.name);
    auto operation = name(layer.operation);
    Offset<flatbuffers::String> group;
    if (!layer.group.empty())
      group = name(layer.group);
    return fb::CreateLayer(builder_, layerName, operation, static_cast<uint32_t>(layer.engine), layer.macs,
                           layer.rooflineCycles, layer.weightBytes, layer.inputBytes, layer.outputBytes,
                           layer.computeCycles, layer.deviceCycles, group);
  }
  Offset<fb::SourceEntry> entry(const SourceEntry &source) {
    auto location = name(source.location);
    Offset<flatbuffers::String> kind;
    if (!source.kind.empty())
      kind = name(source.kind);
    return fb::CreateSourceEntry(builder_, source.layer, source.operation, location, kind);
  }
  static fb::SourceCommand packed(const SourceCommand &source) {
    return {source.step, source.operation, source.row, source.column, source.channel};
  }
  Offset<fb::SourceOperation> entry(const SourceOperation &operation) {
    auto tensor = name(operation.name);
    return fb::CreateSourceOperation(builder_, tensor, operation.layer, static_cast<uint32_t>(operation.type),
                                     operation.height, operation.width, operation.channels);
  }

  flatbuffers::FlatBufferBuilder builder_;
};

/// The most bytes that the builder may need, so that it never exceeds what its 32-bit offsets can express.
uint64_t upperBound(const ModelDescription &model) {
  constexpr uint64_t kTableBytes = 256;
  uint64_t tables = 1 + model.inputs.size() + model.outputs.size() + model.regions.size() + model.streams.size() +
                    model.memoryPlan.size() + model.layers.size() + model.sourceMap.size() +
                    model.sourceOperations.size();
  uint64_t bytes = kModelHeaderBytes + tables * kTableBytes + model.compilerVersion.size() + model.modelName.size() +
                   model.targetName.size() + 4 * uint64_t{model.control.size()};
  for (const std::vector<Operand> *operands : {&model.inputs, &model.outputs})
    for (const Operand &operand : *operands)
      bytes += operand.name.size() + operand.initial.size() +
               4 * (operand.shape.size() + operand.quantization.scales.size() + operand.quantization.zeroPoints.size());
  for (const Stream &stream : model.streams)
    bytes += 4 * uint64_t{stream.words.size()} + sizeof(SourceCommand) * uint64_t{stream.sources.size()};
  for (const MemoryEntry &memory : model.memoryPlan)
    bytes += memory.name.size();
  for (const Layer &layer : model.layers)
    bytes += layer.name.size() + layer.operation.size() + layer.group.size();
  for (const SourceEntry &source : model.sourceMap)
    bytes += source.location.size() + source.kind.size();
  for (const SourceOperation &operation : model.sourceOperations)
    bytes += operation.name.size();
  return bytes;
}

} // namespace

Result<std::vector<uint8_t>> writeModelCache(const ModelDescription &model) {
  if (uint64_t bytes = upperBound(model); bytes > kMaxModelBytes)
    return resourceExhausted(fmt::format("model cache of {} needs about {} bytes, at most {} are allowed",
                                         model.modelName, bytes, kMaxModelBytes));
  return Writer().write(model);
}

} // namespace avocet::cache
