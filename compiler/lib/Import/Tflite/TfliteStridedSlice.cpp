//===- TfliteStridedSlice.cpp - STRIDED_SLICE -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"
#include "avocet/base/Rounding.h"

#include "Import/Common/ComputedParts.h"
#include "Import/Common/KnownIntegers.h"
#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Ranges for each axis of a tensor, made from the shorter ones of an operator.
class DenseRanges {
public:
  /// An axis of which one or all elements are taken.
  void addWhole(int64_t extent) { add(extent, {0, extent, 1}, true, true); }

  void add(int64_t extent, std::array<int64_t, 3> range, bool fromStart, bool toEnd) {
    const int64_t bit = int64_t(1) << shape.size();
    shape.push_back(extent);
    ranges.begin.push_back(range[0]);
    ranges.end.push_back(range[1]);
    ranges.strides.push_back(range[2]);
    ranges.beginMask |= fromStart ? bit : 0;
    ranges.endMask |= toEnd ? bit : 0;
  }

  /// The last axis is removed: only its first element is taken, whatever its end and stride are.
  void shrinkLast() {
    const size_t axis = shape.size() - 1;
    int64_t first = firstOf(ranges, axis, shape[axis]);
    // A first element outside of the axis must not count from its end.
    ranges.begin[axis] = first < 0 ? shape[axis] : first;
    ranges.end[axis] = ranges.begin[axis] + 1;
    ranges.strides[axis] = 1;
    ranges.beginMask &= ~(int64_t(1) << axis);
    ranges.endMask &= ~(int64_t(1) << axis);
    ranges.shrinkMask |= int64_t(1) << axis;
  }

  /// The end of the last axis counts from its first element.
  void offsetLast() {
    const size_t axis = shape.size() - 1;
    ranges.end[axis] += firstOf(ranges, axis, shape[axis]);
  }

  SmallVector<int64_t> shape; ///< of the input with its new axes
  StridedSlice ranges{{}, {}, {}, 0, 0, 0};
};

using Positions = SmallVector<OffsetInteger>;

FailureOr<Positions> positionsOf(TfliteOperator &op, uint32_t position, StringRef operand) {
  Positions positions;
  if (!op.dependsOnData(position)) {
    auto known = op.integers(position, operand);
    if (failed(known))
      return failure();
    for (int64_t integer : *known)
      positions.push_back({.offset = integer});
    return positions;
  }
  Value computed = op.value(position, operand);
  if (!computed)
    return failure();
  if (shapeOf(computed).size() != 1 || !(elementOf(computed).isInteger(32) || elementOf(computed).isInteger(64)))
    return op.malformed("has " + operand + " that is no list of integers of 32 or 64 bits");
  auto known = [&op](Value value) { return op.knownIntegers(value); };
  for (int64_t index = 0; index < shapeOf(computed)[0]; ++index)
    positions.push_back(offsetInteger(known, computed, index));
  return positions;
}

bool has(int32_t mask, size_t index) { return index < 32 && (static_cast<uint32_t>(mask) >> index & 1) != 0; }

/// Wraps around, as the integers of the network do.
int64_t difference(int64_t x, int64_t y) { return static_cast<int64_t>(uint64_t(x) - uint64_t(y)); }

/// The operands and options, by range. Ellipses and axes after the last range are taken as a whole; new axes have the
/// extent 1.
class RangeOperands {
public:
  RangeOperands(TfliteOperator &op, const tflite::StridedSliceOptions &options) : op_(op), options_(options) {}

  LogicalResult read(size_t rank) {
    auto begin = positionsOf(op_, 1, "begin"), end = positionsOf(op_, 2, "end");
    const size_t count = failed(begin) ? 0 : begin->size();
    auto strides = op_.integers(3, "strides", count);
    if (failed(begin) || failed(end) || failed(strides))
      return failure();
    if (end->size() != count)
      return op_.malformed("has " + Twine(end->size()) + " ends for " + Twine(count) + " starts");
    begin_ = *begin;
    end_ = *end;
    strides_ = *strides;
    // Longer strides than any axis mean the same; arithmetic on these does not overflow.
    for (int64_t &stride : strides_)
      stride = std::clamp<int64_t>(stride, -INT32_MAX, INT32_MAX);
    ranged_ = llvm::count_if(llvm::seq<size_t>(0, count), [this](size_t i) { return isRange(i); });
    if (ranged_ > rank || llvm::is_contained(strides_, 0))
      return op_.malformed("has " + Twine(ranged_) + " ranges for rank " + Twine(rank) + ", or the stride 0");
    return success();
  }

