//===- NnapiMove.cpp - Parts, repetitions and unions of tensors ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows and columns are split into blocks and positions in a block; the positions move to or from channels or batches.
// This is a reshape to six axes, a transpose, and a reshape back.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Space.h"
#include "Layout.h"
#include "NnapiGraph.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// NNAPI's tensors have no rank 0.
constexpr size_t kLeastRank = 1;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

FailureOr<StridedSlice> stridedSliceOf(NnapiOperation &op, size_t rank) {
  auto begin = op.integers(1, "begin", rank), end = op.integers(2, "end", rank),
       strides = op.integers(3, "strides", rank);
  auto beginMask = op.integer(4, "begin mask"), endMask = op.integer(5, "end mask"),
       shrinkMask = op.integer(6, "shrink mask");
  if (failed(begin) || failed(end) || failed(strides) || failed(beginMask) || failed(endMask) || failed(shrinkMask))
    return failure();
  return StridedSlice{*begin, *end, *strides, *beginMask, *endMask, *shrinkMask};
}

/// A start that no constant and no request gives is computed on the device.
LogicalResult convertStridedSlice(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<StridedSlice> ranges = stridedSliceOf(op, shapeOf(input).size());
  return failed(ranges) ? failure() : finishStridedSlice(op, input, *ranges, kLeastRank);
}

LogicalResult convertSplit(NnapiOperation &op) {
  FailureOr<int64_t> parts = op.integer(2, "number of parts");
  return failed(parts) ? failure() : finishEqualSplit(op, 0, 1, *parts);
}

/// NNAPI reverses along one axis, named by a tensor of one element.
LogicalResult convertReverse(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = op.axis(1, input);
  return failed(axis) ? failure() : finishMoved(op, input, reverse(op, input, {*axis}));
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The value is a real number for floats and a stored integer for 8-bit types.
FailureOr<double> paddingValue(NnapiOperation &op) {
  if (op.hasInput(2) && op.inputType(2) != OperandType::Int32)
    return op.real(2, "padding value");
  FailureOr<int64_t> value = op.integer(2, "padding value");
  return failed(value) ? FailureOr<double>() : FailureOr<double>(static_cast<double>(*value));
}

LogicalResult convertPadV2(NnapiOperation &op) {
  FailureOr<double> value = paddingValue(op);
  if (failed(value))
    return failure();
  const double padding = *value;
  return finishPad(op, padding);
}

LogicalResult convertMirrorPad(NnapiOperation &op) {
  FailureOr<int64_t> mode = op.integer(2, "mode");
  return failed(mode) ? failure() : finishMirrorPad(op, *mode);
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// Inputs with scales of their own are first converted to the result's scale.
LogicalResult convertConcatenation(NnapiOperation &op) {
  FailureOr<SmallVector<Value>> inputs = op.values(0, op.numInputs() - 1);
  if (failed(inputs))
    return failure();
  FailureOr<int64_t> axis = op.axis(op.numInputs() - 1, shapeOf(inputs->front()).size());
  const Type element = op.resultElement(0);
  if (failed(axis) || !element)
    return failure();
  for (Value &input : *inputs)
    input = requantized(op, input, element);
  auto joined = createDeclared<nn::ConcatenationOp>(op, *inputs, *axis);
  if (!joined || *axis != 0)
    return joined ? op.finish(joined) : failure();
  return op.finish(validRowsFirst(op, *inputs, joined));
}

/// The axis is operand 0; it is a new axis of the result.
LogicalResult convertPack(NnapiOperation &op) {
  Value first = op.value(1, "input 1");
  if (!first)
    return failure();
  const size_t rank = shapeOf(first).size() + 1;
  FailureOr<int64_t> axis = op.axis(0, static_cast<int64_t>(rank));
  if (failed(axis))
    return failure();
  return rank > op.import().maxRank() ? LogicalResult(op.refuseRank("result", rank)) : finishPack(op, 1, *axis);
}

/// An image in NHWC with the layout flag of its operation.
struct Image {
  Value value;
  bool nchw;
};

FailureOr<Image> imageOf(NnapiOperation &op, uint32_t layoutPosition) {
  FailureOr<bool> nchw = isNchw(op, layoutPosition);
  if (failed(nchw))
    return failure();
  Value value = imageValue(op, 0, "input", *nchw);
  if (!value)
    return failure();
  return Image{value, *nchw};
}

LogicalResult finishExchange(NnapiOperation &op, const Image &image, Value exchanged) {
  if (!exchanged || !movedType(op, 0, exchanged, layoutShape(shapeOf(exchanged), image.nchw)))
    return failure();
  return finishImage(op, exchanged, image.nchw);
}

template <Value (*exchange)(ImportedOperation &, Value, int64_t)> LogicalResult convertDepth(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 2);
  FailureOr<int64_t> block = op.integer(1, "block size");
  return succeeded(image) && succeeded(block) ? finishExchange(op, *image, exchange(op, image->value, *block))
                                              : failure();
}

/// NNAPI's blocks have a height and a width.
constexpr size_t kBlockRank = 2;

LogicalResult convertSpaceToBatch(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 3);
  auto block = op.integers(1, "block size", kBlockRank), paddings = op.integers(2, "padding", 2 * kBlockRank);
  if (failed(image) || failed(block) || failed(paddings))
    return failure();
  return finishExchange(op, *image, spaceToBatch(op, image->value, *block, *paddings));
}

LogicalResult convertBatchToSpace(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 2);
  auto block = op.integers(1, "block size", kBlockRank);
  if (failed(image) || failed(block))
    return failure();
  return finishExchange(op, *image, batchToSpace(op, image->value, *block, {0, 0, 0, 0}));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Concatenation, 2, UINT32_MAX, 0, convertConcatenation},
    {OperationType::Pad, 2, 2, 1 << 1, shared<convertPad>, paddingChoices},
    {OperationType::StridedSlice, 7, 7, 0x7E, convertStridedSlice, stridedSliceChoices},
    {OperationType::PadV2, 3, 3, 1 << 1 | 1 << 2, convertPadV2, paddingChoices},
    {OperationType::Slice, 3, 3, 1 << 1 | 1 << 2, shared<convertSlice>, sliceChoices},
    {OperationType::Split, 3, 3, 1 << 1 | 1 << 2, convertSplit},
    {OperationType::Tile, 2, 2, 1 << 1, shared<convertTile>, tileChoices},
    {OperationType::Pack, 2, UINT32_MAX, 1 << 0, convertPack},
    {OperationType::MirrorPad, 3, 3, 1 << 1 | 1 << 2, convertMirrorPad, mirrorChoices},
    {OperationType::Reverse, 2, 2, 1 << 1, convertReverse, axisChoices},
    {OperationType::DepthToSpace, 2, 3, 1 << 1 | 1 << 2, convertDepth<depthToSpace>},
    {OperationType::SpaceToDepth, 2, 3, 1 << 1 | 1 << 2, convertDepth<spaceToDepth>},
    {OperationType::BatchToSpaceNd, 2, 3, 1 << 1 | 1 << 2, convertBatchToSpace, batchToSpaceChoices},
    {OperationType::SpaceToBatchNd, 3, 4, 1 << 1 | 1 << 2 | 1 << 3, convertSpaceToBatch, spaceToBatchChoices},
};

} // namespace

ArrayRef<NnapiConverter> nnapiMoveConverters() { return kConverters; }

} // namespace avocet::compiler
