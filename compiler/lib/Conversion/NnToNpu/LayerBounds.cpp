//===- LayerBounds.cpp - Work and bounds in the layer table -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many bytes the constants of a network are as stored, whatever the placement makes of them. What the device must
// read at least is computed from these.
//
//===----------------------------------------------------------------------===//

#include "LayerBounds.h"

#include "Storage.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/kernels/DeviceBound.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {
namespace {

uint64_t elementBytes(Value value) {
  auto stored = npu::dataTypeOf(storageElement(tensorOf(value).getElementType()));
  return stored ? firmware::sizeOf(*stored) : 0;
}

uint64_t plainBytes(Value value) {
  return static_cast<uint64_t>(tensorOf(value).getNumElements()) * elementBytes(value);
}

/// A constant as stored. Elements are stored plainly.
uint64_t storedBytes(nn::ConstantOp constant) { return plainBytes(constant.getOutput()); }

/// Channel records of an operation, which hold its bias and scales.
uint64_t recordBytes(const nn::Work &work) {
  const auto scaling = work.hasWideSums ? firmware::OutputScaling::RequantizeWide : firmware::OutputScaling::Requantize;
  return work.channels * firmware::channelRecordBytes(scaling);
}

/// Bytes of the constants that an operation reads. Each constant of `counted` counts once; those that the operation
/// reads are added. An operation that only moves elements reads no more of a constant than it makes. Operations with
/// the same constants have the same records.
uint64_t constantBytesOf(Operation *op, const nn::Work &work, llvm::DenseSet<Operation *> &counted) {
  uint64_t bytes = 0;
  bool hasConstants = false, hasNew = false;
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<nn::ConstantOp>();
    if (!constant)
      continue;
    hasConstants = true;
    if (!counted.insert(constant).second)
      continue;
    hasNew = true;
    if (operand == work.bias)
      continue;
    const uint64_t stored = storedBytes(constant);
    bytes += work.kind == nn::WorkKind::Move ? std::min(stored, plainBytes(op->getResult(0))) : stored;
  }
  return bytes + (hasNew || !hasConstants ? recordBytes(work) : 0);
}

kernels::WorkKind kindOf(nn::WorkKind kind) {
  switch (kind) {
  case nn::WorkKind::Move:
    return kernels::WorkKind::Move;
  case nn::WorkKind::Dense:
    return kernels::WorkKind::Dense;
  case nn::WorkKind::Depthwise:
    return kernels::WorkKind::Depthwise;
  case nn::WorkKind::Sum:
    return kernels::WorkKind::Sum;
  case nn::WorkKind::Product:
    return kernels::WorkKind::Product;
  case nn::WorkKind::Lookup:
    return kernels::WorkKind::Lookup;
  case nn::WorkKind::MaxPool:
    return kernels::WorkKind::MaxPool;
  case nn::WorkKind::AveragePool:
    return kernels::WorkKind::AveragePool;
  case nn::WorkKind::Vector:
    return kernels::WorkKind::Vector;
  }
  llvm_unreachable("all kinds are listed");
}

/// Bytes that a value is made of: operations that only move elements may repeat some, as padding and broadcasts do.
uint64_t leastBytes(Value value) {
  const uint64_t bytes = plainBytes(value);
  Operation *op = value.getDefiningOp();
  auto states = dyn_cast_or_null<nn::WorkInterface>(op);
  if (!states || isa<nn::ConstantOp>(op) || states.getWork().kind != nn::WorkKind::Move)
    return bytes;
  uint64_t sum = 0;
  for (Value operand : op->getOperands())
    sum += plainBytes(operand);
  return std::min(bytes, sum);
}

/// Bytes of an operand that the operation does not read.
uint64_t unreadBytes(Value operand, const nn::Work &work) {
  const uint64_t elements = static_cast<uint64_t>(tensorOf(operand).getNumElements());
  return work.reads == 0 ? 0 : (elements - std::min(elements, work.reads)) * elementBytes(operand);
}

/// Bytes of an input of the network that its only reader does not read.
uint64_t unreadInputBytes(Operation *op, const nn::Work &work) {
  const bool isInput = op->getNumOperands() != 0 && isa<BlockArgument>(op->getOperand(0));
  return isInput && op->getOperand(0).hasOneUse() ? unreadBytes(op->getOperand(0), work) : 0;
}

/// Bytes of an operand that the SRAM port has to move: constants count as weights.
uint64_t operandBytes(OpOperand &operand, const nn::Work &work) {
  const Value value = operand.get();
  if (!isa<RankedTensorType>(value.getType()) || value.getDefiningOp<nn::ConstantOp>())
    return 0;
  return std::min(leastBytes(value),
                  plainBytes(value) - (operand.getOperandNumber() == 0 ? unreadBytes(value, work) : 0));
}

