//===- NnMerge.cpp - Operations with fewer axes -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnMerge.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler::nn {

namespace {

NamedAttribute integer(Operation *op, StringRef name, int64_t value) {
  return {name, Builder(op->getContext()).getI64IntegerAttr(value)};
}

NamedAttribute integers(Operation *op, StringRef name, ArrayRef<int64_t> values) {
  return {name, DenseI64ArrayAttr::get(op->getContext(), values)};
}

} // namespace

//===----------------------------------------------------------------------===//
// Axes of one kind
//===----------------------------------------------------------------------===//

namespace {

/// The first axis of each group of adjacent axes.
using Groups = SmallVector<size_t>;

/// Adjacent axes of one kind; an axis without a kind belongs to any group. There is at least one group.
Groups groupsOf(ArrayRef<std::optional<int64_t>> kinds) {
  Groups groups = {0};
  std::optional<int64_t> current;
  for (auto [axis, kind] : llvm::enumerate(kinds)) {
    if (kind && current && *kind != *current)
      groups.push_back(axis);
    if (kind)
      current = kind;
  }
  return groups;
}

Shape merged(ArrayRef<int64_t> shape, ArrayRef<size_t> groups) {
  Shape result;
  for (size_t group = 0; group < groups.size(); ++group) {
    const size_t end = group + 1 < groups.size() ? groups[group + 1] : shape.size();
    result.push_back(llvm::product_of(shape.slice(groups[group], end - groups[group])));
  }
  return result;
}

/// With leading axes of extent 1, as broadcasting aligns shapes.
Shape extended(ArrayRef<int64_t> shape, size_t rank) {
  Shape result(rank - shape.size(), 1);
  llvm::append_range(result, shape);
  return result;
}

} // namespace

MergedForm mergeElementwise(Operation *op) {
  const ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  MergedForm form;
  for (Value operand : op->getOperands())
    form.operands.push_back(extended(shapeOf(operand), result.size()));
  SmallVector<std::optional<int64_t>> kinds;
  for (auto [axis, extent] : llvm::enumerate(result)) {
    int64_t repeated = 0;
    for (auto [index, shape] : llvm::enumerate(form.operands))
      repeated |= int64_t(shape[axis] != extent) << index;
    kinds.push_back(extent == 1 ? std::nullopt : std::optional(repeated));
  }
  const Groups groups = groupsOf(kinds);
  for (Shape &shape : form.operands)
    shape = merged(shape, groups);
  return form;
}

