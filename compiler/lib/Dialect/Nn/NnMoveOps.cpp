//===- NnMoveOps.cpp - Verifiers of operations that move elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace avocet::compiler::nn;

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), output = shapeOf(getOutput());
  if (failed(verifyRank(*this, "result", getOutput(), input.size())) ||
      failed(verifyArray(*this, "permutation", getPermutation(), input.size(), 0)))
    return failure();
  llvm::SmallBitVector seen(input.size());
  for (auto [axis, source] : llvm::enumerate(getPermutation())) {
    if (source >= static_cast<int64_t>(input.size()) || seen.test(source))
      return emitOpError() << "'permutation' must name every axis once";
    seen.set(source);
    if (output[axis] != input[source])
      return emitOpError() << "extent " << axis << " of the result is " << output[axis] << ", must be "
                           << input[source];
  }
  return verifySameElements(*this, {getInput(), getOutput()});
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [axis, source] : llvm::enumerate(getPermutation()))
    if (source != static_cast<int64_t>(axis))
      return {};
  return getInput();
}

namespace {

/// Merges transpose(transpose(x)) into one transpose of x, so that adjacent layout changes of two operations cancel.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<TransposeOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "input is not a transpose");
    SmallVector<int64_t> permutation =
        llvm::map_to_vector(op.getPermutation(), [&](int64_t axis) { return producer.getPermutation()[axis]; });
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(producer.getInput());
      op.setPermutation(permutation);
    });
    return success();
  }
};

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), output = shapeOf(getOutput());
  if (failed(verifyRank(*this, "result", getOutput(), input.size())) ||
      failed(verifyArray(*this, "begin", getBegin(), input.size(), 0)) ||
      failed(verifyArray(*this, "strides", getStrides(), input.size(), -INT32_MAX)))
    return failure();
  for (size_t axis = 0; axis < input.size(); ++axis) {
    if (getStrides()[axis] == 0)
      return emitOpError() << "stride " << axis << " is 0";
    int64_t last = getBegin()[axis] + (output[axis] - 1) * getStrides()[axis];
    for (int64_t position : {getBegin()[axis], last})
      if (position < 0 || position >= input[axis])
        return emitOpError() << "reads position " << position << " of axis " << axis << ", which has " << input[axis];
  }
  return verifySameElements(*this, {getInput(), getOutput()});
}

/// Folds a slice of the whole input in its order.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool forward = llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  return forward && getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// tile
//===----------------------------------------------------------------------===//

LogicalResult TileOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), output = shapeOf(getOutput());
  if (failed(verifyRank(*this, "result", getOutput(), input.size())) ||
      failed(verifyArray(*this, "multiples", getMultiples(), input.size(), 1)))
    return failure();
  for (size_t axis = 0; axis < input.size(); ++axis)
    if (output[axis] != input[axis] * getMultiples()[axis])
      return emitOpError() << "extent " << axis << " of the result is " << output[axis] << ", must be "
                           << input[axis] * getMultiples()[axis];
  return verifySameElements(*this, {getInput(), getOutput()});
}

OpFoldResult TileOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// Fails unless an element can hold the number.
static LogicalResult verifyStorable(PadOp op, const APFloat &value) {
  Type element = elementOf(op.getInput());
  if (isa<FloatType>(element))
    return success();
  bool isSigned = element.isSignlessInteger() && !element.isInteger(1);
  unsigned width = 0;
  if (auto integer = dyn_cast<IntegerType>(element))
    width = integer.getWidth();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    isSigned = quantized.isSigned();
    width = quantized.getStorageTypeIntegralWidth();
  }
  APSInt stored(width, !isSigned);
  bool exact = false;
  APFloat(value).convertToInteger(stored, APFloat::rmTowardZero, &exact);
  return exact ? success() : op.emitOpError() << "value " << value.convertToDouble() << " is none of " << element;
}

LogicalResult PadOp::verify() {
  auto input = tensorOf(getInput()), output = tensorOf(getOutput());
  size_t rank = input.getRank();
  if (failed(verifyRank(*this, "result", getOutput(), rank)) || failed(verifyArray(*this, "low", getLow(), rank, 0)) ||
      failed(verifyArray(*this, "high", getHigh(), rank, 0)))
    return failure();
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t expected = input.getDimSize(axis) + getLow()[axis] + getHigh()[axis];
    if (output.getDimSize(axis) != expected)
      return emitOpError() << "extent " << axis << " of the result is " << output.getDimSize(axis) << ", must be "
                           << expected;
  }
  if (failed(verifySameElements(*this, {getInput(), getOutput()})))
    return failure();
  return getValue() ? verifyStorable(*this, *getValue()) : success();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// concatenation
//===----------------------------------------------------------------------===//

LogicalResult ConcatenationOp::verify() {
  auto output = tensorOf(getOutput());
  if (getInputs().empty())
    return emitOpError("needs at least one input");
  if (getAxis() >= static_cast<uint64_t>(output.getRank()))
    return emitOpError() << "axis " << static_cast<int64_t>(getAxis()) << " is outside of rank " << output.getRank();
  int64_t extent = 0;
  for (Value input : getInputs()) {
    SmallVector<int64_t> shape(shapeOf(input));
    if (failed(verifyRank(*this, "input", input, output.getRank())))
      return failure();
    extent += shape[getAxis()];
    shape[getAxis()] = output.getDimSize(getAxis());
    if (ArrayRef(shape) != output.getShape())
      return emitOpError() << "input " << tensorOf(input) << " does not fit into " << output << " along axis "
                           << getAxis();
  }
  if (extent != output.getDimSize(getAxis()))
    return emitOpError() << "inputs fill " << extent << " of the result's " << output.getDimSize(getAxis())
                         << " along axis " << getAxis();
  SmallVector<Value> values(getInputs());
  values.push_back(getOutput());
  return verifySameElements(*this, values);
}

OpFoldResult ConcatenationOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front()) : OpFoldResult();
}
