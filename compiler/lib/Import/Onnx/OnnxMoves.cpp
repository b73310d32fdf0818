//===- OnnxMoves.cpp - Operators that move elements -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Create.h"
#include "Import/Common/Space.h"
#include "OnnxGraph.h"

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
  return op.finish(concatenate(op, parts, *axis));
}

LogicalResult convertSplit(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = op.axisOf(0, input);
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
  const auto rank = static_cast<int64_t>(shape.size());
  FailureOr<SmallVector<int64_t>> ends = op.integers(2, "ends", starts->size()),
                                  axes = op.integersOr(3, "axes", axesFrom(0, starts->size())),
                                  steps = op.integersOr(4, "steps", SmallVector<int64_t>(starts->size(), 1));
  if (failed(ends) || failed(steps) || failed(axes) || failed(axes = op.normalizedAxes(*axes, rank)))
    return failure();
  for (auto *each : {&starts, &ends, &steps})
    limit(**each);
  StridedSlice ranges{
      SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(shape), SmallVector<int64_t>(rank, 1), 0, 0, 0};
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    ranges.begin[axis] = (*starts)[i];
    ranges.end[axis] = (*ends)[i];
    ranges.strides[axis] = (*steps)[i];
  }
  FailureOr<SmallVector<int64_t>> result = rangesOf(op, shape, ranges);
  if (failed(result))
    return failure();
  if (llvm::is_contained(*result, 0))
    return op.finishEmpty(RankedTensorType::get(*result, empty ? empty.getElementType() : elementOf(input)));
  return finishStridedSlice(op, input, ranges, /*leastRank=*/0);
}

LogicalResult convertPermutation(OnnxOperation &op) {
  return finishTranspose(op, op.value(0, "input"), op.list("perm"));
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

FailureOr<Amounts> amountsOf(OnnxOperation &op, size_t rank) {
  FailureOr<SmallVector<int64_t>> pads = op.integers(1, "pads"), axes = axesFrom(0, rank);
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
  FailureOr<double> number = op.numberAt(2, "constant_value");
  if (failed(number))
    return failure();
  const double fill = *number;
  return std::optional<double>(fill);
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
  input = cutOff(op, input, *amounts);
  if (!input)
    return failure();
  if (mode == "constant")
    return op.finish(pad(op, input, *amounts, *fill));
  if (mode == "edge")
    return op.finish(edgePad(op, input, *amounts));
  if (mode == "wrap")
    return op.finish(wrapPad(op, input, *amounts));
  if (mode == "reflect")
    return op.finish(mirrorPad(op, input, *amounts, /*skipped=*/1));
  return op.malformed("has the mode '" + mode + "', must be constant, edge, reflect or wrap");
}

/// Cuts or pads each axis at both ends, at the second one by one more.
LogicalResult convertCenterCropPad(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> wanted = op.integers(1, "shape");
  if (!input || failed(wanted))
    return failure();
  const size_t rank = shapeOf(input).size();
  FailureOr<SmallVector<int64_t>> axes =
      op.normalizedAxes(op.list("axes", axesFrom(0, rank)), static_cast<int64_t>(rank));
  if (failed(axes))
    return failure();
  if (axes->size() != wanted->size())
    return op.malformed("has " + Twine(wanted->size()) + " extents for " + Twine(axes->size()) + " axes");
  Amounts amounts{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 0)};
  for (auto [axis, extent] : llvm::zip(*axes, *wanted)) {
    if (extent < 1 || extent > INT32_MAX)
      return op.refuse("shape", "is positive", Twine(extent));
    const int64_t more = extent - shapeOf(input)[axis];
    amounts.low[axis] = more / 2;
    amounts.high[axis] = more - more / 2;
  }
  Value kept = cutOff(op, input, amounts);
  return op.finish(pad(op, kept, amounts));
}

template <bool isToDepth> LogicalResult convertBlocks(OnnxOperation &op) {
  Value input = ofRank(op, op.value(0, "input"), "an input", 4);
  const int64_t block = op.integer("blocksize", 0);
  if (!input)
    return failure();
  ArrayRef<int64_t> in = shapeOf(input);
  const bool fits = block >= 1 && block < (1 << 15) &&
                    (isToDepth ? in[2] % block == 0 && in[3] % block == 0 : in[1] % (block * block) == 0);
  if (!fits)
    return op.malformed("has the blocksize " + Twine(block) + " for an input " + nn::textOf(in));
  return op.finish(isToDepth ? spaceToDepthFirst(op, input, block)
                             : depthToSpaceFirst(op, input, block, op.text("mode", "DCR") == "CRD"));
}

LogicalResult convertBitCast(OnnxOperation &op) {
  Value input = op.value(0, "input");
  const int64_t to = op.integer("to", 0);
  const Type element = op.elementOfType(to, "result");
  if (to == onnx_file::TensorProto::DOUBLE ||
      (input && element && elementOf(input).getIntOrFloatBitWidth() != element.getIntOrFloatBitWidth()))
    return op.refuse("result", "has the bits of another type", "DOUBLE, which is computed as FLOAT");
  return input && element ? op.finish(createAs<nn::BitcastOp>(op, element, input, element)) : failure();
}

constexpr OnnxConverter kConverters[] = {
    {"BitCast", 26, 1, 1, convertBitCast},
    {"CenterCropPad", 18, 2, 2, convertCenterCropPad},
    {"Concat", 4, 1, kAnyNumber, convertConcat},
    {"DepthToSpace", 1, 1, 1, convertBlocks<false>},
    {"Expand", 8, 2, 2, convertExpand},
    {"Pad", 2, 2, 4, convertPad},
    {"Slice", 1, 3, 5, convertSlice},
    {"SpaceToDepth", 1, 1, 1, convertBlocks<true>},
    {"Split", 2, 1, 2, convertSplit, 1, kAnyNumber},
    {"Tile", 6, 2, 2, shared<convertTile>},
    {"Transpose", 1, 1, 1, convertPermutation},
};

} // namespace

ArrayRef<OnnxConverter> onnxMoveConverters() { return kConverters; }

} // namespace avocet::compiler
