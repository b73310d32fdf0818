//===- BuildProgram.cpp - A cmd.program from a description ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Emit/Artefacts.h"

#include "DescriptionAttr.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

ModelHeader headerOf(const cache::ModelDescription &model) {
  return {model.compilerVersion, model.modelName,      model.targetName,     model.targetFingerprint,
          model.sramPeakBytes,   model.rooflineCycles, model.predictedCycles};
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
