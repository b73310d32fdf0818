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
#include "avocet/kernels/Roofline.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {
namespace {

static uint64_t plainBytes(Value value) {
  RankedTensorType type = tensorOf(value);
  auto stored = npu::dataTypeOf(storageElement(type.getElementType()));
  return stored ? static_cast<uint64_t>(type.getNumElements()) * firmware::sizeOf(*stored) : 0;
}

/// A constant as stored. Elements are stored plainly.
uint64_t storedBytes(nn::ConstantOp constant) { return plainBytes(constant.getOutput()); }

/// Channel records of an operation, which hold its bias and scales.
uint64_t recordBytes(const nn::Work &work) {
  const auto scaling = work.hasWideSums ? firmware::OutputScaling::RequantizeWide : firmware::OutputScaling::Requantize;
  return work.channels * firmware::channelRecordBytes(scaling);
}

/// Bytes of the constants that an operation reads. Each constant of `counted` counts once; those that the operation
/// reads are added. An operation that only moves elements reads no more of a constant than it makes.
uint64_t constantBytesOf(Operation *op, const nn::Work &work, llvm::DenseSet<Operation *> &counted) {
  uint64_t bytes = recordBytes(work);
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<nn::ConstantOp>();
    if (!constant || operand == work.bias || !counted.insert(constant).second)
      continue;
    const uint64_t stored = storedBytes(constant);
    bytes += work.kind == nn::WorkKind::Move ? std::min(stored, plainBytes(op->getResult(0))) : stored;
  }
  return bytes;
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
  const kernels::Work onTarget = {kindOf(work.kind), work.macs,          work.elements,          work.terms,
                                  work.weights,      typeOf(work.input), typeOf(work.multiplier)};
  const uint64_t compute = kernels::computeCycles(target_, onTarget);
  const uint64_t bytes = constantBytesOf(op, work, counted_);
  Builder builder(op->getContext());
  NamedAttrList figures;
  set(figures, builder, attrs::kLayerMacs, work.macs);
  set(figures, builder, attrs::kLayerComputeCycles, compute);
  set(figures, builder, attrs::kLayerWeightBytes, bytes);
  set(figures, builder, attrs::kLayerRooflineCycles, kernels::rooflineCycles(target_, compute, bytes));
  return figures;
}

} // namespace avocet::compiler
