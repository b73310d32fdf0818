//===- Broadcast.cpp - Operands that repeat along some axes  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"

#include "avocet/kernels/dsp/Binary.h"

#include <functional>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The operand's shape, extended to `rank` by leading axes of extent 1.
SmallVector<int64_t> alignedShape(Value value, size_t rank) {
  ArrayRef<int64_t> own = tensorOf(value).getShape();
  SmallVector<int64_t> aligned(rank - own.size(), 1);
  llvm::append_range(aligned, own);
  return aligned;
}

/// An axis of the result and its stride in both operands.
struct Axis {
  int64_t extent, strideA, strideB;

  /// Whether steps along this axis continue those along the next inner axis.
  bool continues(const Axis &inner) const {
    return strideA == inner.strideA * inner.extent && strideB == inner.strideB * inner.extent;
  }
};

/// Axes from the innermost outwards, without those of extent 1, mergeable neighbours merged.
SmallVector<Axis> mergedAxes(ArrayRef<int64_t> a, ArrayRef<int64_t> b, ArrayRef<int64_t> result) {
  SmallVector<Axis> axes;
  int64_t strideA = 1, strideB = 1;
  for (size_t axis = result.size(); axis-- > 0;) {
    Axis next{result[axis], a[axis] == 1 ? 0 : strideA, b[axis] == 1 ? 0 : strideB};
    strideA *= a[axis];
    strideB *= b[axis];
    if (next.extent == 1)
      continue;
    if (!axes.empty() && next.continues(axes.back()))
      axes.back().extent *= next.extent;
    else
      axes.push_back(next);
  }
  if (axes.empty())
    axes.push_back({1, 0, 0});
  return axes;
}

} // namespace

std::optional<StorageShape> broadcastStorage(Value value, ArrayRef<int64_t> result) {
  StorageShape shape = storageShape(alignedShape(value, result.size()));
  if (shape[0] != 1 && shape[0] != storageShape(result)[0])
    return std::nullopt;
  return shape;
}

BroadcastRows broadcastRows(Value lhs, Value rhs, ArrayRef<int64_t> result) {
  SmallVector<Axis> axes = mergedAxes(alignedShape(lhs, result.size()), alignedShape(rhs, result.size()), result);
  Axis outermost = axes.size() > 1 ? axes.pop_back_val() : Axis{1, 0, 0};
  BroadcastRows rows;
  for (const Axis &axis : llvm::reverse(axes)) {
    rows.shape.extents[rows.shape.rank] = axis.extent;
    rows.shape.stridesA[rows.shape.rank] = axis.strideA;
    rows.shape.stridesB[rows.shape.rank] = axis.strideB;
    ++rows.shape.rank;
  }
  auto storage = [](int64_t height, int64_t elements) { return StorageShape{height, 1, elements / height}; };
  int64_t elements = std::accumulate(result.begin(), result.end(), int64_t(1), std::multiplies<>());
  rows.lhs = storage(outermost.strideA == 0 ? 1 : outermost.extent, tensorOf(lhs).getNumElements());
  rows.rhs = storage(outermost.strideB == 0 ? 1 : outermost.extent, tensorOf(rhs).getNumElements());
  rows.result = storage(outermost.extent, elements);
  return rows;
}

LogicalResult placeBinary(Operation *op, kernels::BinaryParameters parameters, Placement &placement) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto type = tensorOf(op->getResult(0));
  auto a = broadcastStorage(lhs, type.getShape()), b = broadcastStorage(rhs, type.getShape());
  BroadcastRows rows{a.value_or(StorageShape()), b.value_or(StorageShape()), storageShape(type.getShape()), {}};
  if (!a || !b)
    rows = broadcastRows(lhs, rhs, type.getShape());
  parameters.shape = rows.shape;
  Placement::Dsp dsp;
  dsp.kernel = kernels::kBinaryKernel;
  dsp.inputs = {placement.view(op->getLoc(), placement.operand(lhs), rows.lhs),
                placement.view(op->getLoc(), placement.operand(rhs), rows.rhs)};
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputZeroPoints = {quantizationOf(lhs).zeroPoint, quantizationOf(rhs).zeroPoint};
  dsp.results = {storageType(rows.result, storageElement(type.getElementType()))};
  dsp.resultZeroPoints = {quantizationOf(op->getResult(0)).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> binary = placement.dsp(op, dsp);
  return failed(binary) ? failure() : placement.finish(op, binary->getResult(0));
}

} // namespace avocet::compiler
