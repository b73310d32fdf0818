//===- TfliteMove.cpp - Operators on parts of tensors -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/ComputedParts.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Space.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The axis is operand 0, the input operand 1.
LogicalResult convertSplit(TfliteOperator &op) { return finishEqualSplit(op, 1, 0, op.numOutputs()); }

/// Operand 1 has the extents, of which one may be -1: it follows from the others.
LogicalResult convertSplitV(TfliteOperator &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> extents = op.integers(1, "extents", op.numOutputs());
  FailureOr<int64_t> axis = op.axis(2, input);
  if (failed(extents) || failed(axis))
    return failure();
  const int64_t whole = shapeOf(input)[*axis];
  int64_t known = 0;
  for (int64_t extent : *extents) {
    if (extent < -1 || extent > whole)
      return op.malformed("splits off " + Twine(extent) + " of " + Twine(whole) + " elements");
    known += std::max<int64_t>(extent, 0);
  }
  if (llvm::count(*extents, -1) == 1)
    llvm::replace(*extents, int64_t(-1), whole - known);
  return finishSplit(op, input, *axis, *extents);
}

LogicalResult convertReverse(TfliteOperator &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<SmallVector<int64_t>> axes = op.axes(1, shapeOf(input).size());
  return failed(axes) ? failure() : finishMoved(op, input, reverse(op, input, *axes));
}

