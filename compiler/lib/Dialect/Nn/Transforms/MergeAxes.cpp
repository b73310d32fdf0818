//===- MergeAxes.cpp - Ranks that the device can compute with ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Nn/NnRank.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

using Shape = llvm::SmallVector<int64_t>;

/// The same operation on tensors with merged axes: the shape of each operand and result, and the attributes that
/// change. The elements keep their order.
struct MergedForm {
  llvm::SmallVector<Shape> operands, results;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

NamedAttribute integer(Operation *op, StringRef name, int64_t value) {
  return {name, Builder(op->getContext()).getI64IntegerAttr(value)};
}

NamedAttribute integers(Operation *op, StringRef name, ArrayRef<int64_t> values) {
  return {name, DenseI64ArrayAttr::get(op->getContext(), values)};
}

//===----------------------------------------------------------------------===//
// Axes of one kind
//===----------------------------------------------------------------------===//

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

/// The kind of an axis is the set of operands that are repeated along it.
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
  form.results.push_back(merged(result, groups));
  return form;
}

/// Reduced axes and others. A reduced axis keeps its kind even if it has one element: the reduction must not vanish.
MergedForm mergeReduction(Operation *op) {
  const ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  const ArrayRef<int64_t> axes = op->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef();
  SmallVector<std::optional<int64_t>> kinds;
  for (auto [axis, extent] : llvm::enumerate(shape))
    kinds.push_back(llvm::is_contained(axes, axis) ? std::optional<int64_t>(1)
                    : extent == 1                  ? std::nullopt
                                                   : std::optional<int64_t>(0));
  const Groups groups = groupsOf(kinds);
  const Shape input = merged(shape, groups);
  Shape result = input, reduced;
  for (size_t group = 0; group < groups.size(); ++group) {
    const size_t end = group + 1 < groups.size() ? groups[group + 1] : shape.size();
    if (llvm::any_of(axes, [&](size_t axis) { return axis >= groups[group] && axis < end; })) {
      result[group] = 1;
      reduced.push_back(static_cast<int64_t>(group));
    }
  }
  return {{input}, {result}, {integers(op, "axes", reduced)}};
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// What is before the axis, the axis, and what is after it.
Shape aroundAxis(ArrayRef<int64_t> shape, size_t axis) {
  return {llvm::product_of(shape.take_front(axis)), shape[axis], llvm::product_of(shape.drop_front(axis + 1))};
}

/// Functions along an axis, with a result of the same shape. The last axis stays the last, which kernels read fastest.
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
  return {{lines}, {lines}, {merged}};
}

MergedForm mergeArgReduction(Operation *op) {
  const Shape input = aroundAxis(shapeOf(op->getOperand(0)), cast<ArgReduceOp>(op).getAxis());
  return {{input}, {{input[0], input[2]}}, {integer(op, "axis", 1)}};
}

/// All axes of a result and of its input but the last are lines.
MergedForm mergeTopK(Operation *op) {
  const ArrayRef<int64_t> input = shapeOf(op->getOperand(0)), result = shapeOf(op->getResult(0));
  const int64_t lines = llvm::product_of(input.drop_back());
  return {{{lines, input.back()}}, {{lines, result.back()}, {lines, result.back()}}, {}};
}

/// One part after the other, of the axis and all after it.
MergedForm mergeConcatenation(Operation *op) {
  const size_t axis = cast<ConcatenationOp>(op).getAxis();
  auto around = [axis](Value value) {
    const ArrayRef<int64_t> shape = shapeOf(value);
    return Shape{llvm::product_of(shape.take_front(axis)), llvm::product_of(shape.drop_front(axis))};
  };
  return {llvm::map_to_vector(op->getOperands(), around), {around(op->getResult(0))}, {integer(op, "axis", 1)}};
}

MergedForm mergeGather(Operation *op) {
  const Shape input = aroundAxis(shapeOf(op->getOperand(0)), cast<GatherOp>(op).getAxis());
  const int64_t count = llvm::product_of(shapeOf(op->getOperand(1)));
  return {{input, {count}}, {{input[0], count, input[2]}}, {integer(op, "axis", 1)}};
}

//===----------------------------------------------------------------------===//
// Moves along several axes
//===----------------------------------------------------------------------===//

/// Axes that stay neighbours are moved as one. Axes of extent 1 have no place.
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
  Shape result;
  for (int64_t first : firsts) {
    permutation.push_back(llvm::lower_bound(starts, first) - starts.begin());
    result.push_back(input[permutation.back()]);
  }
  return {{input}, {result}, {integers(op, "permutation", permutation)}};
}

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

MergedForm mergeSlice(Operation *op) {
  auto slice = cast<SliceOp>(op);
  SmallVector<AxisRange> ranges;
  for (auto [extent, count, begin, stride] :
       llvm::zip(shapeOf(slice.getInput()), shapeOf(slice.getOutput()), slice.getBegin(), slice.getStrides())) {
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
          {field(&AxisRange::count)},
          {integers(op, "begin", field(&AxisRange::begin)), integers(op, "strides", field(&AxisRange::stride))}};
}

