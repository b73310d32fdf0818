//===- TfliteSparse.cpp - Constants with few stored elements ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index of a level adds index * stride to the position of its parent, whatever the order of the levels: the stride
// of an axis inside blocks is that of its axis, and the stride of a divided axis is larger by the size of the blocks.
//
//===----------------------------------------------------------------------===//

#include "TfliteSparse.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The numbers of a list of any width; null if the file has none.
std::optional<SmallVector<int64_t>> numbersOf(tflite::SparseIndexVector type, const void *list) {
  auto copy = [](const auto *vector) -> std::optional<SmallVector<int64_t>> {
    if (!vector || !vector->values())
      return std::nullopt;
    return SmallVector<int64_t>(vector->values()->begin(), vector->values()->end());
  };
  switch (type) {
  case tflite::SparseIndexVector::Int32Vector:
    return copy(static_cast<const tflite::Int32Vector *>(list));
  case tflite::SparseIndexVector::Uint16Vector:
    return copy(static_cast<const tflite::Uint16Vector *>(list));
  case tflite::SparseIndexVector::Uint8Vector:
    return copy(static_cast<const tflite::Uint8Vector *>(list));
  default:
    return std::nullopt;
  }
}

struct Level {
  int64_t extent = 0; ///< number of positions
  int64_t stride = 0; ///< in elements of the dense tensor
  bool isDense = true;
  SmallVector<int64_t> segments, indices; ///< of a sparse level

  /// The number of nodes below `parents` nodes, or -1 if the lists contradict that number.
  int64_t nodes(int64_t parents) const;
  std::vector<uint32_t> expand(ArrayRef<uint32_t> parents) const;
};

int64_t Level::nodes(int64_t parents) const {
  if (isDense)
    return parents * extent;
  if (static_cast<int64_t>(segments.size()) != parents + 1 || segments.front() != 0 ||
      segments.back() != static_cast<int64_t>(indices.size()) || !llvm::is_sorted(segments))
    return -1;
  // Ascending indices of one parent are different positions.
  for (size_t parent = 0; parent + 1 < segments.size(); ++parent)
    for (int64_t i = segments[parent]; i < segments[parent + 1]; ++i)
      if (indices[i] < (i == segments[parent] ? 0 : indices[i - 1] + 1) || indices[i] >= extent)
        return -1;
  return segments.back();
}

std::vector<uint32_t> Level::expand(ArrayRef<uint32_t> parents) const {
  std::vector<uint32_t> children;
  for (auto [number, parent] : llvm::enumerate(parents)) {
    const int64_t first = isDense ? 0 : segments[number], last = isDense ? extent : segments[number + 1];
    for (int64_t i = first; i < last; ++i)
      children.push_back(static_cast<uint32_t>(parent + (isDense ? i : indices[i]) * stride));
  }
  return children;
}

class SparseTree {
public:
  SparseTree(Location location, const tflite::Sparsity &sparsity, ArrayRef<int64_t> shape)
      : location_(location), sparsity_(sparsity), shape_(shape), blockSizes_(shape.size(), 1) {}

  LogicalResult read();
  FailureOr<std::vector<uint32_t>> leaves(uint64_t stored) const;

private:
  LogicalResult checkOrder() const;
  LogicalResult readBlock(size_t block);
  LogicalResult readLevel(size_t number);
  InFlightDiagnostic fault() const { return emitError(location_, "sparse constant "); }
  size_t numBlocks() const { return sparsity_.block_map() ? sparsity_.block_map()->size() : 0; }
  size_t axisAt(size_t level) const { return static_cast<size_t>(sparsity_.traversal_order()->Get(level)); }
  const tflite::DimensionMetadata &metadata(size_t level) const { return *sparsity_.dim_metadata()->Get(level); }

  Location location_;
  const tflite::Sparsity &sparsity_;
  ArrayRef<int64_t> shape_;
  SmallVector<int64_t> blockSizes_; ///< of each axis; 1 without blocks
  SmallVector<Level> levels_;
};

