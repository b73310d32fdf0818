//===- TfliteSpace.cpp - Space exchanged with depth or batches *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, convertBatch<batchToSpace>},
    {BuiltinOperator::DEPTH_TO_SPACE, 1, 1, convertDepth<tflite::DepthToSpaceOptions, depthToSpace>},
    {BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, convertBatch<spaceToBatch>},
    {BuiltinOperator::SPACE_TO_DEPTH, 1, 1, convertDepth<tflite::SpaceToDepthOptions, spaceToDepth>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteSpaceConverters() { return kConverters; }

} // namespace avocet::compiler
