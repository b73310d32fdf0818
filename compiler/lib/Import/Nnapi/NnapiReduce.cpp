//===- NnapiReduce.cpp - Reductions of axes ------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The axes of an operand, where negative ones count from the end and duplicates are allowed; sorted and unique.
FailureOr<SmallVector<int64_t>> axesOf(NnapiOperation &op, int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = op.integers(1, "axes");
  if (failed(axes))
    return failure();
  for (int64_t &axis : *axes) {
    if (axis < -rank || axis >= rank)
      return op.malformed("has the axis " + Twine(axis) + " for rank " + Twine(rank));
    axis = axis < 0 ? axis + rank : axis;
  }
  llvm::sort(*axes);
  axes->erase(llvm::unique(*axes), axes->end());
  return axes;
}

/// The shape without the axes; at least rank 1, since NNAPI tensors have no rank 0.
SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool keep) {
  SmallVector<int64_t> reduced;
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      reduced.push_back(extent);
    else if (keep)
      reduced.push_back(1);
  if (reduced.empty())
    reduced.push_back(1);
  return reduced;
}

/// The operands that MEAN and the other reductions share.
struct Reduction {
  Value input;
  SmallVector<int64_t> axes;
  RankedTensorType result;
};

FailureOr<Reduction> reductionOf(NnapiOperation &op, FailureOr<bool> keep) {
  Reduction reduction;
  reduction.input = op.value(0, "input");
  if (!reduction.input || failed(keep))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = axesOf(op, shapeOf(reduction.input).size());
  if (failed(axes))
    return failure();
  reduction.axes = std::move(*axes);
  reduction.result = op.resultType(0, reducedShape(shapeOf(reduction.input), reduction.axes, *keep));
  if (!reduction.result)
    return failure();
  return reduction;
}

LogicalResult convertMean(NnapiOperation &op) {
  FailureOr<int64_t> keep = op.integer(2, "keepDims");
  FailureOr<Reduction> reduction =
      reductionOf(op, failed(keep) ? FailureOr<bool>(failure()) : FailureOr<bool>(*keep > 0));
  if (failed(reduction))
    return failure();
  return op.finish(
      nn::MeanOp::create(op.builder(), op.location(), reduction->result, reduction->input, reduction->axes));
}

template <nn::ReduceKind kind> LogicalResult convertReduce(NnapiOperation &op) {
  FailureOr<Reduction> reduction = reductionOf(op, op.boolean(2, "keepDims"));
  if (failed(reduction))
    return failure();
  return op.finish(
      nn::ReduceOp::create(op.builder(), op.location(), reduction->result, reduction->input, kind, reduction->axes));
}

template <nn::ArgReduceKind kind> LogicalResult convertArgReduce(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<int64_t> axis = op.axis(1, shapeOf(input).size());
  if (failed(axis))
    return failure();
  RankedTensorType result = op.resultType(0, reducedShape(shapeOf(input), {*axis}, false));
  return result ? op.finish(nn::ArgReduceOp::create(op.builder(), op.location(), result, input, kind, *axis))
                : failure();
}

constexpr uint64_t kAxes = 1 << 1, kAxesAndKeepDims = kAxes | 1 << 2;

constexpr NnapiConverter kConverters[] = {
    {OperationType::Mean, 3, 3, kAxesAndKeepDims, convertMean, axisSetChoices},
    {OperationType::Argmax, 2, 2, kAxes, convertArgReduce<nn::ArgReduceKind::Max>, axisChoices},
    {OperationType::Argmin, 2, 2, kAxes, convertArgReduce<nn::ArgReduceKind::Min>, axisChoices},
    {OperationType::ReduceAll, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::All>, axisSetChoices},
    {OperationType::ReduceAny, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Any>, axisSetChoices},
    {OperationType::ReduceMax, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Max>, axisSetChoices},
    {OperationType::ReduceMin, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Min>, axisSetChoices},
    {OperationType::ReduceProd, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Prod>, axisSetChoices},
    {OperationType::ReduceSum, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Sum>, axisSetChoices},
};

} // namespace

ArrayRef<NnapiConverter> nnapiReduceConverters() { return kConverters; }

} // namespace avocet::compiler
