//===- NnWork.cpp - How much work an operation is ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnWork.h"

#include "NnVerify.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler::nn {

static uint64_t countOf(Value value) { return static_cast<uint64_t>(tensorOf(value).getNumElements()); }

static uint64_t countOf(ValueRange values) {
  uint64_t most = 0;
  for (Value value : values)
    most = std::max(most, countOf(value));
  return most;
}

static bool hasBits(Type element, unsigned bits) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized && quantized.getStorageTypeIntegralWidth() == bits;
}

/// A float that meets 8-bit weights is first rounded to 8 bits.
static Type multipliedType(Type input, Type weights) {
  return isa<FloatType>(input) && isa<quant::QuantizedType>(weights) ? weights : input;
}

Work moveWork() { return {}; }

/// A smaller image is sampled: not all elements of the larger one are read.
static uint64_t elementsOf(Operation *op) {
  const uint64_t made = countOf(op->getResults());
  return isa<ResizeOp>(op) ? made : std::max(countOf(op->getOperands()), made);
}

Work vectorWork(Operation *op) {
  Work work;
  work.kind = WorkKind::Vector;
  work.elements = elementsOf(op);
  work.input = op->getNumOperands() != 0 ? elementOf(op->getOperand(0)) : elementOf(op->getResult(0));
  return work;
}

Work pairWork(WorkKind kind, Operation *op) {
  Work work = vectorWork(op);
  work.kind = kind;
  return work;
}

Work functionWork(Operation *op) {
  Work work = vectorWork(op);
  if (hasBits(work.input, 8))
    work.kind = WorkKind::Lookup;
  return work;
}

Work poolWork(WorkKind kind, Operation *op, uint64_t terms) {
  Work work = vectorWork(op);
  work.kind = kind;
  work.elements = countOf(op->getResult(0));
  work.terms = terms;
  return work;
}

Work meanWork(Operation *op) {
  return poolWork(WorkKind::AveragePool, op, countOf(op->getOperand(0)) / countOf(op->getResult(0)));
}

/// Whether sums have 64 bits (NnConvOps.td, the 16-bit form).
static bool hasWideSums(Value input, Value bias) {
  return hasBits(elementOf(input), 16) && !(bias && elementOf(bias).isInteger(32));
}

static Work filterWork(Operation *op, Value filter, Value bias, uint64_t channels) {
  Value input = op->getOperand(0);
  Work work;
  work.kind = WorkKind::Dense;
  work.elements = countOf(op->getResult(0));
  work.terms = countOf(filter) / channels;
  work.macs = work.elements * work.terms;
  work.weights = countOf(filter);
  work.input = multipliedType(elementOf(input), elementOf(filter));
  work.multiplier = elementOf(filter);
  work.bias = bias;
  work.channels = channels;
  work.hasWideSums = hasWideSums(input, bias);
  return work;
}

Work convolutionWork(Operation *op, Value filter, Value bias) {
  return filterWork(op, filter, bias, static_cast<uint64_t>(shapeOf(filter).front()));
}

Work depthwiseWork(Operation *op, Value filter, Value bias) {
  Work work = filterWork(op, filter, bias, static_cast<uint64_t>(shapeOf(filter).back()));
  const bool hasOneChannel = tensorOf(op->getOperand(0)).getShape().back() == 1;
  work.kind = hasOneChannel ? WorkKind::Dense : WorkKind::Depthwise;
  return work;
}

Work transposedWork(Operation *op, Value filter, Value bias) {
  Work work = convolutionWork(op, filter, bias);
  const auto inputChannels = static_cast<uint64_t>(shapeOf(filter).back());
  work.macs = countOf(op->getOperand(0)) * (countOf(filter) / inputChannels);
  work.terms = 1; // outputs differ in the number of elements that meet in them
  return work;
}

Work matmulWork(Operation *op, uint64_t terms) {
  Work work;
  work.kind = WorkKind::Dense;
  work.elements = countOf(op->getResult(0));
  work.terms = terms;
  work.macs = work.elements * terms;
  work.multiplier = elementOf(op->getOperand(1));
  work.input = multipliedType(elementOf(op->getOperand(0)), work.multiplier);
  return work;
}

Work recurrentWork(Operation *op, ValueRange inputMatrices, ArrayRef<ValueRange> others) {
  RankedTensorType input = tensorOf(op->getOperand(0));
  const auto vectors = static_cast<uint64_t>(input.getNumElements() / input.getShape().back());
  Work work;
  work.kind = WorkKind::Dense;
  for (Value matrix : inputMatrices) {
    work.weights += countOf(matrix);
    work.elements += vectors * static_cast<uint64_t>(shapeOf(matrix).front());
  }
  for (ValueRange group : others)
    for (Value matrix : group)
      if (tensorOf(matrix).getRank() == 2)
        work.weights += countOf(matrix);
  work.macs = vectors * work.weights;
  work.multiplier = elementOf(inputMatrices.front());
  work.input = multipliedType(input.getElementType(), work.multiplier);
  return work;
}

} // namespace avocet::compiler::nn