MergedForm mergeReduction(Operation *op) {
  const ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  const ArrayRef<int64_t> axes = op->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef();
  SmallVector<std::optional<int64_t>> kinds;
  for (auto [axis, extent] : llvm::enumerate(shape))
    kinds.push_back(llvm::is_contained(axes, axis) ? std::optional<int64_t>(1)
                    : extent == 1                  ? std::nullopt
                                                   : std::optional<int64_t>(0));
  const Groups groups = groupsOf(kinds);
  Shape reduced;
  for (size_t group = 0; group < groups.size(); ++group) {
    const size_t end = group + 1 < groups.size() ? groups[group + 1] : shape.size();
    if (llvm::any_of(axes, [&](size_t axis) { return axis >= groups[group] && axis < end; }))
      reduced.push_back(static_cast<int64_t>(group));
  }
  return {{merged(shape, groups)}, {integers(op, "axes", reduced)}};
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

namespace {

/// What is before the axis, the axis, and what is after it.
Shape aroundAxis(ArrayRef<int64_t> shape, size_t axis) {
  return {llvm::product_of(shape.take_front(axis)), shape[axis], llvm::product_of(shape.drop_front(axis + 1))};
}

} // namespace

MergedForm mergeLines(Operation *op) {
  const ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  auto attribute = op->getAttrOfType<IntegerAttr>("axis");
  int64_t axis = attribute ? attribute.getValue().getSExtValue() : -1;
  axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
  Shape lines = aroundAxis(shape, axis);
  const bool isLast = axis + 1 == static_cast<int64_t>(shape.size());
  if (isLast)
    lines.pop_back();
  Builder builder(op->getContext());
  NamedAttribute merged(builder.getStringAttr("axis"),
                        builder.getIntegerAttr(builder.getIntegerType(64, /*isSigned=*/true), isLast ? -1 : 1));
  return {{lines}, {merged}};
}

MergedForm mergeArgReduction(Operation *op) {
  const Shape input = aroundAxis(shapeOf(op->getOperand(0)), cast<ArgReduceOp>(op).getAxis());
  return {{input}, {integer(op, "axis", 1)}};
}

MergedForm mergeBeforeLast(Operation *op) {
  const ArrayRef<int64_t> input = shapeOf(op->getOperand(0));
  return {{{llvm::product_of(input.drop_back()), input.back()}}, {}};
}

MergedForm mergeConcatenation(Operation *op) {
  const size_t axis = cast<ConcatenationOp>(op).getAxis();
  auto around = [axis](Value value) {
    const ArrayRef<int64_t> shape = shapeOf(value);
    return Shape{llvm::product_of(shape.take_front(axis)), llvm::product_of(shape.drop_front(axis))};
  };
  return {llvm::map_to_vector(op->getOperands(), around), {integer(op, "axis", 1)}};
}

MergedForm mergeGather(Operation *op) {
  const Shape input = aroundAxis(shapeOf(op->getOperand(0)), cast<GatherOp>(op).getAxis());
  const int64_t count = llvm::product_of(shapeOf(op->getOperand(1)));
  return {{input, {count}}, {integer(op, "axis", 1)}};
}

//===----------------------------------------------------------------------===//
// Moves along several axes
//===----------------------------------------------------------------------===//

MergedForm mergeTranspose(Operation *op) {
  const ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  auto isMoved = [&](int64_t axis) { return shape[axis] != 1; };
  SmallVector<int64_t> moved = llvm::filter_to_vector(cast<TransposeOp>(op).getPermutation(), isMoved);
  SmallVector<int64_t> sorted = llvm::to_vector(moved);
  llvm::sort(sorted);
  // Numbers of the axes among those that are moved.
  for (int64_t &axis : moved)
    axis = llvm::lower_bound(sorted, axis) - sorted.begin();
  SmallVector<int64_t> firsts; // of the groups, in the order of the result
  for (auto [place, axis] : llvm::enumerate(moved))
    if (place == 0 || axis != moved[place - 1] + 1)
      firsts.push_back(axis);
  SmallVector<int64_t> starts(firsts);
  llvm::sort(starts);
  if (starts.empty())
    starts = firsts = {0};
  const Shape extents = llvm::map_to_vector(sorted, [&](int64_t axis) { return shape[axis]; });
  const Shape input = merged(extents, Groups(starts.begin(), starts.end()));
  SmallVector<int64_t> permutation;
  for (int64_t first : firsts)
    permutation.push_back(llvm::lower_bound(starts, first) - starts.begin());
  return {{input}, {integers(op, "permutation", permutation)}};
}

namespace {

/// A range of one axis; `count` elements of `extent`.
struct AxisRange {
  int64_t extent, count, begin, stride;
  bool isWhole() const { return count == extent && (stride == 1 || extent == 1); }
};

/// The range of two adjacent axes as one, if there is one.
std::optional<AxisRange> joined(const AxisRange &outer, const AxisRange &inner) {
  const int64_t extent = outer.extent * inner.extent;
  if (outer.count == 1)
    return AxisRange{extent, inner.count, outer.begin * inner.extent + inner.begin, inner.stride};
  if (inner.extent == 1)
    return AxisRange{extent, outer.count, outer.begin, outer.stride};
  if (inner.isWhole() && outer.stride == 1)
    return AxisRange{extent, outer.count * inner.extent, outer.begin * inner.extent, 1};
  return std::nullopt;
}

} // namespace

MergedForm mergeSlice(Operation *op) {
  auto slice = cast<SliceOp>(op);
  SmallVector<AxisRange> ranges;
  for (auto [extent, count, begin, stride] :
       llvm::zip(shapeOf(slice.getInput()), slice.getSize(), slice.getBegin(), slice.getStrides())) {
    const AxisRange range{extent, count, begin, stride};
    if (auto both = ranges.empty() ? std::nullopt : joined(ranges.back(), range))
      ranges.back() = *both;
    else
      ranges.push_back(range);
  }
  auto field = [&](int64_t AxisRange::*member) {
    return llvm::map_to_vector(ranges, [member](const AxisRange &range) { return range.*member; });
  };
  return {{field(&AxisRange::extent)},
          {integers(op, "begin", field(&AxisRange::begin)), integers(op, "size", field(&AxisRange::count)),
           integers(op, "strides", field(&AxisRange::stride))}};
}

MergedForm mergePad(Operation *op) {
  auto pad = cast<PadOp>(op);
  const ArrayRef<int64_t> shape = shapeOf(pad.getInput());
  Shape input, low, high;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool isPadded = pad.getLow()[axis] != 0 || pad.getHigh()[axis] != 0;
    if (input.empty() || isPadded) {
      input.push_back(1);
      low.push_back(pad.getLow()[axis]);
      high.push_back(pad.getHigh()[axis]);
    } else {
      low.back() *= shape[axis];
      high.back() *= shape[axis];
    }
    input.back() *= shape[axis];
  }
  return {{input}, {integers(op, "low", low), integers(op, "high", high)}};
}

MergedForm mergeTile(Operation *op) {
  auto tile = cast<TileOp>(op);
  Shape input, multiples;
  for (auto [extent, multiple] : llvm::zip(shapeOf(tile.getInput()), tile.getMultiples())) {
    // Repetitions of an axis with one element are repetitions of the elements after it.
    const bool repeatsAll = !input.empty() && input.back() == 1;
    if (input.empty() || (multiple != 1 && !repeatsAll)) {
      input.push_back(1);
      multiples.push_back(1);
    }
    input.back() *= extent;
    multiples.back() *= multiple;
  }
  return {{input}, {integers(op, "multiples", multiples)}};
}

} // namespace avocet::compiler::nn
