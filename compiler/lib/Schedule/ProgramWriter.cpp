//===- ProgramWriter.cpp - A sequence as an npu.program ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramWriter.h"

#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Section.h"
#include "avocet/firmware_iface/Reflection.h"
#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

/// Creates the operation of a command; one overload per command type.
struct StepWriter {
  OpBuilder &builder;
  Location location;
  ValueRange buffers;
  const Step &step;

  template <typename Op, typename Command> void create(const Command &command) const {
    Op::create(builder, location, buffers, command, int32_t(step.layer));
  }
  void operator()(const firmware::ConvCommand &command) const { create<npu::TileConvOp>(command); }
  void operator()(const firmware::PoolCommand &command) const { create<npu::TilePoolOp>(command); }
  void operator()(const firmware::EltwiseCommand &command) const { create<npu::TileEltwiseOp>(command); }
  void operator()(const firmware::LookupCommand &command) const { create<npu::TileLookupOp>(command); }
  void operator()(const firmware::DspCommand &command) const { create<npu::TileDspOp>(command); }
  void operator()(const firmware::DmaCommand &command) const {
    npu::DmaOp::create(builder, location, buffers, command, int32_t(step.layer), int32_t(step.channel));
  }
  template <typename Other> void operator()(const Other &) const {} // control commands are added with the streams
};

class Writer {
public:
  Writer(func::FuncOp function, const PlacedProblem &placed, const Sequence &sequence)
      : function_(function), placed_(placed), sequence_(sequence), builder_(function),
        records_(recordsOrigins(function)) {}

  npu::ProgramOp run() {
    auto program = npu::ProgramOp::create(
        builder_, function_.getLoc(), function_.getSymName(), placed_.problem.target->name(),
        operands(function_.getArgumentTypes(), function_.getAllArgAttrs()),
        operands(function_.getResultTypes(), function_.getAllResultAttrs()), layerTable(function_, placed_.problem),
        IntegerAttr(), IntegerAttr(), IntegerAttr(), builder_.getI64IntegerAttr(int64_t(sequence_.cycles)));
    copySection(function_, program);
    builder_.createBlock(&program.getBody());
    collectLocations();
    for (const Buffer &buffer : sequence_.buffers)
      writeBuffer(buffer);
    for (const Step &step : sequence_.steps)
      if (!isCancelled()) // an incomplete program is not used after cancellation
        writeStep(step);
    return program;
  }

private:
  ArrayAttr operands(TypeRange types, ArrayAttr attributes) {
    SmallVector<Attribute> entries;
    for (auto [index, type] : llvm::enumerate(types)) {
      NamedAttrList entry;
      if (attributes)
        entry.append(cast<DictionaryAttr>(attributes[index]).getValue());
      entry.set(attrs::kStorageType, TypeAttr::get(type));
      entries.push_back(entry.getDictionary(builder_.getContext()));
    }
    return builder_.getArrayAttr(entries);
  }

  void writeBuffer(const Buffer &buffer) {
    auto op = npu::BufferOp::create(builder_, locationOf(buffer), npu::Space(uint32_t(buffer.space)), buffer.index,
                                    int64_t(buffer.bytes), buffer.name);
    if (buffer.space == BufferSpace::Constants)
      op.setContentsAttr(contents(buffer));
    if (buffer.address != kUnplaced)
      op.setProposal(int64_t(buffer.address));
    values_.push_back(op.getResult());
  }

  ArrayAttr contents(const Buffer &buffer) {
    SmallVector<Attribute> segments;
    for (const Segment &s : buffer.contents)
      segments.push_back(
          npu::SegmentAttr::get(builder_.getContext(), placed_.constants[s.constant], s.source, s.size, s.offset));
    return builder_.getArrayAttr(segments);
  }

  void collectLocations() {
    for (auto [index, operation] : llvm::enumerate(placed_.problem.operations))
      locations_.try_emplace(operation.layer, placed_.operations[index]->getLoc());
    if (!records_)
      return;
    const uint32_t first = operationsBefore();
    for (auto [index, operation] : llvm::enumerate(placed_.problem.operations)) {
      mlir::Operation *op = placed_.operations[index];
      origins_.push_back(
          placedLocation(op->getLoc(), {first + uint32_t(index), cast<RankedTensorType>(op->getResult(0).getType())}));
      for (const Operand &output : operation.outputs)
        writers_.try_emplace(output.id, uint32_t(index));
    }
  }

