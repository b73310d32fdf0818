//===- NnapiMove.cpp - Parts, repetitions and unions of tensors -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Moves.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Binds a value as the first result, if the model declares its type.
LogicalResult finishMoved(NnapiOperation &op, Value input, Value moved) {
  return moved && movedType(op, 0, input, shapeOf(moved)) ? op.finish(moved) : failure();
}

/// Reads `count` integers, one per axis of the input.
FailureOr<SmallVector<int64_t>> perAxis(NnapiOperation &op, uint32_t position, StringRef operand, size_t count) {
  FailureOr<SmallVector<int64_t>> values = op.integers(position, operand);
  if (succeeded(values) && values->size() != count)
    return op.malformed("has " + Twine(values->size()) + " " + operand + ", must have " + Twine(count));
  return values;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// A size of -1 means all elements from the beginning on.
LogicalResult convertSlice(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(input);
  auto begin = perAxis(op, 1, "begin", shape.size()), size = perAxis(op, 2, "size", shape.size());
  if (failed(begin) || failed(size))
    return failure();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t &extent = (*size)[axis], first = (*begin)[axis];
    if (extent == -1)
      extent = shape[axis] - first;
    if (first < 0 || extent < 0 || first + extent > shape[axis])
      return op.malformed("takes " + Twine(extent) + " elements from " + Twine(first) + " of an axis of " +
                          Twine(shape[axis]));
  }
  return finishMoved(op, input, slice(op, input, *begin, *size, SmallVector<int64_t>(shape.size(), 1)));
}

/// The range that STRIDED_SLICE reads along one axis.
struct AxisRange {
  int64_t begin, extent, stride;
};

/// Negative positions count from the end; the result is clamped to the range where this stride's direction can stop.
int64_t resolvePosition(int64_t position, int64_t extent, int64_t stride) {
  int64_t resolved = position < 0 ? position + extent : position;
  return stride > 0 ? std::clamp<int64_t>(resolved, 0, extent) : std::clamp<int64_t>(resolved, -1, extent - 1);
}

/// The masks select the axes on which begin and end are ignored.
AxisRange rangeOf(int64_t begin, int64_t end, int64_t stride, bool fromStart, bool toEnd, int64_t extent) {
  int64_t first = resolvePosition(begin, extent, stride), last = resolvePosition(end, extent, stride);
  if (fromStart)
    first = stride > 0 ? 0 : extent - 1;
  if (toEnd)
    last = stride > 0 ? extent : -1;
  int64_t count = stride > 0 ? (last - first + stride - 1) / stride : (first - last - stride - 1) / -stride;
  return {first, std::max<int64_t>(count, 0), stride};
}

/// The operands of STRIDED_SLICE.
struct StridedSlice {
  SmallVector<int64_t> begin, end, strides;
  int64_t beginMask, endMask, shrinkMask;
};

FailureOr<StridedSlice> stridedSliceOf(NnapiOperation &op, size_t rank) {
  auto begin = perAxis(op, 1, "begin", rank), end = perAxis(op, 2, "end", rank),
       strides = perAxis(op, 3, "strides", rank);
  auto beginMask = op.integer(4, "begin mask"), endMask = op.integer(5, "end mask"),
       shrinkMask = op.integer(6, "shrink mask");
  if (failed(begin) || failed(end) || failed(strides) || failed(beginMask) || failed(endMask) || failed(shrinkMask))
    return failure();
  return StridedSlice{*begin, *end, *strides, *beginMask, *endMask, *shrinkMask};
}

/// Axes of the shrink mask have one element and are removed; if all are, one axis remains.
LogicalResult convertStridedSlice(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(input);
  FailureOr<StridedSlice> operands = stridedSliceOf(op, shape.size());
  if (failed(operands))
    return failure();
  SmallVector<int64_t> begin, extents, strides, kept;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t stride = operands->strides[axis];
    if (stride == 0)
      return op.malformed("has the stride 0");
    AxisRange range = rangeOf(operands->begin[axis], operands->end[axis], stride, operands->beginMask >> axis & 1,
                              operands->endMask >> axis & 1, shape[axis]);
    bool shrinks = operands->shrinkMask >> axis & 1;
    if (shrinks && (range.extent != 1 || stride < 0))
      return op.malformed("shrinks axis " + Twine(axis) + " of which it takes " + Twine(range.extent) + " elements");
    begin.push_back(range.begin);
    extents.push_back(range.extent);
    // The stride after the only element is irrelevant, however large.
    strides.push_back(range.extent == 1 ? 1 : stride);
    if (!shrinks)
      kept.push_back(range.extent);
  }
  if (kept.empty())
    kept.push_back(1);
  return finishMoved(op, input, reshape(op, slice(op, input, begin, extents, strides), kept));
}

