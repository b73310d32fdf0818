//===- ScheduledOps.cpp - Rules of the scheduled level ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Rounding.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/Section.h"

using namespace mlir;
using namespace avocet::compiler;
using namespace avocet::compiler::npu;
using namespace avocet::firmware;

namespace {

/// One buffer per address field; all in SRAM, except for the ends of transfers.
template <typename Op> LogicalResult verifyScheduled(Op op) {
  unsigned expected = countAddresses(op.getCommand());
  if (op.getBuffers().size() != expected)
    return op.emitOpError() << "has " << op.getBuffers().size() << " buffers, its command has " << expected
                            << " addresses";
  if (!isa_and_present<ProgramOp>(op->getParentOp()))
    return op.emitOpError("must be in an npu.program");
  return success();
}

} // namespace

LogicalResult TileConvOp::verify() { return verifyScheduled(*this); }
LogicalResult TilePoolOp::verify() { return verifyScheduled(*this); }
LogicalResult TileEltwiseOp::verify() { return verifyScheduled(*this); }
LogicalResult TileLookupOp::verify() { return verifyScheduled(*this); }
LogicalResult TileDspOp::verify() { return verifyScheduled(*this); }

LogicalResult DmaOp::verify() {
  if (int32_t(getChannel()) < 0)
    return emitOpError("channel must be 0 or more");
  return verifyScheduled(*this);
}

void BufferOp::build(OpBuilder &builder, OperationState &state, Space space, int64_t index, int64_t bytes,
                     StringRef name) {
  build(builder, state, BufferType::get(builder.getContext()), space, index, bytes, IntegerAttr(), IntegerAttr(),
        ArrayAttr(), name.empty() ? StringAttr() : builder.getStringAttr(name));
}

void BufferOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName().value_or(stringifySpace(getSpace())));
}

static LogicalResult verifyContents(BufferOp buffer) {
  ArrayAttr contents = *buffer.getContents();
  for (Attribute attribute : contents) {
    auto segment = dyn_cast<SegmentAttr>(attribute);
    if (!segment)
      return buffer.emitOpError("contents must be segments");
    uint64_t have = segment.getData().getNumElements() *
                    avocet::divideUp(segment.getData().getElementType().getIntOrFloatBitWidth(), 8);
    if (segment.getSource() > have || segment.getSize() > have - segment.getSource())
      return buffer.emitOpError() << "segment takes bytes " << segment.getSource() << " to "
                                  << segment.getSource() + segment.getSize() << " of a constant of " << have;
    uint64_t bytes = buffer.getBytes();
    if (segment.getOffset() > bytes || segment.getSize() > bytes - segment.getOffset())
      return buffer.emitOpError() << "segment at byte " << segment.getOffset() << " exceeds the buffer of " << bytes;
  }
  return success();
}

LogicalResult BufferOp::verify() {
  if (int64_t(getBytes()) < 1 || int64_t(getIndex()) < 0)
    return emitOpError("needs a size of 1 or more and an index of 0 or more");
  if (getAddress() && int64_t(*getAddress()) < 0)
    return emitOpError("address must be 0 or more");
  if (getContents().has_value() != (getSpace() == Space::Constants))
    return emitOpError("contents and the space constants must be used together");
  return getContents() ? verifyContents(*this) : success();
}

LogicalResult ProgramOp::verify() {
  if (getSramBytes().has_value() != getScratchBytes().has_value() ||
      getSramBytes().has_value() != getConstantsBytes().has_value())
    return emitOpError("has some of the sizes of allocation, must have all or none");
  for (ArrayAttr table : {getInputs(), getOutputs(), getLayers()})
    for (Attribute entry : table)
      if (!isa<DictionaryAttr>(entry))
        return emitOpError("inputs, outputs and layers must be dictionaries");
  return success();
}

uint32_t avocet::compiler::npu::regionOf(ProgramOp program, Space space, int64_t index) {
  uint32_t inputs = program.getInputs().size(), outputs = program.getOutputs().size();
  uint32_t constants = constantsRegionOf(program).value_or(1 + inputs + outputs);
  switch (space) {
  case Space::Sram:
    return kSramRegion;
  case Space::Input:
    return 1 + uint32_t(index);
  case Space::Output:
    return 1 + inputs + uint32_t(index);
  case Space::Constants:
    return constants;
  case Space::Scratch:
    return constants + 1;
  }
  llvm_unreachable("all spaces are listed");
}

/// Place of a network operand's buffer, if its program is a section.
static std::optional<OperandPlace> placeOfOperand(ProgramOp program, BufferOp buffer) {
  if (buffer.getSpace() != Space::Input && buffer.getSpace() != Space::Output)
    return std::nullopt;
  ArrayAttr operands = buffer.getSpace() == Space::Input ? program.getInputs() : program.getOutputs();
  if (buffer.getIndex() >= operands.size())
    return std::nullopt;
  return placeOf(cast<DictionaryAttr>(operands[buffer.getIndex()]));
}

BufferAddress avocet::compiler::npu::addressOf(ProgramOp program, Value buffer) {
  auto op = buffer.getDefiningOp<BufferOp>();
  if (std::optional<OperandPlace> place = placeOfOperand(program, op))
    return {place->region, place->offset + static_cast<uint64_t>(*op.getAddress())};
  return {regionOf(program, op.getSpace(), op.getIndex()), static_cast<uint64_t>(*op.getAddress())};
}
