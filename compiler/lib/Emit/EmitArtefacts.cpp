//===- EmitArtefacts.cpp - From the cmd level to artefacts ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artefacts.h"
#include "DescriptionAttr.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/JobRing.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult readHeader(cmd::ProgramOp program, DescriptionReader &reader, cache::ModelDescription &model) {
  ModelHeader header;
  if (failed(reader.readEntry(program.getHeader(), "header", header)))
    return failure();
  model.compilerVersion = std::move(header.compilerVersion);
  model.modelName = std::move(header.modelName);
  model.targetName = std::move(header.targetName);
  model.targetFingerprint = header.targetFingerprint;
  model.sramPeakBytes = header.sramPeakBytes;
  model.rooflineCycles = header.rooflineCycles;
  model.deviceCycles = header.deviceCycles;
  model.leastDramBytes = header.leastDramBytes;
  model.predictedCycles = header.predictedCycles;
  return success();
}

LogicalResult readTables(cmd::ProgramOp program, DescriptionReader &reader, cache::ModelDescription &model) {
  return success(succeeded(reader.readTable(program.getInputs(), "inputs", model.inputs)) &&
                 succeeded(reader.readTable(program.getOutputs(), "outputs", model.outputs)) &&
                 succeeded(reader.readTable(program.getLayers(), "layers", model.layers)) &&
                 succeeded(reader.readTable(program.getPlan(), "plan", model.memoryPlan)) &&
                 succeeded(reader.readTable(program.getSources(), "sources", model.sourceMap)) &&
                 (!program.getOperations() ||
                  succeeded(reader.readTable(*program.getOperations(), "operations", model.sourceOperations))));
}

static_assert(static_cast<uint32_t>(cmd::Meaning::Input) == static_cast<uint32_t>(cache::RegionKind::Input) &&
              static_cast<uint32_t>(cmd::Meaning::Output) == static_cast<uint32_t>(cache::RegionKind::Output) &&
              static_cast<uint32_t>(cmd::Meaning::Constants) == static_cast<uint32_t>(cache::RegionKind::Constants) &&
              static_cast<uint32_t>(cmd::Meaning::Scratch) == static_cast<uint32_t>(cache::RegionKind::Scratch));

void readRegions(cmd::ProgramOp program, cache::ModelDescription &model) {
  for (auto region : program.getBody().getOps<cmd::RegionOp>()) {
    model.regions.push_back(
        {static_cast<cache::RegionKind>(region.getMeaning()), region.getIndex(), region.getBytes()});
    if (region.getMeaning() == cmd::Meaning::Constants)
      model.dataBytes = region.getBytes();
  }
}

std::vector<cache::SourceCommand> sourcesOf(cmd::StreamOp stream) {
  std::vector<cache::SourceCommand> sources;
  for (Operation &op : stream.getBody().front())
    sources.push_back(commandOriginOf(op.getLoc()).value_or(cache::SourceCommand()));
  return sources;
}

void readStreams(cmd::ProgramOp program, cache::ModelDescription &model) {
  for (auto stream : program.getBody().getOps<cmd::StreamOp>()) {
    model.streams.push_back({stream.engine(), firmware::encodeStream(cmd::commandsOf(stream)), stream.getSection()});
    if (!model.sourceOperations.empty())
      model.streams.back().sources = sourcesOf(stream);
  }
}

void readControl(cmd::ProgramOp program, cache::ModelDescription &model) {
  for (auto control : program.getBody().getOps<cmd::ControlOp>())
    model.control.assign(control.getWords().begin(), control.getWords().end());
}

/// Limits of one job: a network beyond them is valid but cannot run.
LogicalResult checkStreams(cmd::ProgramOp program, const cache::ModelDescription &model) {
  uint64_t words = 0;
  for (const cache::Stream &stream : model.streams)
    words += stream.words.size();
  const auto check = [&](StringRef rule, uint64_t value, uint64_t limit) -> LogicalResult {
    if (value <= limit)
      return success();
    RefusalReason reason{"network", "program", rule.str(), std::to_string(value), std::to_string(limit)};
    reason.advice = "divide the network";
    return emitRefusal(program.getLoc(), reason), failure();
  };
  return success(
      succeeded(check("streams of all branches and loops", model.streams.size(), firmware::kMaxJobStreams)) &&
      succeeded(check("words of its commands", words, firmware::kMaxStreamWords)));
}