/// The results are slices without the axis.
LogicalResult convertUnpack(TfliteOperator &op, const tflite::UnpackOptions *options) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const ArrayRef<int64_t> shape = shapeOf(input);
  FailureOr<int64_t> axis = op.normalizedAxis(options ? options->axis() : 0, shape.size());
  if (failed(axis))
    return failure();
  if (shape[*axis] != op.numOutputs())
    return op.malformed("unpacks " + Twine(shape[*axis]) + " elements into " + Twine(op.numOutputs()) + " outputs");
  for (uint32_t part = 0; part < op.numOutputs(); ++part)
    if (failed(finishMoved(op, input, elementAt(op, input, *axis, part), part)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Larger tensors
//===----------------------------------------------------------------------===//

LogicalResult convertPadV2(TfliteOperator &op) {
  FailureOr<double> value = op.number(2, "padding value");
  if (failed(value))
    return failure();
  const double padding = *value;
  return finishPad(op, padding);
}

LogicalResult convertMirrorPad(TfliteOperator &op, const tflite::MirrorPadOptions *options) {
  return finishMirrorPad(op, static_cast<int64_t>(options ? options->mode() : tflite::MirrorPadMode::REFLECT));
}

LogicalResult convertBroadcastTo(TfliteOperator &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> shape = op.integers(1, "shape");
  if (!input || failed(shape))
    return failure();
  return movedType(op, 0, input, *shape) ? op.finish(broadcastTo(op, input, *shape)) : failure();
}

LogicalResult convertPack(TfliteOperator &op, const tflite::PackOptions *options) {
  Value first = op.value(0, "input 0");
  if (!first)
    return failure();
  FailureOr<int64_t> axis = op.normalizedAxis(options ? options->axis() : 0, shapeOf(first).size() + 1);
  return failed(axis) ? failure() : finishPack(op, 0, *axis);
}

/// `target` with `update` at `begin`: along each axis, what is before it, around it along the other axes, and after it.
Value updated(TfliteOperator &op, Value target, Value update, ArrayRef<int64_t> begin, size_t axis) {
  if (!target || axis == begin.size())
    return update;
  const int64_t extent = shapeOf(target)[axis], covered = shapeOf(update)[axis];
  SmallVector<Value> parts;
  auto part = [&](int64_t from, int64_t count) { return partOf(op, target, axis, from, count); };
  if (begin[axis] > 0)
    parts.push_back(part(0, begin[axis]));
  parts.push_back(updated(op, part(begin[axis], covered), update, begin, axis + 1));
  if (int64_t end = begin[axis] + covered; end < extent)
    parts.push_back(part(end, extent - end));
  return concatenate(op, parts, axis);
}

/// A start that would put the update outside of the target is moved inside.
LogicalResult convertDynamicUpdateSlice(TfliteOperator &op) {
  Value target = op.value(0, "operand"), update = op.value(1, "update");
  if (!target || !update)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(target), covered = shapeOf(update);
  if (shape.size() != covered.size() || elementOf(target) != elementOf(update))
    return op.malformed("has an update of another rank or type than its operand");
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (covered[axis] > shape[axis])
      return op.malformed("updates more than axis " + Twine(axis) + " has");
  if (op.dependsOnData(2)) {
    Value start = op.value(2, "start");
    return start ? finishMoved(op, target, updatedAt(op, target, update, start)) : failure();
  }
  FailureOr<SmallVector<int64_t>> begin = op.integers(2, "start", shape.size());
  if (failed(begin))
    return failure();
  for (size_t axis = 0; axis < shape.size(); ++axis)
    (*begin)[axis] = std::clamp<int64_t>((*begin)[axis], 0, shape[axis] - covered[axis]);
  return finishMoved(op, target, updated(op, target, update, *begin, 0));
}

template <typename Options, Value (*exchange)(ImportedOperation &, Value, int64_t)>
LogicalResult convertDepth(TfliteOperator &op, const Options &options) {
  Value image = ofRank(op, op.value(0, "input"), "an input", 4);
  return image ? finishMoved(op, image, exchange(op, image, options.block_size())) : failure();
}

/// Operands: input, extents of the blocks, amounts of padding or cropping.
template <Value (*exchange)(ImportedOperation &, Value, ArrayRef<int64_t>, ArrayRef<int64_t>)>
LogicalResult convertBatch(TfliteOperator &op) {
  Value input = op.value(0, "input");
  auto block = op.integers(1, "block size"), amounts = op.integers(2, "amounts");
  if (!input || failed(block) || failed(amounts))
    return failure();
  return finishMoved(op, input, exchange(op, input, *block, *amounts));
}

/// Operands: input, distance of the elements along each axis, value between them.
LogicalResult convertDilate(TfliteOperator &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<SmallVector<int64_t>> dilations = op.integers(1, "dilations", shapeOf(input).size());
  FailureOr<double> value = op.number(2, "padding value");
  if (failed(dilations) || failed(value))
    return failure();
  Value dilated = input;
  for (auto [axis, step] : llvm::enumerate(*dilations)) {
    if (step < 1 || step > INT32_MAX)
      return op.malformed("has the dilation " + Twine(step) + ", must be 1 to 2^31 - 1");
    if (dilated && shapeOf(dilated)[axis] > 1 && step > 1)
      dilated = spacedOut(op, dilated, static_cast<int64_t>(axis), step, value);
  }
  return finishMoved(op, input, dilated);
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BROADCAST_TO, 2, 2, onParts<convertBroadcastTo>},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, 3, 3, onParts<convertDynamicUpdateSlice>},
    {BuiltinOperator::FILL, 2, 2, shared<convertFill>},
    {BuiltinOperator::MIRROR_PAD, 2, 2, onParts<withOptions<convertMirrorPad>>},
    {BuiltinOperator::PACK, 1, kAnyNumber, onParts<withOptions<convertPack>>},
    {BuiltinOperator::PAD, 2, 2, onParts<convertPad>},
    {BuiltinOperator::PADV2, 3, 3, convertPadV2},
    {BuiltinOperator::REVERSE_V2, 2, 2, onParts<convertReverse>},
    {BuiltinOperator::SLICE, 3, 3, onParts<convertSlice>},
    {BuiltinOperator::SPLIT, 2, 2, onParts<convertSplit>, 1, kAnyNumber},
    {BuiltinOperator::SPLIT_V, 3, 3, onParts<convertSplitV>, 1, kAnyNumber},
    {BuiltinOperator::STRIDED_SLICE, 4, 4, onParts<withOptions<convertStridedSlice>>},
    {BuiltinOperator::TILE, 2, 2, onParts<convertTile>},
    {BuiltinOperator::TRANSPOSE, 2, 2, onParts<convertTranspose>},
    {BuiltinOperator::UNPACK, 1, 1, onParts<withOptions<convertUnpack>>, 1, kAnyNumber},
    {BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, convertBatch<batchToSpace>},
    {BuiltinOperator::DEPTH_TO_SPACE, 1, 1, withOptions<convertDepth<tflite::DepthToSpaceOptions, depthToSpace>>},
    {BuiltinOperator::DILATE, 3, 3, convertDilate},
    {BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, convertBatch<spaceToBatch>},
    {BuiltinOperator::SPACE_TO_DEPTH, 1, 1, withOptions<convertDepth<tflite::SpaceToDepthOptions, spaceToDepth>>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteMoveConverters() { return kConverters; }

} // namespace avocet::compiler
