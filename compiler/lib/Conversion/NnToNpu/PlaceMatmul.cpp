//===- PlaceMatmul.cpp - BATCH_MATMUL on the array --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of the left matrices are the pixels of an image, the right matrices are weights. The DSP first brings
// computed right matrices into the array's order.
//
//===----------------------------------------------------------------------===//

#include "ComputedWeights.h"
#include "HybridRows.h"
#include "MacLayer.h"
#include "Rearrange.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// An operand's matrices, as axes of its dense tensor.
struct Matrices {
  Matrices(Value value, bool isTransposed, ArrayRef<int64_t> resultShape) {
    ArrayRef<int64_t> shape = tensorOf(value).getShape();
    SmallVector<int64_t> strides = denseStrides(shape);
    const size_t rank = shape.size(), missing = resultShape.size() - rank;
    for (size_t axis = 0; axis + 2 < resultShape.size(); ++axis) {
      const bool repeats = axis < missing || shape[axis - missing] == 1;
      batch.push_back({resultShape[axis], repeats ? 0 : strides[axis - missing]});
      matrices *= repeats ? 1 : resultShape[axis];
      result *= resultShape[axis];
    }
    rows = {shape[rank - 2], strides[rank - 2]};
    columns = {shape[rank - 1], strides[rank - 1]};
    if (isTransposed)
      std::swap(rows, columns);
  }

  SmallVector<StridedAxis> batch; ///< of the result
  StridedAxis rows, columns;
  int64_t matrices = 1, result = 1; ///< in the operand, and in the result
};

/// The left matrices without transposition, one for each matrix of the result.
FailureOr<Value> leftStorage(nn::BatchMatmulOp op, const Matrices &lhs, Placement &placement) {
  Value storage = placement.operand(op.getLhs());
  if (!op.getTransposeLhs() && lhs.matrices == lhs.result)
    return storage;
  kernels::Move move;
  int64_t stride = lhs.rows.extent * lhs.columns.extent;
  auto addAxis = [&move](const StridedAxis &axis, int64_t to) {
    move.axes.insert(move.axes.begin(),
                     {static_cast<uint32_t>(axis.extent), static_cast<int32_t>(axis.stride), static_cast<int32_t>(to)});
  };
  addAxis(lhs.columns, 1);
  addAxis(lhs.rows, lhs.columns.extent);
  for (size_t axis = lhs.batch.size(); axis-- > 0; stride *= lhs.batch[axis].extent)
    addAxis(lhs.batch[axis], stride);
  return placeRearrange(op, storage, {lhs.result, lhs.rows.extent, lhs.columns.extent}, {false, 0, {move}}, placement,
                        placement.addLayer(op, "TRANSPOSE"));
}

/// Sets the right matrices in the array's order, or the filter order of a constant.
LogicalResult setWeights(nn::BatchMatmulOp op, const Matrices &rhs, int64_t sets, MacLayer &layer,
                         Placement &placement) {
  const int64_t channels = rhs.columns.extent, products = rhs.rows.extent;
  if (sets == 1 && op.getRhs().getDefiningOp<nn::ConstantOp>()) {
    if (!op.getTransposeRhs())
      layer.order = swapFilterAxes(products, channels);
    return success();
  }
  ComputedWeights weights{placement.operand(op.getRhs()), {}, rhs.columns, rhs.rows};
  if (sets > 1)
    weights.sets = rhs.batch;
  FailureOr<Value> reordered = reorderWeights(op, weights, placement);
  if (failed(reordered))
    return failure();
  layer.computedWeights = *reordered;
  return success();
}

/// Each row of a hybrid product has a scale of its own.
LogicalResult placeHybrid(nn::BatchMatmulOp op, const Matrices &rhs, Value left, int64_t rows, Placement &placement) {
  const int64_t channels = rhs.columns.extent, products = rhs.rows.extent;
  if (rhs.matrices != 1)
    return placement.refuse(op, "rhs", "one 8-bit matrix", Twine(rhs.matrices), "1");
  MacLayer layer{op, op.getLhs(), left, op.getRhs(), Value(), nn::Activation::None};
  layer.dims = {static_cast<uint32_t>(channels), 1, 1, static_cast<uint32_t>(products)};
  layer.outputShape = {1, 1, channels};
  layer.keepsInfinities = true;
  layer.asymmetric = op.getAsymmetric();
  if (failed(setWeights(op, rhs, 1, layer, placement)))
    return failure();
  return placeHybridRows(layer, left, rows, placement);
}

/// Products with one right matrix are one product whose rows are those of all left matrices.
LogicalResult placeBatchMatmul(nn::BatchMatmulOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getOutput()).getShape();
  const Matrices lhs(op.getLhs(), op.getTransposeLhs(), shape), rhs(op.getRhs(), op.getTransposeRhs(), shape);
  const int64_t sets = rhs.matrices == 1 ? 1 : rhs.result;
  const int64_t channels = rhs.columns.extent, products = rhs.rows.extent;
  FailureOr<Value> left = leftStorage(op, lhs, placement);
  if (failed(left))
    return failure();
  const bool isHybrid = isa<quant::QuantizedType>(tensorOf(op.getRhs()).getElementType()) &&
                        tensorOf(op.getLhs()).getElementType().isF32();
  if (isHybrid)
    return placeHybrid(op, rhs, *left, lhs.result * lhs.rows.extent, placement);
  auto [height, width] = rowsAsImage(lhs.result / sets * lhs.rows.extent, placement);
  Value input = placement.view(op.getLoc(), *left, {sets * height, width, products});
  MacLayer layer{op, op.getLhs(), input, op.getRhs(), Value(), nn::Activation::None};
  layer.dims = {static_cast<uint32_t>(channels), 1, 1, static_cast<uint32_t>(products)};
  layer.outputShape = {sets * height, width, channels};
  layer.floatMultipliers = true;
  layer.keepsInfinities = true;
  if (failed(setWeights(op, rhs, sets, layer, placement)))
    return failure();
  return placeMacLayer(layer, placement);
}

} // namespace

void addMatmulPlacers(PlacerTable &table) { table.add(placeBatchMatmul); }

} // namespace avocet::compiler
