//===- TfliteSpace.cpp - Space exchanged or extended ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Moves.h"
#include "Import/Common/Space.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// An image [batch, height, width, channels].
Value imageOf(TfliteOperator &op) {
  Value image = op.value(0, "input");
  if (image && shapeOf(image).size() != 4)
    return op.malformed("has an input of rank " + Twine(shapeOf(image).size()) + ", must be 4");
  return image;
}

template <typename Options, Value (*exchange)(ImportedOperation &, Value, int64_t)>
LogicalResult convertDepth(TfliteOperator &op) {
  const Options *options = op.options<Options>();
  if (!options)
    return op.malformed("lacks its options");
  Value image = imageOf(op);
  return image ? finishMoved(op, image, exchange(op, image, options->block_size())) : failure();
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

/// The elements of an axis `step` apart, with `value` between them.
Value spread(TfliteOperator &op, Value input, int64_t axis, int64_t step, double value) {
  SmallVector<int64_t> shape(shapeOf(input));
  const int64_t extent = shape[axis], inner = llvm::product_of(ArrayRef(shape).drop_front(axis + 1)),
                outer = llvm::product_of(ArrayRef(shape).take_front(axis));
  Value wide = pad(op, reshape(op, input, {outer, extent, inner}), {{0, 0, 0}, {0, 0, (step - 1) * inner}}, value);
  wide = reshape(op, wide, {outer, extent * step, inner});
  shape[axis] = (extent - 1) * step + 1;
  return reshape(op, slice(op, wide, {0, 0, 0}, {outer, shape[axis], inner}, {1, 1, 1}), shape);
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
      dilated = spread(op, dilated, static_cast<int64_t>(axis), step, *value);
  }
  return finishMoved(op, input, dilated);
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, convertBatch<batchToSpace>},
    {BuiltinOperator::DEPTH_TO_SPACE, 1, 1, convertDepth<tflite::DepthToSpaceOptions, depthToSpace>},
    {BuiltinOperator::DILATE, 3, 3, convertDilate},
    {BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, convertBatch<spaceToBatch>},
    {BuiltinOperator::SPACE_TO_DEPTH, 1, 1, convertDepth<tflite::SpaceToDepthOptions, spaceToDepth>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteSpaceConverters() { return kConverters; }

} // namespace avocet::compiler
