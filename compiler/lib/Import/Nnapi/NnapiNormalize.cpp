//===- NnapiNormalize.cpp - Normalizations and reductions -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Reductions.h"
#include "NnapiGraph.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Common operands: a tensor, and the axis at a position that may be after the last operand.
struct Lines {
  Value input;
  int64_t axis = -1;
};

FailureOr<Lines> readLines(NnapiOperation &op, uint32_t axisPosition) {
  Lines lines{op.value(0, "input")};
  if (!lines.input)
    return failure();
  if (op.hasInput(axisPosition)) {
    FailureOr<int64_t> axis = op.axis(axisPosition, shapeOf(lines.input).size());
    if (failed(axis))
      return failure();
    lines.axis = *axis;
  }
  return lines;
}

/// The scalars at consecutive positions as f32.
FailureOr<SmallVector<APFloat>> readReals(NnapiOperation &op, uint32_t first, ArrayRef<StringRef> names) {
  SmallVector<APFloat> reals;
  for (auto [index, name] : llvm::enumerate(names)) {
    FailureOr<double> value = op.real(first + index, name);
    if (failed(value))
      return failure();
    reals.push_back(APFloat(static_cast<float>(*value)));
  }
  return reals;
}

template <typename Op> LogicalResult convertSoftmax(NnapiOperation &op) {
  FailureOr<Lines> lines = readLines(op, 2);
  FailureOr<SmallVector<APFloat>> beta = readReals(op, 1, {"beta"});
  if (failed(lines) || failed(beta))
    return failure();
  return finish<Op>(op, lines->input, beta->front(), lines->axis);
}

LogicalResult convertL2Normalization(NnapiOperation &op) {
  FailureOr<Lines> lines = readLines(op, 1);
  if (failed(lines))
    return failure();
  return finish<nn::L2NormalizeOp>(op, lines->input, lines->axis);
}

LogicalResult convertLocalResponse(NnapiOperation &op) {
  FailureOr<Lines> lines = readLines(op, 5);
  FailureOr<int64_t> radius = op.integer(1, "radius");
  FailureOr<SmallVector<APFloat>> reals = readReals(op, 2, {"bias", "alpha", "beta"});
  if (failed(lines) || failed(radius) || failed(reals))
    return failure();
  if (*radius < 0)
    return op.malformed("has the radius " + Twine(*radius));
  return finish<nn::LocalResponseNormalizeOp>(op, lines->input, static_cast<uint32_t>(*radius), (*reals)[0],
                                              (*reals)[1], (*reals)[2], lines->axis);
}

/// Channels that precede rows and columns are equivalent to separate images of one channel.
SmallVector<int64_t> imagesOfOneChannel(ArrayRef<int64_t> shape) {
  return {shape[0] * shape[1], shape[2], shape[3], 1};
}

LogicalResult convertInstanceNormalization(NnapiOperation &op) {
  Value input = ofRank(op, op.value(0, "input"), "an input", 4);
  FailureOr<SmallVector<APFloat>> reals = readReals(op, 1, {"gamma", "beta", "epsilon"});
  FailureOr<bool> channelsFirst = op.boolean(4, "layout");
  if (!input || failed(reals) || failed(channelsFirst))
    return failure();
  if (!*channelsFirst)
    return finish<nn::InstanceNormalizeOp>(op, input, (*reals)[0], (*reals)[1], (*reals)[2]);
  Value images = reshape(op, input, imagesOfOneChannel(shapeOf(input)));
  Value normal = createAs<nn::InstanceNormalizeOp>(op, elementOf(input), images, (*reals)[0], (*reals)[1], (*reals)[2]);
  return finishMoved(op, input, reshape(op, normal, shapeOf(input)));
}

/// NNAPI's tensors have no rank 0.
constexpr size_t kLeastRank = 1;

LogicalResult convertMean(NnapiOperation &op) {
  FailureOr<int64_t> keep = op.integer(2, "keepDims");
  return failed(keep) ? failure() : finishMean(op, {*keep > 0, kLeastRank});
}

template <nn::ReduceKind kind> LogicalResult convertReduce(NnapiOperation &op) {
  FailureOr<bool> keep = op.boolean(2, "keepDims");
  return failed(keep) ? failure() : finishReduce(op, kind, {*keep, kLeastRank});
}

template <nn::ArgReduceKind kind> LogicalResult convertArgReduce(NnapiOperation &op) {
  return finishArgReduce(op, kind, kLeastRank);
}

constexpr uint64_t kAxes = 1 << 1, kAxesAndKeepDims = kAxes | 1 << 2;

constexpr NnapiConverter kConverters[] = {
    {OperationType::L2Normalization, 1, 2, 0b10, convertL2Normalization},
    {OperationType::LocalResponseNormalization, 5, 6, 0b111110, convertLocalResponse},
    {OperationType::Softmax, 2, 3, 0b110, convertSoftmax<nn::SoftmaxOp>},
    {OperationType::InstanceNormalization, 5, 5, 0b11110, convertInstanceNormalization},
    {OperationType::LogSoftmax, 3, 3, 0b110, convertSoftmax<nn::LogSoftmaxOp>},
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

ArrayRef<NnapiConverter> nnapiNormalizeConverters() { return kConverters; }

} // namespace avocet::compiler
