//===- Moves.cpp - Moves of quantized elements ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   move(dequantize(x))        dequantize(move(x))
//   quantize(move(x))          move(quantize(x)), if nothing else reads the moved elements
//   quantize(clamp(move(x)))   quantize(move(clamp(x))), which becomes move(quantize(clamp(x)))
//   quantize(dequantize(x))    x, if the types are equal
//   position of an extreme(dequantize(x))    that of x
//
// A move is an operation whose result has elements of its operands: also the larger of two or of a window, since the
// order of numbers and of what they are quantized to is the same.
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "../Greedy.h"

#include "avocet/compiler/Support/Origin.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

using quant::UniformQuantizedType;

/// The operands with the elements of the result; empty: it is no move.
OperandRange movedOperands(Operation *op) {
  const OperandRange all = op->getOperands();
  if (isa<ReshapeOp, TransposeOp, SliceOp, TileOp, PadOp>(op))
    return all;
  if (isa<ConcatenationOp, MinimumOp, MaximumOp>(op))
    return all;
  if (isa<GatherOp, GatherNdOp>(op))
    return all.take_front(1);
  if (isa<SelectOp>(op))
    return all.drop_front(1);
  if (auto pool = dyn_cast<MaxPool2dOp>(op))
    return pool.getActivation() == Activation::kNone ? all : all.take_front(0);
  if (auto resize = dyn_cast<ResizeOp>(op))
    return resize.getKind() == ResizeKind::Nearest ? all : all.take_front(0);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Max || reduce.getKind() == ReduceKind::Min ? all : all.take_front(0);
  return all.take_front(0);
}

/// Whether the operation has a form for numbers of this type.
bool takes(Operation *op, UniformQuantizedType type) {
  if (isa<ReduceOp>(op))
    return hasEightBits(type);
  return hasEightBits(type) || isSymmetric(type) ||
         isa<ReshapeOp, TransposeOp, SliceOp, TileOp, PadOp, ConcatenationOp, GatherOp, GatherNdOp>(op);
}

/// Whether a pad has no number, or one that this type has.
bool padsExactly(Operation *op, UniformQuantizedType type) {
  auto pad = dyn_cast<PadOp>(op);
  if (!pad || !pad.getValue())
    return true;
  const double real = pad.getValue()->convertToDouble();
  const double number = storedNumber(real, type) - static_cast<double>(type.getZeroPoint());
  return static_cast<float>(type.getScale() * number) == static_cast<float>(real);
}

bool padsWithNan(Operation *op) {
  auto pad = dyn_cast<PadOp>(op);
  return pad && pad.getValue() && pad.getValue()->isNaN();
}

/// The operation on numbers of the type. `moved` replaces its moved operands.
Operation *movedOn(Operation *op, ValueRange moved, UniformQuantizedType type, RewriterBase &rewriter) {
  Operation *onNumbers = rewriter.clone(*op);
  const OperandRange replaced = movedOperands(onNumbers);
  onNumbers->setOperands(replaced.getBeginOperandIndex(), moved.size(), moved);
  onNumbers->getResult(0).setType(RankedTensorType::get(shapeOf(op->getResult(0)), type));
  if (auto pad = dyn_cast<PadOp>(onNumbers); pad && pad.getValue())
    pad.setValue(APFloat(storedNumber(pad.getValue()->convertToDouble(), type)));
  return onNumbers;
}

int64_t elementsOf(ValueRange values) {
  int64_t count = 0;
  for (Value value : values)
    count += tensorOf(value).getNumElements();
  return count;
}

/// Whether an operand is not worth to be quantized: most of its elements are not in the result. A layer before a pool
/// should have a quantized result.
bool isLarger(Value operand, Operation *move) {
  return !isa<MaxPool2dOp>(move) && elementsOf(operand) > elementsOf(move->getResults());
}

bool isConstant(Value value) { return value.getDefiningOp<ConstantOp>() != nullptr; }

/// Whether constants are among parts that are not. A minimum with a constant is a clamp or a part of a function.
bool takesConstants(Operation *move, OperandRange operands) {
  return llvm::none_of(operands, isConstant) ||
         (isa<ConcatenationOp, SelectOp>(move) && !llvm::all_of(operands, isConstant) &&
          llvm::all_of(operands, [](Value value) { return !isConstant(value) || hasNumbers(value); }));
}

