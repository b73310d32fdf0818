//===- OnnxMoves.cpp - Operators that move elements -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Space.h"
#include "OnnxWindow.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertConcat(OnnxOperation &op) {
  SmallVector<Value> parts;
  RankedTensorType empty;
  for (uint32_t position = 0; position < op.numInputs(); ++position) {
    if (RankedTensorType type = op.emptyInput(position)) {
      empty = type;
      continue;
    }
    parts.push_back(op.value(position, "input " + std::to_string(position)));
    if (!parts.back())
      return failure();
  }
  const auto rank = static_cast<int64_t>(parts.empty() ? empty.getRank() : shapeOf(parts.front()).size());
  FailureOr<int64_t> axis = op.axisOf(1, rank);
  if (failed(axis))
    return failure();
  if (parts.empty())
    return op.finishEmpty(empty);
  return op.finish(parts.size() == 1 ? parts.front() : concatenate(op, parts, *axis));
}

LogicalResult convertSplit(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = input ? op.axisOf(0, shapeOf(input).size()) : FailureOr<int64_t>(failure());
  if (failed(axis))
    return failure();
  const int64_t extent = shapeOf(input)[*axis], parts = op.integer("num_outputs", op.numOutputs());
  if (op.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> extents = op.integers(1, "split");
    return failed(extents) ? failure() : finishSplit(op, input, *axis, *extents);
  }
  if (parts != op.numOutputs() || parts < 1)
    return op.malformed("has " + Twine(parts) + " parts and " + Twine(op.numOutputs()) + " outputs");
  // The last part may be smaller.
  const int64_t each = (extent + parts - 1) / parts, last = extent - each * (parts - 1);
  if (last < 1)
    return op.malformed("splits " + Twine(extent) + " elements into " + Twine(parts) + " parts");
  SmallVector<int64_t> extents(parts, each);
  extents.back() = last;
  return finishSplit(op, input, *axis, extents);
}

/// Positions beyond any axis count as its end.
void limit(SmallVector<int64_t> &positions) {
  for (int64_t &position : positions)
    position = std::clamp<int64_t>(position, -INT32_MAX, INT32_MAX);
}

LogicalResult convertSlice(OnnxOperation &op) {
  RankedTensorType empty = op.emptyInput(0);
  Value input = empty ? Value() : op.value(0, "input");
  if (!input && !empty)
    return failure();
  const ArrayRef<int64_t> shape = empty ? empty.getShape() : shapeOf(input);
  FailureOr<SmallVector<int64_t>> starts = op.integers(1, "starts");
  if (failed(starts))
    return failure();
  SmallVector<int64_t> all(starts->size());
  std::iota(all.begin(), all.end(), 0);
  FailureOr<SmallVector<int64_t>> ends = op.integers(2, "ends", starts->size()), axes = all,
                                  steps = SmallVector<int64_t>(starts->size(), 1);
  if (op.hasInput(3))
    axes = op.integers(3, "axes", starts->size());
  if (op.hasInput(4))
    steps = op.integers(4, "steps", starts->size());
  if (failed(ends) || failed(axes) || failed(steps))
    return failure();
  limit(*starts);
  limit(*ends);
  limit(*steps);
  const auto rank = static_cast<int64_t>(shape.size());
  StridedSlice ranges{
      SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(shape), SmallVector<int64_t>(rank, 1), 0, 0, 0};
  for (size_t i = 0; i < starts->size(); ++i) {
    FailureOr<int64_t> axis = op.normalizedAxis((*axes)[i], rank);
    if (failed(axis))
      return failure();
    ranges.begin[*axis] = (*starts)[i];
    ranges.end[*axis] = (*ends)[i];
    ranges.strides[*axis] = (*steps)[i];
  }
  FailureOr<SmallVector<int64_t>> result = rangesOf(op, shape, ranges);
  if (failed(result))
    return failure();
  if (llvm::is_contained(*result, 0))
    return op.finishEmpty(RankedTensorType::get(*result, empty ? empty.getElementType() : elementOf(input)));
  return finishStridedSlice(op, input, ranges, /*leastRank=*/0);
}