bool isFunctionOfElements(const nn::Work &work) {
  return work.kind == nn::WorkKind::Sum || work.kind == nn::WorkKind::Product || work.kind == nn::WorkKind::Lookup;
}

/// Operands and results, each once, a value that is read twice too. A function of elements can take one operand in the
/// place in which it is made, and leave its result there; that is neither read nor written again.
uint64_t portBytes(Operation *op, const nn::Work &work) {
  uint64_t bytes = 0, made = 0;
  llvm::SmallDenseSet<Value> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!seen.insert(operand.get()).second)
      continue;
    bytes += operandBytes(operand, work);
    if (producerOf(operand.get()))
      made = std::max(made, operandBytes(operand, work));
  }
  if (isFunctionOfElements(work) && made != 0)
    return bytes - made;
  for (Value result : op->getResults())
    bytes += plainBytes(result);
  return bytes;
}

/// Whether the DSP reads what the array makes, or the other way.
bool changesEngine(Operation *op, const nn::Work &work) {
  const auto isArrays = [](const nn::Work &of) {
    return of.kind == nn::WorkKind::Dense || of.kind == nn::WorkKind::Depthwise;
  };
  auto producer = dyn_cast_or_null<nn::WorkInterface>(op->getNumOperands() ? producerOf(op->getOperand(0)) : nullptr);
  if (!producer)
    return false;
  const nn::Work made = producer.getWork();
  return (isArrays(work) && made.kind == nn::WorkKind::Vector) || (isArrays(made) && work.kind == nn::WorkKind::Vector);
}

kernels::Grid gridOf(const nn::WorkGrid &grid) {
  return {.rows = grid.rows,
          .columns = grid.columns,
          .isFree = grid.isFree,
          .channels = grid.channels,
          .groups = grid.groups,
          .kernelRows = grid.kernel[0],
          .kernelColumns = grid.kernel[1],
          .strideRows = grid.stride[0],
          .strideColumns = grid.stride[1],
          .isTransposed = grid.isTransposed,
          .inputChannels = grid.inputChannels,
          .inputPositions = grid.inputPositions};
}

firmware::DataType typeOf(Type element) {
  auto type = element ? npu::dataTypeOf(storageElement(element)) : std::nullopt;
  return type.value_or(firmware::DataType::Int8);
}

void set(NamedAttrList &figures, Builder builder, StringRef name, uint64_t value) {
  if (value != 0)
    figures.set(name, builder.getI64IntegerAttr(static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX))));
}

} // namespace

NamedAttrList LayerBounds::of(Operation *op) {
  auto states = dyn_cast<nn::WorkInterface>(op);
  if (!states)
    return {};
  const nn::Work work = states.getWork();
  const kernels::Work onTarget = {.kind = kindOf(work.kind),
                                  .macs = work.macs,
                                  .elements = work.elements,
                                  .terms = work.terms,
                                  .weights = work.weights,
                                  .input = typeOf(work.input),
                                  .multiplier = typeOf(work.multiplier),
                                  .axisTerms = work.axisTerms};
  const uint64_t compute = kernels::computeCycles(target_, onTarget);
  const kernels::DeviceWork onDevice = {.work = onTarget,
                                        .grid = gridOf(work.grid),
                                        .reads = work.reads,
                                        .instructions = work.instructions,
                                        .portBytes = portBytes(op, work),
                                        .sequenceSteps = work.sequence.steps,
                                        .recurrentWeights = work.sequence.weights,
                                        .recurrentOutputs = work.sequence.outputs,
                                        .waiting = waits_.of(op),
                                        .changesEngine = changesEngine(op, work)};
  const uint64_t bytes = constantBytesOf(op, work, counted_);
  Builder builder(op->getContext());
  NamedAttrList figures;
  set(figures, builder, attrs::kLayerMacs, work.macs);
  set(figures, builder, attrs::kLayerComputeCycles, compute);
  set(figures, builder, attrs::kLayerDeviceCycles, kernels::deviceCycles(target_, onDevice));
  set(figures, builder, attrs::kLayerWeightBytes, bytes);
  set(figures, builder, attrs::kLayerUnreadBytes, unreadInputBytes(op, work));
  set(figures, builder, attrs::kLayerRooflineCycles, kernels::rooflineCycles(target_, compute, bytes));
  return figures;
}

} // namespace avocet::compiler
