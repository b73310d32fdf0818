//===- ReadArtefacts.cpp - From a model cache to the cmd level --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artefacts.h"

#include "avocet/compiler/Support/Origin.h"
#include "avocet/firmware_iface/Codec.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

cache::Operand copyOf(const cache::OperandView &view) {
  cache::Operand operand;
  operand.name = view.name;
  operand.type = view.type;
  operand.shape.assign(view.shape.begin(), view.shape.end());
  operand.bytes = view.bytes;
  operand.quantization.scales.assign(view.scales.begin(), view.scales.end());
  operand.quantization.zeroPoints.assign(view.zeroPoints.begin(), view.zeroPoints.end());
  operand.quantization.axis = view.axis;
  operand.isState = view.isState;
  operand.initial.assign(view.initial.begin(), view.initial.end());
  return operand;
}

void copyTables(const cache::ModelCache &model, cache::ModelDescription &description) {
  for (size_t i = 0; i < model.numInputs(); ++i)
    description.inputs.push_back(copyOf(model.input(i)));
  for (size_t i = 0; i < model.numOutputs(); ++i)
    description.outputs.push_back(copyOf(model.output(i)));
  for (size_t i = 0; i < model.numRegions(); ++i)
    description.regions.push_back(model.region(i));
  for (size_t i = 0; i < model.numMemoryEntries(); ++i) {
    cache::MemoryEntryView entry = model.memoryEntry(i);
    description.memoryPlan.push_back({std::string(entry.name), entry.region, entry.address, entry.bytes,
                                      entry.firstStep, entry.lastStep, entry.operation});
  }
  for (size_t i = 0; i < model.numLayers(); ++i) {
    cache::LayerView layer = model.layer(i);
    description.layers.push_back({std::string(layer.name), std::string(layer.operation), layer.engine, layer.macs,
                                  layer.rooflineCycles, layer.weightBytes, layer.inputBytes, layer.outputBytes,
                                  layer.computeCycles, layer.deviceCycles, std::string(layer.group)});
  }
  for (size_t i = 0; i < model.numSourceEntries(); ++i) {
    cache::SourceEntryView entry = model.sourceEntry(i);
    description.sourceMap.push_back(
        {entry.layer, entry.operation, std::string(entry.location), std::string(entry.kind)});
  }
  for (size_t i = 0; i < model.numSourceOperations(); ++i) {
    cache::SourceOperationView operation = model.sourceOperation(i);
    description.sourceOperations.push_back({std::string(operation.name), operation.layer, operation.type,
                                            operation.height, operation.width, operation.channels});
  }
}

cache::ModelDescription describe(const cache::ModelCache &model) {
  cache::ModelDescription description;
  description.compilerVersion = model.compilerVersion();
  description.modelName = model.modelName();
  description.targetName = model.targetName();
  description.targetFingerprint = model.targetFingerprint();
  description.sramPeakBytes = model.sramPeakBytes();
  description.rooflineCycles = model.rooflineCycles();
  description.deviceCycles = model.deviceCycles();
  description.leastDramBytes = model.leastDramBytes();
  description.predictedCycles = model.predictedCycles();
  copyTables(model, description);
  return description;
}

struct DecodedStream {
  firmware::Engine engine;
  uint32_t section;
  std::vector<firmware::Command> commands;
  std::span<const cache::SourceCommand> sources;
};

Result<std::vector<DecodedStream>> decodeStreams(const cache::ModelCache &model) {
  std::vector<DecodedStream> streams;
  for (size_t i = 0; i < model.numStreams(); ++i) {
    cache::StreamView view = model.stream(i);
    AVOCET_ASSIGN_OR_RETURN(auto commands, firmware::decodeStream(view.words));
    streams.push_back({view.engine, view.section, std::move(commands), view.sources});
  }
  return streams;
}

uint32_t countSemaphores(std::span<const DecodedStream> streams) {
  uint32_t count = 0;
  for (const DecodedStream &stream : streams)
    for (const firmware::Command &command : stream.commands) {
      if (auto *wait = std::get_if<firmware::WaitCommand>(&command.body))
        count = std::max(count, wait->semaphore + 1);
      else if (auto *signal = std::get_if<firmware::SignalCommand>(&command.body))
        count = std::max(count, signal->semaphore + 1);
    }
  return count;
}

void buildStream(OpBuilder &builder, Location location, const DecodedStream &stream) {
  auto op = cmd::StreamOp::create(builder, location, static_cast<cmd::StreamKind>(stream.engine.kind),
                                  stream.engine.index, stream.section);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  for (auto [index, command] : llvm::enumerate(stream.commands))
    cmd::createCommand(builder, stream.sources.empty() ? location : commandLocation(location, stream.sources[index]),
                       command);
}

void buildControl(OpBuilder &builder, Location location, std::span<const uint32_t> words) {
  llvm::SmallVector<int32_t> copy(words.begin(), words.end());
  if (!words.empty())
    cmd::ControlOp::create(builder, location, builder.getDenseI32ArrayAttr(copy), ArrayAttr(), ArrayAttr());
}

} // namespace

OwningOpRef<ModuleOp> readModelCache(MLIRContext *context, Location location, const cache::ModelCache &model,
                                     std::span<const uint8_t> data) {
  context->loadDialect<cmd::CmdDialect>();
  Result<std::vector<DecodedStream>> streams = decodeStreams(model);
  if (!streams) {
    emitError(location) << streams.status().message();
    return {};
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
  cmd::ProgramOp program = buildProgram(builder, location, "main", describe(model), countSemaphores(*streams));
  builder.setInsertionPointToEnd(&program.getBody().front());
  if (!data.empty())
    appendData(builder, location, std::vector<uint8_t>(data.begin(), data.end()));
  buildControl(builder, location, model.control());
  for (const DecodedStream &stream : *streams)
    buildStream(builder, location, stream);
  return module;
}

} // namespace avocet::compiler