/// An axis without padding is part of the elements of the axis before it.
MergedForm mergePad(Operation *op) {
  auto pad = cast<PadOp>(op);
  const ArrayRef<int64_t> shape = shapeOf(pad.getInput());
  Shape input, result, low, high;
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
  for (auto [extent, before, after] : llvm::zip(input, low, high))
    result.push_back(before + extent + after);
  return {{input}, {result}, {integers(op, "low", low), integers(op, "high", high)}};
}

/// An axis that is not repeated is part of the elements of the axis before it.
MergedForm mergeTile(Operation *op) {
  auto tile = cast<TileOp>(op);
  Shape input, result, multiples;
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
  for (auto [extent, multiple] : llvm::zip(input, multiples))
    result.push_back(extent * multiple);
  return {{input}, {result}, {integers(op, "multiples", multiples)}};
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

using Merge = MergedForm (*)(Operation *);

template <typename... Ops> void add(llvm::StringMap<Merge> &table, Merge merge) {
  (table.try_emplace(Ops::getOperationName(), merge), ...);
}

llvm::StringMap<Merge> allMerges() {
  llvm::StringMap<Merge> table;
  add<AddOp, SubOp, MulOp, DivOp, BinaryOp, MinimumOp, MaximumOp, PowOp, PreluOp>(table, mergeElementwise);
  add<UnaryOp, LogisticOp, TanhOp, ReluOp, QuantizeOp, DequantizeOp, CastOp>(table, mergeElementwise);
  add<CompareOp, LogicalOp, SelectOp>(table, mergeElementwise);
  add<ReduceOp, MeanOp>(table, mergeReduction);
  add<SoftmaxOp, LogSoftmaxOp, L2NormalizeOp, LocalResponseNormalizeOp, CumulativeSumOp>(table, mergeLines);
  add<ArgReduceOp>(table, mergeArgReduction);
  add<TopkV2Op>(table, mergeTopK);
  add<ConcatenationOp>(table, mergeConcatenation);
  add<GatherOp>(table, mergeGather);
  add<TransposeOp>(table, mergeTranspose);
  add<SliceOp>(table, mergeSlice);
  add<PadOp>(table, mergePad);
  add<TileOp>(table, mergeTile);
  return table;
}

/// The form with the fewest axes that the operation's row finds; nullopt if the operation has no row.
std::optional<MergedForm> mergedForm(Operation *op) {
  static const llvm::StringMap<Merge> kMerges = allMerges();
  const Merge merge = kMerges.lookup(op->getName().getStringRef());
  return merge ? std::optional(merge(op)) : std::nullopt;
}

} // namespace

#define GEN_PASS_DEF_MERGEAXESPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

bool isHigh(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > kMaxDeviceRank;
}

bool isHigh(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) { return isHigh(type); }) ||
         llvm::any_of(op->getResultTypes(), [](Type type) { return isHigh(type); });
}

/// The axis of a type with a scale for each channel could be merged with another one.
bool hasChannelScales(Operation *op) {
  auto has = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<quant::UniformQuantizedPerAxisType>(tensor.getElementType());
  };
  return llvm::any_of(op->getOperandTypes(), has) || llvm::any_of(op->getResultTypes(), has);
}

bool isLow(ArrayRef<Shape> shapes) {
  return llvm::all_of(shapes, [](const Shape &shape) { return shape.size() <= kMaxDeviceRank; });
}

Value reshaped(OpBuilder &builder, Location location, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getShape() == shape ? value : ReshapeOp::create(builder, location, type.clone(shape), value).getOutput();
}

void replace(Operation *op, const MergedForm &form) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (auto [operand, shape] : llvm::zip_equal(op->getOperands(), form.operands))
    operands.push_back(reshaped(builder, op->getLoc(), operand, shape));
  Operation *merged = builder.clone(*op);
  merged->setOperands(operands);
  for (NamedAttribute changed : form.attributes)
    merged->setAttr(changed.getName(), changed.getValue());
  for (auto [before, after, shape] : llvm::zip_equal(op->getResults(), merged->getResults(), form.results)) {
    auto type = cast<RankedTensorType>(before.getType());
    after.setType(type.clone(shape));
    before.replaceAllUsesWith(reshaped(builder, op->getLoc(), after, type.getShape()));
  }
  op->erase();
}

struct MergeAxes : impl::MergeAxesPassBase<MergeAxes> {
  void runOnOperation() override {
    SmallVector<Operation *> high;
    getOperation().walk([&](Operation *op) {
      if (isHigh(op) && !hasChannelScales(op))
        high.push_back(op);
    });
    for (Operation *op : high)
      if (auto form = mergedForm(op); form && isLow(form->operands) && isLow(form->results))
        replace(op, *form);
  }
};

} // namespace
} // namespace avocet::compiler::nn
