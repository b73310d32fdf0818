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

#include "Layout.h"
#include "Moves.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// An image in NHWC with the layout flag of its operation.
struct Image {
  Value value;
  bool nchw;
  int64_t extent(int axis) const { return shapeOf(value)[axis]; }
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

/// reshape to `split`, transpose, reshape to the result's NHWC shape.
LogicalResult exchange(NnapiOperation &op, const Image &image, Value input, ArrayRef<int64_t> split,
                       ArrayRef<int64_t> order, ArrayRef<int64_t> result) {
  if (!input || !movedType(op, 0, input, layoutShape(result, image.nchw)))
    return failure();
  Value blocks = reshape(op, input, split);
  return blocks ? finishImage(op, reshape(op, transpose(op, blocks, order), result), image.nchw) : failure();
}

FailureOr<int64_t> blockSize(NnapiOperation &op) {
  FailureOr<int64_t> block = op.integer(1, "block size");
  if (succeeded(block) && (*block < 1 || *block > INT16_MAX))
    return op.malformed("has the block size " + Twine(*block));
  return block;
}

LogicalResult convertSpaceToDepth(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 2);
  FailureOr<int64_t> block = blockSize(op);
  if (failed(image) || failed(block))
    return failure();
  const int64_t b = *block, batch = image->extent(0), channels = image->extent(3);
  if (image->extent(1) % b != 0 || image->extent(2) % b != 0)
    return op.malformed("has an image that blocks of " + Twine(b) + " do not fill");
  const int64_t rows = image->extent(1) / b, columns = image->extent(2) / b;
  return exchange(op, *image, image->value, {batch, rows, b, columns, b, channels}, {0, 1, 3, 2, 4, 5},
                  {batch, rows, columns, b * b * channels});
}

LogicalResult convertDepthToSpace(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 2);
  FailureOr<int64_t> block = blockSize(op);
  if (failed(image) || failed(block))
    return failure();
  const int64_t b = *block, batch = image->extent(0), rows = image->extent(1), columns = image->extent(2);
  if (image->extent(3) % (b * b) != 0)
    return op.malformed("has channels that blocks of " + Twine(b) + " do not divide");
  const int64_t channels = image->extent(3) / (b * b);
  return exchange(op, *image, image->value, {batch, rows, columns, b, b, channels}, {0, 1, 3, 2, 4, 5},
                  {batch, rows * b, columns * b, channels});
}

/// Reads height and width of a block, or with `position` 2 the four paddings; none may be below `least`.
FailureOr<SmallVector<int64_t>> figures(NnapiOperation &op, uint32_t position, StringRef name, size_t count,
                                        int64_t least) {
  FailureOr<SmallVector<int64_t>> values = op.integers(position, name);
  if (failed(values))
    return failure();
  bool isSound = values->size() == count && llvm::all_of(*values, [&](int64_t value) { return value >= least; });
  if (!isSound)
    return op.malformed("has a " + name + " that is not " + Twine(count) + " numbers of at least " + Twine(least));
  return values;
}

LogicalResult convertSpaceToBatch(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 3);
  auto block = figures(op, 1, "block size", 2, 1), paddings = figures(op, 2, "padding", 4, 0);
  if (failed(image) || failed(block) || failed(paddings))
    return failure();
  ArrayRef<int64_t> p = *paddings, b = *block;
  Value padded = pad(op, image->value, {0, p[0], p[2], 0}, {0, p[1], p[3], 0});
  if (!padded)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(padded);
  if (shape[1] % b[0] != 0 || shape[2] % b[1] != 0)
    return op.malformed("has a padded image that its blocks do not fill");
  const int64_t rows = shape[1] / b[0], columns = shape[2] / b[1];
  return exchange(op, *image, padded, {shape[0], rows, b[0], columns, b[1], shape[3]}, {2, 4, 0, 1, 3, 5},
                  {b[0] * b[1] * shape[0], rows, columns, shape[3]});
}

LogicalResult convertBatchToSpace(NnapiOperation &op) {
  FailureOr<Image> image = imageOf(op, 2);
  auto block = figures(op, 1, "block size", 2, 1);
  if (failed(image) || failed(block))
    return failure();
  ArrayRef<int64_t> b = *block;
  if (image->extent(0) % (b[0] * b[1]) != 0)
    return op.malformed("has " + Twine(image->extent(0)) + " images, which its blocks do not divide");
  const int64_t batch = image->extent(0) / (b[0] * b[1]), rows = image->extent(1), columns = image->extent(2),
                channels = image->extent(3);
  return exchange(op, *image, image->value, {b[0], b[1], batch, rows, columns, channels}, {2, 3, 0, 4, 1, 5},
                  {batch, rows * b[0], columns * b[1], channels});
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