/// The operand as numbers of the type, a constant at compile time.
Value quantizedOperand(Value operand, UniformQuantizedType type, QuantizeOp like, RewriterBase &rewriter) {
  if (isConstant(operand))
    return quantizedConstant(operand, type, rewriter);
  return QuantizeOp::create(rewriter, like.getLoc(), tensorOf(operand).clone(Type(type)), operand, FloatAttr(),
                            like.getNumerics());
}

struct SinkDequantize : RewritePattern {
  explicit SinkDequantize(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    const OperandRange operands = movedOperands(op);
    SmallVector<Value> numbers;
    for (Value operand : operands) {
      auto dequantize = operand.getDefiningOp<DequantizeOp>();
      if (!dequantize ||
          elementOf(dequantize.getInput()) != elementOf(numbers.empty() ? dequantize.getInput() : numbers[0]))
        return failure();
      numbers.push_back(dequantize.getInput());
    }
    if (numbers.empty())
      return failure();
    const auto type = cast<UniformQuantizedType>(elementOf(numbers[0]));
    const bool grows = elementsOf(op->getResults()) > elementsOf(operands);
    if (!takes(op, type) || !padsExactly(op, type) ||
        (grows && !llvm::all_of(op->getUsers(), [](Operation *user) { return isa<QuantizeOp>(user); })))
      return failure();
    Operation *moved = movedOn(op, numbers, type, rewriter);
    rewriter.replaceOpWithNewOp<DequantizeOp>(op, op->getResultTypes(), moved->getResult(0));
    return success();
  }
};

struct RaiseQuantize : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    Operation *move = op.getInput().getDefiningOp();
    const auto type = dyn_cast<UniformQuantizedType>(elementOf(op.getOutput()));
    if (!roundsToEven(op) || !move || !move->hasOneUse() || !takes(move, type) || padsWithNan(move))
      return rewriter.notifyMatchFailure(op, "quantizes no moved elements");
    const OperandRange operands = movedOperands(move);
    if (operands.empty() || llvm::any_of(operands, [&](Value value) { return isLarger(value, move); }))
      return rewriter.notifyMatchFailure(op, "there are fewer elements to quantize after the move");
    if (!takesConstants(move, operands))
      return rewriter.notifyMatchFailure(op, "an operand is constant");
    const auto numbers =
        llvm::map_to_vector(operands, [&](Value operand) { return quantizedOperand(operand, type, op, rewriter); });
    Operation *moved = movedOn(move, numbers, type, rewriter);
    moved->setLoc(fusedIntoResult(move->getLoc(), op.getLoc()));
    rewriter.replaceOp(op, moved);
    return success();
  }
};

/// clamp(move(x)) before a quantization, so that the clamp is next to the layer that makes x.
struct RaiseClamp : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ClampOp op, PatternRewriter &rewriter) const override {
    Operation *move = op.getInput().getDefiningOp();
    auto quantize = op->hasOneUse() ? dyn_cast<QuantizeOp>(*op->user_begin()) : QuantizeOp();
    if (!quantize || !roundsToEven(quantize) || !isa_and_nonnull<ReshapeOp, TransposeOp>(move) || !move->hasOneUse())
      return rewriter.notifyMatchFailure(op, "clamps no moved elements before a quantization");
    Value x = move->getOperand(0);
    auto clamp = ClampOp::create(rewriter, op.getLoc(), x.getType(), x, op.getRange());
    Operation *moved = rewriter.clone(*move);
    moved->setOperand(0, clamp);
    rewriter.replaceOp(op, moved);
    return success();
  }
};

struct CancelConversions : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    auto dequantize = op.getInput().getDefiningOp<DequantizeOp>();
    if (!roundsToEven(op) || !dequantize || dequantize.getInput().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "quantizes no numbers that had its type before");
    rewriter.replaceOp(op, dequantize.getInput());
    return success();
  }
};

/// The order of numbers is that of what they are quantized to.
struct FindExtremeInteger : OpRewritePattern<ArgReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ArgReduceOp op, PatternRewriter &rewriter) const override {
    auto dequantize = op.getInput().getDefiningOp<DequantizeOp>();
    if (!dequantize)
      return rewriter.notifyMatchFailure(op, "reads no dequantized numbers");
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(dequantize.getInput()); });
    return success();
  }
};

} // namespace

void addQuantizedMovePatterns(RewritePatternSet &patterns) {
  patterns.add<SinkDequantize, RaiseQuantize, RaiseClamp, CancelConversions, FindExtremeInteger>(patterns.getContext());
}

} // namespace avocet::compiler::nn
