//===- VerifyScheduled.cpp - Contract of scheduled modules ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyUnits.h"

#include "avocet/compiler/Schedule/Schedule.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/firmware_iface/Footprint.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_VERIFYSCHEDULEDPASS
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

namespace {

/// Checks that a section's operands have places, and its frame a valid size.
LogicalResult checkPlaces(npu::ProgramOp program) {
  if (frameBytesOf(program) < 0)
    return program.emitError("has a frame of negative size");
  for (ArrayAttr operands : {program.getInputs(), program.getOutputs()})
    for (auto operand : operands.getAsRange<DictionaryAttr>())
      if (isSection(program) != placeOf(operand).has_value())
        return program.emitError("must have places for its operands if it is a section, and none otherwise");
  return success();
}

/// Checks a transfer's template, with each end in a separate region.
LogicalResult checkTransfer(npu::CommandOpInterface op, MutableArrayRef<npu::BufferOp> buffers) {
  uint32_t next = 0;
  std::vector<firmware::ByteRange> ranges;
  firmware::appendFootprint(op.buildCommand([&](Value) { return npu::BufferAddress{next++, 0}; }), ranges);
  for (const auto &range : ranges)
    if (range.region >= buffers.size() || range.end > uint64_t(buffers[range.region].getBytes()))
      return op.emitError("a transfer accesses bytes outside its buffer");
  return success();
}

/// Checks a tile's template, with the buffers side by side in unbounded SRAM, with gaps between them.
LogicalResult checkTile(npu::CommandOpInterface op, MutableArrayRef<npu::BufferOp> buffers) {
  constexpr uint64_t kGap = 64, kMostBytes = uint64_t(1) << 31;
  std::vector<uint64_t> bases;
  uint64_t end = 0;
  for (npu::BufferOp buffer : buffers) {
    bases.push_back(end);
    if (uint64_t(buffer.getBytes()) > kMostBytes || (end += uint64_t(buffer.getBytes()) + kGap) > kMostBytes)
      return op.emitError("works on buffers of more than 2^31 bytes");
  }
  size_t next = 0;
  std::vector<firmware::ByteRange> ranges;
  firmware::appendFootprint(
      op.buildCommand([&](Value) { return npu::BufferAddress{firmware::kSramRegion, bases[next++]}; }), ranges);
  for (const auto &range : ranges) {
    bool inside = false;
    for (size_t i = 0; i < buffers.size(); ++i)
      inside |= range.begin >= bases[i] && range.end <= bases[i] + uint64_t(buffers[i].getBytes());
    if (!inside)
      return op.emitError("a tile accesses bytes outside its buffers");
  }
  return success();
}

/// Checks that the bytes a template accesses are inside its buffers, and that tiles access only SRAM.
LogicalResult checkCommand(npu::CommandOpInterface op) {
  const bool isDma = op.getEngine().kind == firmware::EngineKind::Dma;
  SmallVector<npu::BufferOp> buffers;
  for (Value value : op.getAddressBuffers()) {
    auto buffer = value.getDefiningOp<npu::BufferOp>();
    if (!buffer)
      return op.emitError("has an operand that is no npu.buffer");
    if (!isDma && buffer.getSpace() != npu::Space::Sram)
      return op.emitError("works outside SRAM");
    buffers.push_back(buffer);
  }
  return isDma ? checkTransfer(op, buffers) : checkTile(op, buffers);
}

LogicalResult verifyScheduledProgram(npu::ProgramOp program) {
  if (failed(checkPlaces(program)))
    return failure();
  for (Operation &op : program.getBody().front()) {
    if (isa<npu::BufferOp>(op))
      continue;
    auto command = dyn_cast<npu::CommandOpInterface>(op);
    if (isCancelled())
      return failure();
    if (!command)
      return op.emitOpError("is not allowed at the scheduled level");
    if (failed(checkCommand(command)))
      return failure();
  }
  return success();
}

struct VerifyScheduled : impl::VerifyScheduledPassBase<VerifyScheduled> {
  void runOnOperation() override {
    if (failed(verifyScheduled(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult verifyScheduled(ModuleOp module) {
  if (failed(checkUnits<npu::ProgramOp>(module, "scheduled")))
    return failure();
  for (auto program : module.getOps<npu::ProgramOp>())
    if (failed(verifyScheduledProgram(program)))
      return failure();
  return success();
}

} // namespace avocet::compiler
