//===- NnapiSpace.cpp - Space against channels and batches ------*- C++ -*-===//
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

#include "Import/Common/Space.h"
#include "Layout.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

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

LogicalResult convertSpaceToDepth(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 2);
  FailureOr<int64_t> block = op.integer(1, "block size");
  return succeeded(image) && succeeded(block) ? finishExchange(op, *image, spaceToDepth(op, image->value, *block))
                                              : failure();
}

LogicalResult convertDepthToSpace(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 2);
  FailureOr<int64_t> block = op.integer(1, "block size");
  return succeeded(image) && succeeded(block) ? finishExchange(op, *image, depthToSpace(op, image->value, *block))
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
    {OperationType::DepthToSpace, 2, 3, 1 << 1 | 1 << 2, convertDepthToSpace},
    {OperationType::SpaceToDepth, 2, 3, 1 << 1 | 1 << 2, convertSpaceToDepth},
    {OperationType::BatchToSpaceNd, 2, 3, 1 << 1 | 1 << 2, convertBatchToSpace, batchToSpaceChoices},
    {OperationType::SpaceToBatchNd, 3, 4, 1 << 1 | 1 << 2 | 1 << 3, convertSpaceToBatch, spaceToBatchChoices},
};

} // namespace

ArrayRef<NnapiConverter> nnapiSpaceConverters() { return kConverters; }

} // namespace avocet::compiler