LogicalResult convertOnnxTranspose(OnnxOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  SmallVector<int64_t> reversed(shapeOf(input).size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const SmallVector<int64_t> permutation = op.list("perm", reversed);
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (sorted != SmallVector<int64_t>(llvm::reverse(reversed)))
    return op.malformed("has a permutation that does not name every axis once");
  return op.finish(transpose(op, input, permutation));
}

LogicalResult convertExpand(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> shape = op.integers(1, "shape");
  if (!input || failed(shape))
    return failure();
  BrokenRule errors(op);
  FailureOr<nn::Shape> common = nn::broadcastShape(shapeOf(input), *shape, errors);
  return failed(common) ? errors.report() : op.finish(broadcastTo(op, input, *common));
}

LogicalResult convertTile(OnnxOperation &op) { return compiler::convertTile(op); }

/// Wraps around: elements before the first are the last ones.
Value wrapped(OnnxOperation &op, Value input, const Amounts &amounts) {
  for (size_t axis = 0; input && axis < shapeOf(input).size(); ++axis) {
    const int64_t extent = shapeOf(input)[axis], low = amounts.low[axis], high = amounts.high[axis];
    if (low > extent || high > extent)
      return op.malformed("wraps more than axis " + Twine(axis) + " has");
    SmallVector<int64_t> begin(shapeOf(input).size(), 0), part(shapeOf(input));
    SmallVector<Value> parts{input};
    if (high > 0) {
      part[axis] = high;
      parts.push_back(slice(op, input, begin, part));
    }
    if (low > 0) {
      part[axis] = low;
      begin[axis] = extent - low;
      parts.insert(parts.begin(), slice(op, input, begin, part));
    }
    input = parts.size() == 1 ? input : concatenate(op, parts, static_cast<int64_t>(axis));
  }
  return input;
}

/// Copies the outermost elements.
Value extended(OnnxOperation &op, Value input, const Amounts &amounts) {
  for (size_t axis = 0; input && axis < shapeOf(input).size(); ++axis) {
    SmallVector<int64_t> begin(shapeOf(input).size(), 0), part(shapeOf(input)), multiples(part.size(), 1);
    const int64_t last = part[axis] - 1;
    part[axis] = 1;
    SmallVector<Value> parts{input};
    for (bool atEnd : {false, true}) {
      multiples[axis] = (atEnd ? amounts.high : amounts.low)[axis];
      begin[axis] = atEnd ? last : 0;
      if (multiples[axis] > 0)
        parts.insert(atEnd ? parts.end() : parts.begin(), tile(op, slice(op, input, begin, part), multiples));
    }
    input = parts.size() == 1 ? input : concatenate(op, parts, static_cast<int64_t>(axis));
  }
  return input;
}

/// What negative amounts cut off, which become 0.
Value cut(OnnxOperation &op, Value input, Amounts &amounts) {
  SmallVector<int64_t> begin(shapeOf(input).size(), 0), extents(shapeOf(input));
  for (size_t axis = 0; axis < begin.size(); ++axis)
    for (auto *list : {&amounts.low, &amounts.high}) {
      int64_t &amount = (*list)[axis];
      if (amount >= 0)
        continue;
      extents[axis] += amount;
      begin[axis] -= list == &amounts.low ? amount : 0;
      amount = 0;
    }
  for (int64_t extent : extents)
    if (extent < 1)
      return op.refuse("pads", "tensors have elements", "an extent of 0 or less");
  return extents == shapeOf(input) ? input : slice(op, input, begin, extents);
}

FailureOr<Amounts> amountsOf(OnnxOperation &op, size_t rank) {
  FailureOr<SmallVector<int64_t>> pads = op.integers(1, "pads"), axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (op.hasInput(3))
    axes = op.axes(3, static_cast<int64_t>(rank));
  if (failed(pads) || failed(axes))
    return failure();
  if (pads->size() != 2 * axes->size())
    return op.malformed("has " + Twine(pads->size()) + " pads, must have " + Twine(2 * axes->size()));
  Amounts amounts{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 0)};
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    amounts.low[axis] = std::clamp<int64_t>((*pads)[i], -INT32_MAX, INT32_MAX);
    amounts.high[axis] = std::clamp<int64_t>((*pads)[axes->size() + i], -INT32_MAX, INT32_MAX);
  }
  return amounts;
}