  /// The ranges of all axes. Parts whose start is computed are taken from the input, which changes its shape.
  FailureOr<DenseRanges> dense(Value &input) {
    const size_t rank = shapeOf(input).size();
    size_t axis = 0, skipped = rank - ranged_;
    DenseRanges dense;
    for (size_t i = 0; i < begin_.size(); ++i) {
      if (isNew(i)) {
        dense.addWhole(1);
      } else if (!isRange(i)) {
        for (; skipped > 0; --skipped)
          dense.addWhole(shapeOf(input)[axis++]);
      } else if (failed(addRange(dense, input, i, axis++))) {
        return failure();
      }
    }
    while (axis < rank)
      dense.addWhole(shapeOf(input)[axis++]);
    return dense;
  }

private:
  bool isNew(size_t i) const { return has(options_.new_axis_mask(), i) && !has(options_.ellipsis_mask(), i); }
  bool isRange(size_t i) const { return !isNew(i) && !has(options_.ellipsis_mask(), i); }
  bool shrinks(size_t i) const { return has(options_.shrink_axis_mask(), i); }

  LogicalResult addRange(DenseRanges &dense, Value &input, size_t i, size_t axis) {
    if (!begin_[i].isKnown() && !has(options_.begin_mask(), i))
      return addComputed(dense, input, i, axis);
    const bool ignoresEnd = shrinks(i) || has(options_.end_mask(), i);
    if (!end_[i].isKnown() && !ignoresEnd)
      return refuseEnd();
    dense.add(shapeOf(input)[axis], {begin_[i].offset, end_[i].offset, strides_[i]}, has(options_.begin_mask(), i),
              has(options_.end_mask(), i));
    if (options_.offset())
      dense.offsetLast();
    if (shrinks(i))
      dense.shrinkLast();
    return success();
  }

  LogicalResult addComputed(DenseRanges &dense, Value &input, size_t i, size_t axis) {
    FailureOr<int64_t> count = countOf(i);
    if (failed(count))
      return failure();
    input = partFrom(op_, input, {op_.value(1, "begin"), i}, {axis, *count, shrinks(i) ? 1 : strides_[i]});
    if (!input)
      return failure();
    dense.addWhole(*count);
    if (shrinks(i))
      dense.shrinkLast();
    return success();
  }

  /// The number of elements from a computed start on.
  FailureOr<int64_t> countOf(size_t i) {
    if (shrinks(i))
      return 1;
    const bool isRelative = options_.offset() && end_[i].isKnown();
    const bool isDistance = !options_.offset() && end_[i].hasBaseOf(begin_[i]);
    if (has(options_.end_mask(), i) || (!isRelative && !isDistance))
      return refuseEnd();
    int64_t distance = isRelative ? end_[i].offset : difference(end_[i].offset, begin_[i].offset);
    distance = std::clamp<int64_t>(distance, -INT32_MAX, INT32_MAX);
    const int64_t stride = strides_[i];
    return stride > 0 ? divideUp(distance, stride) : divideUp(-distance, -stride);
  }

  Reported refuseEnd() {
    return op_.refuse("end", "is known, or a constant away from `begin`", "an end that depends on data in another way");
  }

  TfliteOperator &op_;
  const tflite::StridedSliceOptions &options_;
  Positions begin_, end_;
  SmallVector<int64_t> strides_;
  size_t ranged_ = 0; ///< number of ranges that are no new axes and no ellipses
};

} // namespace

LogicalResult convertStridedSlice(TfliteOperator &op, const tflite::StridedSliceOptions &options) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  RangeOperands operands(op, options);
  if (failed(operands.read(shapeOf(input).size())))
    return failure();
  FailureOr<DenseRanges> dense = operands.dense(input);
  Value extended = failed(dense) ? Value() : reshape(op, input, dense->shape);
  return extended ? finishStridedSlice(op, extended, dense->ranges, 0) : failure();
}

} // namespace avocet::compiler
