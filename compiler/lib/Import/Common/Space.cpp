//===- Space.cpp - Space exchanged with depth or batches ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

Value exchange(ImportedOperation &op, Value input, ArrayRef<int64_t> split, ArrayRef<int64_t> order,
               ArrayRef<int64_t> merged) {
  return reshape(op, transpose(op, reshape(op, input, split), order), merged);
}

LogicalResult checkBlock(ImportedOperation &op, int64_t block) {
  if (block < 1 || block > INT16_MAX)
    return op.malformed("has the block size " + Twine(block));
  return success();
}

/// Blocks must leave the input's batch axis alone.
LogicalResult checkBlocks(ImportedOperation &op, Value input, ArrayRef<int64_t> block) {
  if (block.empty() || block.size() >= shapeOf(input).size())
    return op.malformed("has blocks of rank " + Twine(block.size()) + " for an input of rank " +
                        Twine(shapeOf(input).size()));
  if (llvm::any_of(block, [](int64_t extent) { return extent < 1; }))
    return op.malformed("has a block size with other than positive numbers");
  return success();
}

/// Amounts for the axes 1 to n; all others are 0.
FailureOr<Amounts> blockedAmounts(ImportedOperation &op, ArrayRef<int64_t> figures, size_t blocked, size_t rank) {
  if (figures.size() != 2 * blocked || llvm::any_of(figures, [](int64_t figure) { return figure < 0; }))
    return op.malformed("has amounts that are not " + Twine(2 * blocked) + " numbers of at least 0");
  Amounts amounts{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 0)};
  for (size_t axis = 0; axis < blocked; ++axis) {
    amounts.low[axis + 1] = figures[2 * axis];
    amounts.high[axis + 1] = figures[2 * axis + 1];
  }
  return amounts;
}

Value crop(ImportedOperation &op, Value input, const Amounts &amounts) {
  SmallVector<int64_t> shape(shapeOf(input));
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    extent -= amounts.low[axis] + amounts.high[axis];
    if (extent < 0)
      return op.malformed("crops more than axis " + Twine(axis) + " has");
  }
  return slice(op, input, amounts.low, shape);
}

} // namespace

Value spaceToDepth(ImportedOperation &op, Value image, int64_t block) {
  if (!image || failed(checkBlock(op, block)))
    return {};
  ArrayRef<int64_t> shape = shapeOf(image);
  if (shape[1] % block != 0 || shape[2] % block != 0)
    return op.malformed("has an image that blocks of " + Twine(block) + " do not fill");
  const int64_t rows = shape[1] / block, columns = shape[2] / block;
  return exchange(op, image, {shape[0], rows, block, columns, block, shape[3]}, {0, 1, 3, 2, 4, 5},
                  {shape[0], rows, columns, block * block * shape[3]});
}

Value depthToSpace(ImportedOperation &op, Value image, int64_t block) {
  if (!image || failed(checkBlock(op, block)))
    return {};
  ArrayRef<int64_t> shape = shapeOf(image);
  if (shape[3] % (block * block) != 0)
    return op.malformed("has channels that blocks of " + Twine(block) + " do not divide");
  const int64_t channels = shape[3] / (block * block);
  return exchange(op, image, {shape[0], shape[1], shape[2], block, block, channels}, {0, 1, 3, 2, 4, 5},
                  {shape[0], shape[1] * block, shape[2] * block, channels});
}

Value spaceToDepthFirst(ImportedOperation &op, Value image, int64_t block) {
  const ArrayRef<int64_t> shape = shapeOf(image);
  const int64_t rows = shape[2] / block, columns = shape[3] / block;
  return exchange(op, image, {shape[0], shape[1], rows, block, columns, block}, {0, 3, 5, 1, 2, 4},
                  {shape[0], shape[1] * block * block, rows, columns});
}

Value depthToSpaceFirst(ImportedOperation &op, Value image, int64_t block, bool isInner) {
  const ArrayRef<int64_t> shape = shapeOf(image);
  const int64_t channels = shape[1] / (block * block);
  SmallVector<int64_t> split{shape[0], channels, block, block, shape[2], shape[3]}, order{0, 1, 4, 2, 5, 3};
  if (!isInner) {
    split = {shape[0], block, block, channels, shape[2], shape[3]};
    order = {0, 3, 4, 1, 5, 2};
  }
  return exchange(op, image, split, order, {shape[0], channels, shape[2] * block, shape[3] * block});
}

Value spaceToBatch(ImportedOperation &op, Value input, ArrayRef<int64_t> block, ArrayRef<int64_t> paddings) {
  if (!input || failed(checkBlocks(op, input, block)))
    return {};
  auto amounts = blockedAmounts(op, paddings, block.size(), shapeOf(input).size());
  Value padded = failed(amounts) ? Value() : pad(op, input, *amounts);
  if (!padded)
    return {};
  ArrayRef<int64_t> shape = shapeOf(padded), rest = shape.drop_front(1 + block.size());
  SmallVector<int64_t> split{shape[0]}, merged{shape[0]}, order, outer{0};
  for (size_t axis = 0; axis < block.size(); ++axis) {
    if (shape[axis + 1] % block[axis] != 0)
      return op.malformed("has a padded image that its blocks do not fill");
    split.append({shape[axis + 1] / block[axis], block[axis]});
    merged.front() *= block[axis];
    merged.push_back(shape[axis + 1] / block[axis]);
    order.push_back(2 * axis + 2);
    outer.push_back(2 * axis + 1);
  }
  split.push_back(llvm::product_of(rest));
  order.append(outer);
  order.push_back(split.size() - 1);
  llvm::append_range(merged, rest);
  return exchange(op, padded, split, order, merged);
}

Value batchToSpace(ImportedOperation &op, Value input, ArrayRef<int64_t> block, ArrayRef<int64_t> crops) {
  if (!input || failed(checkBlocks(op, input, block)))
    return {};
  ArrayRef<int64_t> shape = shapeOf(input), rest = shape.drop_front(1 + block.size());
  auto amounts = blockedAmounts(op, crops, block.size(), shape.size());
  if (failed(amounts))
    return {};
  int64_t batch = shape[0];
  for (int64_t extent : block) {
    if (batch % extent != 0)
      return op.malformed("has " + Twine(shape[0]) + " images, which its blocks do not divide");
    batch /= extent;
  }
  const auto blocked = static_cast<int64_t>(block.size());
  SmallVector<int64_t> split(block), merged{batch}, order{blocked};
  split.push_back(merged.front());
  for (int64_t axis = 0; axis < blocked; ++axis) {
    split.push_back(shape[axis + 1]);
    merged.push_back(shape[axis + 1] * block[axis]);
    order.append({blocked + 1 + axis, axis});
  }
  split.push_back(llvm::product_of(rest));
  order.push_back(split.size() - 1);
  llvm::append_range(merged, rest);
  Value spread = exchange(op, input, split, order, merged);
  return spread ? crop(op, spread, *amounts) : spread;
}

} // namespace avocet::compiler
