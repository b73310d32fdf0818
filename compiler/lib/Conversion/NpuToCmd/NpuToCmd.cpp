//===- NpuToCmd.cpp - From the scheduled npu level to cmd -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Conversion/NpuToCmd.h"

#include "ProgramDescription.h"

#include "avocet/compiler/Conversion/StreamSync.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Emit/Artefacts.h"
#include "avocet/compiler/Schedule/Schedule.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Regions are addressed with more bits, but one of this size is nonsense, and memory is taken for the constants.
constexpr int64_t kMaxRegionBytes = int64_t{1} << 32;

struct LinearProgram {
  std::vector<LinearCommand> commands;
  std::vector<Location> locations;
};

LogicalResult checkProgram(npu::ProgramOp program, const firmware::Target &target) {
  if (program.getTarget() != target.name())
    return program.emitOpError("was made for target '")
           << program.getTarget() << "', not for '" << target.name() << "'";
  if (!program.isAllocated())
    return program.emitOpError("must be allocated before it can become commands");
  for (uint64_t bytes : {*program.getSramBytes(), *program.getScratchBytes(), *program.getConstantsBytes()})
    if (static_cast<int64_t>(bytes) < 0 || static_cast<int64_t>(bytes) > kMaxRegionBytes)
      return program.emitOpError("has a memory of ")
             << bytes << " bytes, at most " << kMaxRegionBytes << " are possible";
  for (auto buffer : program.getBody().getOps<npu::BufferOp>())
    if (!buffer.getAddress())
      return buffer.emitOpError("has no address");
  return success();
}

FailureOr<LinearProgram> linearize(npu::ProgramOp program, const firmware::Target &target) {
  LinearProgram result;
  auto addressOf = [&](Value buffer) { return npu::addressOf(program, buffer); };
  for (Operation &op : program.getBody().front()) {
    if (isa<npu::BufferOp>(op))
      continue;
    auto command = dyn_cast<npu::CommandOpInterface>(&op);
    if (!command)
      return op.emitOpError("has no place in a scheduled program");
    firmware::Engine engine = command.getEngine();
    if (engine.kind == firmware::EngineKind::Dma && engine.index >= target.dma().channels)
      return op.emitOpError("uses DMA channel ")
             << engine.index << ", target '" << target.name() << "' has " << target.dma().channels;
    result.commands.push_back({engine, {command.getLayerIndex(), command.buildCommand(addressOf)}});
    result.locations.push_back(op.getLoc());
  }
  return result;
}

void buildStream(OpBuilder &builder, Location location, const Stream &stream, llvm::ArrayRef<Location> locations) {
  auto op =
      cmd::StreamOp::create(builder, location, static_cast<cmd::StreamKind>(stream.engine.kind), stream.engine.index);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  for (const StreamCommand &command : stream.commands)
    cmd::createCommand(builder, locations[command.source], command.command);
  cmd::EndOp::create(builder, location);
}

LogicalResult convertProgram(npu::ProgramOp program, const firmware::Target &target) {
  if (failed(checkProgram(program, target)))
    return failure();
  FailureOr<LinearProgram> linear = linearize(program, target);
  FailureOr<cache::ModelDescription> model = describeProgram(program, target);
  FailureOr<std::vector<uint8_t>> data = constantsOf(program);
  if (failed(linear) || failed(model) || failed(data))
    return failure();
  Result<SyncedStreams> synced = splitStreams(linear->commands, target.command().semaphores);
  if (!synced)
    return program.emitOpError(synced.status().message());

  OpBuilder builder(program);
  cmd::ProgramOp converted = buildProgram(builder, program.getLoc(), program.getSymName(), *model, synced->semaphores);
  builder.setInsertionPointToEnd(&converted.getBody().front());
  if (!data->empty())
    appendData(builder, program.getLoc(), std::move(*data));
  for (const Stream &stream : synced->streams)
    buildStream(builder, program.getLoc(), stream, linear->locations);
  program.erase();
  return success();
}

} // namespace

llvm::StringRef compilerVersion() { return AVOCET_VERSION; }

LogicalResult convertNpuToCmd(ModuleOp module, const firmware::Target &target) {
  auto programs = module.getOps<npu::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return module.emitError("a module of the scheduled level holds one npu.program, found ")
           << llvm::range_size(programs);
  return convertProgram(*programs.begin(), target);
}

} // namespace avocet::compiler