/// Each axis has one level, and those inside blocks come last.
LogicalResult SparseTree::checkOrder() const {
  const size_t levels = shape_.size() + numBlocks();
  const auto *order = sparsity_.traversal_order();
  const size_t described = sparsity_.dim_metadata() ? sparsity_.dim_metadata()->size() : 0;
  if (!order || order->size() != levels || described != levels)
    return fault() << "describes " << described << " levels in an order of " << (order ? order->size() : 0)
                   << ", its axes and blocks are " << levels;
  llvm::SmallBitVector seen(levels);
  for (size_t level = 0; level < levels; ++level) {
    const int64_t axis = order->Get(level);
    if (axis < 0 || axis >= static_cast<int64_t>(levels) || seen.test(axis) ||
        (level < shape_.size()) != (axis < static_cast<int64_t>(shape_.size())))
      return fault() << "has axis " << axis << " at position " << level << " of its order";
    seen.set(axis);
  }
  return success();
}

LogicalResult SparseTree::readBlock(size_t block) {
  const int64_t axis = sparsity_.block_map()->Get(block);
  if (axis < 0 || axis >= static_cast<int64_t>(shape_.size()) || blockSizes_[axis] != 1)
    return fault() << "divides axis " << axis << " into blocks, which must be one of " << shape_.size()
                   << " and not divided yet";
  for (size_t level = shape_.size(); level < shape_.size() + numBlocks(); ++level)
    if (axisAt(level) == shape_.size() + block) {
      const int64_t size = metadata(level).dense_size();
      if (metadata(level).format() != tflite::DimensionType::DENSE || size < 1 || shape_[axis] % size != 0)
        return fault() << "has blocks of " << size << " along axis " << axis << " of " << shape_[axis] << " elements";
      blockSizes_[axis] = size;
    }
  return success();
}

LogicalResult SparseTree::readLevel(size_t number) {
  const bool isBlock = number >= shape_.size();
  const size_t axis = isBlock ? sparsity_.block_map()->Get(axisAt(number) - shape_.size()) : axisAt(number);
  Level &level = levels_.emplace_back();
  level.stride = isBlock ? 1 : blockSizes_[axis];
  for (int64_t extent : shape_.drop_front(axis + 1))
    level.stride *= extent;
  level.extent = isBlock ? blockSizes_[axis] : shape_[axis] / blockSizes_[axis];
  const tflite::DimensionMetadata &description = metadata(number);
  level.isDense = description.format() == tflite::DimensionType::DENSE;
  if (level.isDense)
    return description.dense_size() == level.extent
               ? success()
               : LogicalResult(fault() << "has " << description.dense_size() << " positions at level " << number
                                       << ", its axis has " << level.extent);
  auto segments = numbersOf(description.array_segments_type(), description.array_segments());
  auto indices = numbersOf(description.array_indices_type(), description.array_indices());
  if (description.format() != tflite::DimensionType::SPARSE_CSR || !segments || segments->empty() || !indices)
    return fault() << "lacks the format or the lists of level " << number;
  level.segments = std::move(*segments);
  level.indices = std::move(*indices);
  return success();
}

LogicalResult SparseTree::read() {
  if (failed(checkOrder()))
    return failure();
  for (size_t block = 0; block < numBlocks(); ++block)
    if (failed(readBlock(block)))
      return failure();
  for (size_t number = 0; number < shape_.size() + numBlocks(); ++number)
    if (failed(readLevel(number)))
      return failure();
  return success();
}

FailureOr<std::vector<uint32_t>> SparseTree::leaves(uint64_t stored) const {
  // Count before allocating: a few bytes can describe any number of nodes.
  int64_t nodes = 1;
  for (auto [number, level] : llvm::enumerate(levels_)) {
    nodes = level.nodes(nodes);
    if (nodes < 0)
      return fault() << "has lists at level " << number << " that do not fit its " << level.extent
                     << " positions under each node, in ascending order";
  }
  if (static_cast<uint64_t>(nodes) != stored)
    return fault() << "describes " << nodes << " elements and stores " << stored;
  std::vector<uint32_t> positions = {0};
  for (const Level &level : levels_)
    positions = level.expand(positions);
  return positions;
}

} // namespace

FailureOr<std::vector<uint32_t>> positionsOfStored(Location location, const tflite::Sparsity &sparsity,
                                                   ArrayRef<int64_t> shape, uint64_t stored) {
  SparseTree tree(location, sparsity, shape);
  if (failed(tree.read()))
    return failure();
  return tree.leaves(stored);
}

} // namespace avocet::compiler