  /// Operations of earlier sections.
  uint32_t operationsBefore() {
    uint32_t count = 0;
    for (auto program : function_->getParentOfType<ModuleOp>().getOps<npu::ProgramOp>())
      program.walk([&](mlir::Operation *op) {
        if (const auto origin = placedOriginOf(op->getLoc()))
          count = std::max(count, origin->operation + 1);
      });
    return count;
  }

  /// That of the operation that writes the buffer's tensor, or reads its constants.
  Location locationOf(const Buffer &buffer) {
    if (origins_.empty())
      return function_.getLoc();
    const auto writer = writers_.find(buffer.tensor);
    const uint32_t operation = writer == writers_.end() ? buffer.operation : writer->second;
    return operation == kNone ? function_.getLoc() : origins_[operation];
  }

  Location locationOf(const Step &step) {
    if (!origins_.empty() && step.origin.operation != kNone)
      return tileLocation(origins_[step.origin.operation], step.origin.place);
    auto location = locations_.find(step.layer);
    return location == locations_.end() ? function_.getLoc() : location->second;
  }

  void writeStep(const Step &step) {
    SmallVector<Value> buffers;
    for (uint32_t buffer : step.buffers)
      buffers.push_back(values_[buffer]);
    std::visit(StepWriter{builder_, locationOf(step), buffers, step}, step.command);
  }

  func::FuncOp function_;
  const PlacedProblem &placed_;
  const Sequence &sequence_;
  OpBuilder builder_;
  std::vector<Value> values_;                        ///< by buffer
  std::unordered_map<uint32_t, Location> locations_; ///< by layer
  const bool records_;                               ///< whether to record origins
  std::vector<Location> origins_;                    ///< by operation, if recorded
  std::unordered_map<uint32_t, uint32_t> writers_;   ///< first operation by tensor, if recorded
};

} // namespace

npu::ProgramOp writeProgram(func::FuncOp function, const PlacedProblem &placed, const Sequence &sequence) {
  return Writer(function, placed, sequence).run();
}

namespace {

/// Sums over the operations of one layer.
struct LayerSums {
  uint64_t inputBytes = 0, outputBytes = 0;
  bool onArray = false; ///< at least a part; the DSP then only prepares operands or finishes results
};

void addOperation(const Problem &problem, uint32_t index, LayerSums &sums) {
  const schedule::Operation &op = problem.operations[index];
  for (const Operand &input : op.inputs)
    sums.inputBytes += input.isConstant ? 0 : input.shape.bytes();
  for (const Operand &output : op.outputs)
    sums.outputBytes += output.shape.bytes();
  sums.onArray |= !std::holds_alternative<firmware::DspCommand>(op.command);
}

} // namespace

ArrayAttr layerTable(func::FuncOp function, const Problem &problem) {
  mlir::Builder builder(function.getContext());
  std::map<uint32_t, LayerSums> sums;
  for (uint32_t i = 0; i < problem.operations.size(); ++i)
    addOperation(problem, i, sums[problem.operations[i].layer]);
  auto described = function->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr);
  const size_t count = std::max<size_t>(described ? described.size() : 0, sums.empty() ? 0 : sums.rbegin()->first + 1);
  SmallVector<Attribute> entries;
  for (uint32_t layer = 0; layer < count; ++layer) {
    NamedAttrList entry;
    if (described && layer < described.size())
      entry.append(cast<DictionaryAttr>(described[layer]).getValue());
    const LayerSums &s = sums[layer];
    entry.set(attrs::kLayerEngine,
              builder.getStringAttr(valueName(s.onArray ? firmware::EngineKind::Mac : firmware::EngineKind::Dsp)));
    entry.set(attrs::kLayerInputBytes, builder.getI64IntegerAttr(int64_t(s.inputBytes)));
    entry.set(attrs::kLayerOutputBytes, builder.getI64IntegerAttr(int64_t(s.outputBytes)));
    entries.push_back(entry.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(entries);
}

} // namespace avocet::compiler::schedule