/// The padding value as nn.pad has it; a computed one is refused.
FailureOr<std::optional<double>> fillOf(OnnxOperation &op) {
  if (!op.hasInput(2) || op.emptyInput(2))
    return std::optional<double>();
  Value given = op.value(2, "constant_value");
  if (!given)
    return failure();
  if (isa<FloatType>(elementOf(given))) {
    FailureOr<float> number = op.scalar(2, "constant_value");
    return failed(number) ? FailureOr<std::optional<double>>(failure()) : std::optional<double>(*number);
  }
  const Integers *known = op.knownIntegers(given);
  if (!known || known->size() != 1)
    return op.refuse("constant_value", "is a constant of one element", "another tensor");
  return std::optional<double>(static_cast<double>(known->front()));
}

LogicalResult convertPad(OnnxOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const StringRef mode = op.text("mode", "constant");
  FailureOr<Amounts> amounts = amountsOf(op, shapeOf(input).size());
  FailureOr<std::optional<double>> fill = fillOf(op);
  if (failed(amounts) || failed(fill))
    return failure();
  input = cut(op, input, *amounts);
  if (!input)
    return failure();
  if (llvm::all_of(llvm::concat<int64_t>(amounts->low, amounts->high), [](int64_t amount) { return amount == 0; }))
    return op.finish(input);
  if (mode == "constant")
    return op.finish(pad(op, input, *amounts, *fill));
  if (mode == "edge")
    return op.finish(extended(op, input, *amounts));
  if (mode == "wrap")
    return op.finish(wrapped(op, input, *amounts));
  if (mode == "reflect")
    return op.finish(mirrorPad(op, input, *amounts, /*skipped=*/1));
  return op.malformed("has the mode '" + mode + "', must be constant, edge, reflect or wrap");
}

Value blocks(OnnxOperation &op, Value input, int64_t block, bool toDepth) {
  ArrayRef<int64_t> in = shapeOf(input);
  const int64_t n = in[0], c = in[1], h = in[2], w = in[3];
  if (toDepth)
    return reshape(op,
                   transpose(op, reshape(op, input, {n, c, h / block, block, w / block, block}), {0, 3, 5, 1, 2, 4}),
                   {n, c * block * block, h / block, w / block});
  const bool isColumns = op.text("mode", "DCR") == "CRD";
  const int64_t depth = c / (block * block);
  Value split = isColumns ? reshape(op, input, {n, depth, block, block, h, w})
                          : reshape(op, input, {n, block, block, depth, h, w});
  const SmallVector<int64_t> order =
      isColumns ? SmallVector<int64_t>{0, 1, 4, 2, 5, 3} : SmallVector<int64_t>{0, 3, 4, 1, 5, 2};
  return split ? reshape(op, transpose(op, split, order), {n, depth, h * block, w * block}) : Value();
}

template <bool toDepth> LogicalResult convertBlocks(OnnxOperation &op) {
  Value input = ofRank(op, op.value(0, "input"), "an input", 4);
  const int64_t block = op.integer("blocksize", 0);
  if (!input)
    return failure();
  ArrayRef<int64_t> in = shapeOf(input);
  const bool fits = block >= 1 && block < (1 << 15) &&
                    (toDepth ? in[2] % block == 0 && in[3] % block == 0 : in[1] % (block * block) == 0);
  if (!fits)
    return op.malformed("has the blocksize " + Twine(block) + " for an input " + nn::textOf(in));
  return op.finish(blocks(op, input, block, toDepth));
}

LogicalResult convertBitCast(OnnxOperation &op) {
  Value input = op.value(0, "input");
  const Type element = op.elementOfType(op.integer("to", 0), "result");
  return input && element ? op.finish(createAs<nn::BitcastOp>(op, element, input, element)) : failure();
}

constexpr OnnxConverter kConverters[] = {
    {"BitCast", 26, 1, 1, convertBitCast},
    {"Concat", 4, 1, kAnyNumber, convertConcat},
    {"DepthToSpace", 1, 1, 1, convertBlocks<false>},
    {"Expand", 8, 2, 2, convertExpand},
    {"Pad", 2, 2, 4, convertPad},
    {"Slice", 1, 3, 5, convertSlice},
    {"SpaceToDepth", 1, 1, 1, convertBlocks<true>},
    {"Split", 2, 1, 2, convertSplit, 1, kAnyNumber},
    {"Tile", 6, 2, 2, convertTile},
    {"Transpose", 1, 1, 1, convertOnnxTranspose},
};

} // namespace

ArrayRef<OnnxConverter> onnxMoveConverters() { return kConverters; }

} // namespace avocet::compiler