LogicalResult convertSplit(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> parts = op.integer(2, "number of parts");
  if (!input || failed(parts))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input)), begin(shape.size(), 0), ones(shape.size(), 1);
  FailureOr<int64_t> axis = op.axis(1, static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return failure();
  if (*parts < 1 || shape[*axis] % *parts != 0 || *parts != op.numOutputs())
    return op.malformed("splits " + Twine(shape[*axis]) + " elements into " + Twine(*parts) + " parts and " +
                        Twine(op.numOutputs()) + " outputs");
  shape[*axis] /= *parts;
  for (uint32_t part = 0; part < op.numOutputs(); ++part) {
    begin[*axis] = part * shape[*axis];
    if (!movedType(op, part, input, shape) || failed(op.finish(slice(op, input, begin, shape, ones), part)))
      return failure();
  }
  return success();
}

/// NNAPI reverses along one axis, named by a tensor of one element.
LogicalResult convertReverse(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(input);
  FailureOr<int64_t> axis = op.axis(1, static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return failure();
  SmallVector<int64_t> begin(shape.size(), 0), strides(shape.size(), 1);
  begin[*axis] = shape[*axis] - 1;
  strides[*axis] = -1;
  return finishMoved(op, input, slice(op, input, begin, shape, strides));
}

//===----------------------------------------------------------------------===//
// Repetition and padding
//===----------------------------------------------------------------------===//

LogicalResult convertTile(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  FailureOr<SmallVector<int64_t>> multiples = perAxis(op, 1, "multiples", shape.size());
  if (failed(multiples))
    return failure();
  for (auto [extent, multiple] : llvm::zip(shape, *multiples)) {
    if (multiple < 1)
      return op.refuse("multiples", "are positive", Twine(multiple));
    extent *= multiple;
  }
  RankedTensorType type = movedType(op, 0, input, shape);
  return type ? op.finish(nn::TileOp::create(op.builder(), op.location(), type, input, *multiples)) : failure();
}

/// Amounts before and after each axis.
struct Amounts {
  SmallVector<int64_t> low, high;
};

FailureOr<Amounts> amountsOf(NnapiOperation &op, size_t rank) {
  FailureOr<SmallVector<int64_t>> values = perAxis(op, 1, "paddings", 2 * rank);
  if (failed(values))
    return failure();
  Amounts amounts;
  for (auto [position, amount] : llvm::enumerate(*values)) {
    if (amount < 0)
      return op.malformed("has the padding " + Twine(amount));
    (position % 2 == 0 ? amounts.low : amounts.high).push_back(amount);
  }
  return amounts;
}

LogicalResult convertPad(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<Amounts> amounts = amountsOf(op, shapeOf(input).size());
  return failed(amounts) ? failure() : finishMoved(op, input, pad(op, input, amounts->low, amounts->high));
}

/// The value is a real number for floats and a stored integer for 8-bit types.
FailureOr<double> paddingValue(NnapiOperation &op) {
  if (op.hasInput(2) && op.inputType(2) != OperandType::Int32)
    return op.real(2, "padding value");
  FailureOr<int64_t> value = op.integer(2, "padding value");
  return failed(value) ? FailureOr<double>() : FailureOr<double>(static_cast<double>(*value));
}

LogicalResult convertPadV2(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<Amounts> amounts = amountsOf(op, shapeOf(input).size());
  FailureOr<double> value = paddingValue(op);
  if (failed(amounts) || failed(value))
    return failure();
  return finishMoved(op, input, pad(op, input, amounts->low, amounts->high, *value));
}

/// The input with mirrored parts of itself at both ends of an axis. `skipped` is 1 if the mirror is on the outermost
/// element (which is then not repeated), 0 if it is outside of it.
Value mirrorAxis(NnapiOperation &op, Value input, int64_t axis, int64_t low, int64_t high, int64_t skipped) {
  SmallVector<int64_t> shape(shapeOf(input)), begin(shape.size(), 0), strides(shape.size(), 1);
  const int64_t extent = shape[axis];
  strides[axis] = -1;
  SmallVector<Value> parts = {input};
  if (low > 0) {
    shape[axis] = low;
    begin[axis] = low - 1 + skipped;
    parts.insert(parts.begin(), slice(op, input, begin, shape, strides));
  }
  if (high > 0) {
    shape[axis] = high;
    begin[axis] = extent - 1 - skipped;
    parts.push_back(slice(op, input, begin, shape, strides));
  }
  return parts.size() == 1 ? input : concatenate(op, parts, axis);
}

LogicalResult convertMirrorPad(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> mode = op.integer(2, "mode");
  if (!input || failed(mode))
    return failure();
  FailureOr<Amounts> amounts = amountsOf(op, shapeOf(input).size());
  if (failed(amounts))
    return failure();
  if (*mode != 0 && *mode != 1)
    return op.malformed("has the mode " + Twine(*mode) + ", must be 0 (reflect) or 1 (symmetric)");
  const int64_t skipped = 1 - *mode;
  Value padded = input;
  for (int64_t axis = 0; padded && axis < static_cast<int64_t>(amounts->low.size()); ++axis) {
    int64_t low = amounts->low[axis], high = amounts->high[axis];
    if (std::max(low, high) > shapeOf(input)[axis] - skipped)
      return op.malformed("mirrors more than axis " + Twine(axis) + " has");
    padded = mirrorAxis(op, padded, axis, low, high, skipped);
  }
  return finishMoved(op, input, padded);
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// Inputs with scales of their own are first converted to the result's scale.
LogicalResult convertConcatenation(NnapiOperation &op) {
  SmallVector<Value> inputs;
  for (uint32_t position = 0; position + 1 < op.numInputs(); ++position) {
    inputs.push_back(op.value(position, ("input " + Twine(position)).str()));
    if (!inputs.back())
      return failure();
  }
  SmallVector<int64_t> shape(shapeOf(inputs.front()));
  FailureOr<int64_t> axis = op.axis(op.numInputs() - 1, static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return failure();
  for (Value input : ArrayRef(inputs).drop_front()) {
    SmallVector<int64_t> other(shapeOf(input));
    if (other.size() != shape.size())
      return op.malformed("has inputs of rank " + Twine(shape.size()) + " and " + Twine(other.size()));
    shape[*axis] += std::exchange(other[*axis], shape[*axis] + other[*axis]);
    if (other != shape)
      return op.malformed("has inputs whose shapes differ along other axes than " + Twine(*axis));
  }
  RankedTensorType type = op.resultType(0, shape);
  if (!type)
    return failure();
  for (Value &input : inputs) {
    auto own = cast<RankedTensorType>(input.getType());
    if (own.getElementType() != type.getElementType())
      input = nn::QuantizeOp::create(op.builder(), op.location(), own.clone(type.getElementType()), input);
  }
  return op.finish(nn::ConcatenationOp::create(op.builder(), op.location(), type, inputs, *axis));
}

/// The axis is operand 0; it is a new axis of the result.
LogicalResult convertPack(NnapiOperation &op) {
  Value first = op.value(1, "input 1");
  if (!first)
    return failure();
  SmallVector<int64_t> shape(shapeOf(first));
  FailureOr<int64_t> axis = op.axis(0, static_cast<int64_t>(shape.size()) + 1);
  if (failed(axis))
    return failure();
  shape.insert(shape.begin() + *axis, 1);
  if (shape.size() > kMaxRank)
    return op.refuseRank("result", shape.size());
  SmallVector<Value> inputs;
  for (uint32_t position = 1; position < op.numInputs(); ++position) {
    Value input = op.value(position, ("input " + Twine(position)).str());
    if (input && input.getType() != first.getType())
      return op.malformed("has inputs of different types or shapes");
    inputs.push_back(reshape(op, input, shape));
  }
  return finishMoved(op, first, concatenate(op, inputs, *axis));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Concatenation, 2, UINT32_MAX, 0, convertConcatenation},
    {OperationType::Pad, 2, 2, 1 << 1, convertPad, paddingChoices},
    {OperationType::StridedSlice, 7, 7, 0x7E, convertStridedSlice, stridedSliceChoices},
    {OperationType::PadV2, 3, 3, 1 << 1 | 1 << 2, convertPadV2, paddingChoices},
    {OperationType::Slice, 3, 3, 1 << 1 | 1 << 2, convertSlice, sliceChoices},
    {OperationType::Split, 3, 3, 1 << 1 | 1 << 2, convertSplit},
    {OperationType::Tile, 2, 2, 1 << 1, convertTile, tileChoices},
    {OperationType::Pack, 2, UINT32_MAX, 1 << 0, convertPack},
    {OperationType::MirrorPad, 3, 3, 1 << 1 | 1 << 2, convertMirrorPad, mirrorChoices},
    {OperationType::Reverse, 2, 2, 1 << 1, convertReverse, axisChoices},
};

} // namespace

ArrayRef<NnapiConverter> nnapiMoveConverters() { return kConverters; }

} // namespace avocet::compiler