FailureOr<cache::ModelDescription> describe(cmd::ProgramOp program) {
  DescriptionReader reader(program);
  cache::ModelDescription model;
  if (failed(readHeader(program, reader, model)) || failed(readTables(program, reader, model)))
    return failure();
  readRegions(program, model);
  readStreams(program, model);
  readControl(program, model);
  if (failed(checkStreams(program, model)))
    return failure();
  return model;
}

/// `wanted` bytes, or as many as there are; a resource loses them. A splat holds one.
AsmResourceBlob bytesOf(ElementsAttr value, uint64_t wanted) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? std::move(*blob) : AsmResourceBlob();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return {};
  if (!dense.isSplat() || static_cast<uint64_t>(dense.getNumElements()) != wanted)
    return HeapAsmResourceBlob::allocateAndCopyWithAlign(dense.getRawData(), 1, /*dataIsMutable=*/false);
  AsmResourceBlob filled = HeapAsmResourceBlob::allocate(wanted, 1, /*dataIsMutable=*/true);
  llvm::fill(filled.getMutableData(), dense.getRawData().front());
  return filled;
}

} // namespace

cmd::ProgramOp programOf(ModuleOp module) {
  auto programs = module.getOps<cmd::ProgramOp>();
  if (!llvm::hasSingleElement(programs)) {
    module.emitError("a module of the cmd level holds one cmd.program, found ") << llvm::range_size(programs);
    return {};
  }
  return *programs.begin();
}

FailureOr<std::vector<uint8_t>> emitModelCache(cmd::ProgramOp program) {
  FailureOr<cache::ModelDescription> model = describe(program);
  if (failed(model) || isCancelled())
    return failure();
  Result<std::vector<uint8_t>> bytes = cache::writeModelCache(*model);
  if (!bytes)
    return program.emitOpError(bytes.status().message());
  if (isCancelled())
    return failure();
  // The emitted cache must pass the verification that guards the device.
  auto read = cache::ModelCache::adopt(*bytes, "the model cache");
  if (!read)
    return program.emitOpError(read.status().message());
  return std::move(*bytes);
}

FailureOr<AsmResourceBlob> takeDataCache(cmd::ProgramOp program) {
  uint64_t wanted = 0;
  for (auto region : program.getBody().getOps<cmd::RegionOp>())
    if (region.getMeaning() == cmd::Meaning::Constants)
      wanted = region.getBytes();
  AsmResourceBlob bytes;
  for (auto data : program.getBody().getOps<cmd::DataOp>())
    bytes = bytesOf(data.getValue(), wanted);
  if (bytes.getData().size() != wanted)
    return program.emitOpError("has ") << bytes.getData().size() << " bytes of constants, its region has " << wanted;
  return bytes;
}

namespace {

ModelHeader headerOf(const cache::ModelDescription &model) {
  return {model.compilerVersion, model.modelName,    model.targetName,     model.targetFingerprint, model.sramPeakBytes,
          model.rooflineCycles,  model.deviceCycles, model.leastDramBytes, model.predictedCycles};
}

} // namespace

cmd::ProgramOp buildProgram(OpBuilder &builder, Location location, StringRef name, const cache::ModelDescription &model,
                            uint32_t semaphores) {
  DescriptionWriter writer(builder.getContext());
  auto program = cmd::ProgramOp::create(
      builder, location, builder.getStringAttr(name), writer.write(headerOf(model)),
      builder.getI32IntegerAttr(static_cast<int32_t>(semaphores)), writer.writeTable(model.inputs),
      writer.writeTable(model.outputs), writer.writeTable(model.layers), writer.writeTable(model.memoryPlan),
      writer.writeTable(model.sourceMap),
      model.sourceOperations.empty() ? ArrayAttr() : writer.writeTable(model.sourceOperations));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&program.getBody());
  for (const cache::Region &region : model.regions)
    cmd::RegionOp::create(builder, location, static_cast<cmd::Meaning>(region.kind), region.index, region.bytes);
  return program;
}

void appendData(OpBuilder &builder, Location location, std::vector<uint8_t> data) {
  auto type = RankedTensorType::get({static_cast<int64_t>(data.size())}, builder.getI8Type());
  // The blob must own the bytes, but its deleter does not get their type; the lambda holds the vector instead.
  auto owner = std::make_shared<std::vector<uint8_t>>(std::move(data));
  llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(owner->data()), owner->size());
  AsmResourceBlob blob(bytes, 1, [owner](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  auto value = DenseResourceElementsAttr::get(type, "constants", std::move(blob));
  cmd::DataOp::create(builder, location, llvm::cast<ElementsAttr>(value));
}

} // namespace avocet::compiler
