//===- Broadcast.cpp - Operands that repeat along some axes  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The operand's shape with axes of extent 1 in front, as many as the result has more.
SmallVector<int64_t> alignedShape(Value value, size_t rank) {
  ArrayRef<int64_t> own = tensorOf(value).getShape();
  SmallVector<int64_t> aligned(rank - own.size(), 1);
  llvm::append_range(aligned, own);
  return aligned;
}

/// An axis of the result and how far a step along it goes in both operands.
struct Axis {
  int64_t extent, strideA, strideB;

  /// Whether steps along this axis continue those along the next inner one.
  bool continues(const Axis &inner) const {
    return strideA == inner.strideA * inner.extent && strideB == inner.strideB * inner.extent;
  }
};

/// From the innermost axis outwards, without axes of extent 1, neighbours merged.
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

kernels::BroadcastShape broadcastStrides(Value lhs, Value rhs, ArrayRef<int64_t> result) {
  SmallVector<int64_t> a = alignedShape(lhs, result.size()), b = alignedShape(rhs, result.size());
  kernels::BroadcastShape shape;
  SmallVector<Axis> axes = mergedAxes(a, b, result);
  for (const Axis &axis : llvm::reverse(axes)) {
    shape.extents[shape.rank] = axis.extent;
    shape.stridesA[shape.rank] = axis.strideA;
    shape.stridesB[shape.rank] = axis.strideB;
    ++shape.rank;
  }
  return shape;
}

LogicalResult placeBinary(Operation *op, kernels::BinaryParameters parameters, Placement &placement) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  ArrayRef<int64_t> result = tensorOf(op->getResult(0)).getShape();
  auto a = broadcastStorage(lhs, result), b = broadcastStorage(rhs, result);
  Placement::Dsp dsp;
  dsp.kernel = "binary";
  dsp.rowWise = a && b;
  if (dsp.rowWise) {
    dsp.inputs = {placement.view(op->getLoc(), placement.operand(lhs), *a),
                  placement.view(op->getLoc(), placement.operand(rhs), *b)};
  } else {
    dsp.inputs = {placement.operand(lhs), placement.operand(rhs)};
    parameters.shape = broadcastStrides(lhs, rhs, result);
  }
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputZeroPoints = {quantizationOf(lhs).zeroPoint, quantizationOf(rhs).zeroPoint};
  dsp.results = {storageType(tensorOf(op->getResult(0)))};
  dsp.resultZeroPoints = {quantizationOf(op->getResult(0)).zeroPoint};
  FailureOr<npu::DspOp> binary = placement.dsp(op, dsp);
  return failed(binary) ? failure() : placement.finish(op, binary->getResult(0));
}

} // namespace avocet::compiler
