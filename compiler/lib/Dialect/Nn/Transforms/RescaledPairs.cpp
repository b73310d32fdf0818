//===- RescaledPairs.cpp - Sums and products between rescales ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   rescale(rescale(a) + rescale(b))     nn.add with the three multipliers, and nn.sub
//   rescale((a - zero) * (b - zero))     nn.mul with one
//   rescale(rescale((a - zero) << n) + rescale((b - zero) << n))
//                                        the same sum with `left n`
//
// a and b are 8-bit numbers, the sums and products i32. An operand may be a constant that 8 bits hold, times a power of
// two where it is a summand.
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"
#include "RescalePatterns.h"

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr llvm::StringLiteral kRemark = "rescale";

/// The largest shift of which single_round and double_round give the same.
constexpr int32_t kMostCommonShift = 31;
constexpr int32_t kUnit = 30; ///< 1 is 2^30 >> 30

/// An operand of i32: a value of 8 bits, without its zero point and times its multiplier.
struct Scaled {
  CenteredBytes bytes;    ///< their value has other numbers if there is a constant
  Integers constant = {}; ///< 8-bit numbers instead; empty: none
  int32_t multiplier = 1 << kUnit, shift = kUnit;
  Numerics kind = Numerics::SingleRound;
  int32_t left = 0; ///< before the product

  bool isSigned() const { return bytes.type.isSigned(); }
  bool isIdentity() const { return shift <= kUnit && multiplier == 1 << shift && left == 0; }

  /// The 8-bit numbers.
  Value create(PatternRewriter &rewriter) const {
    if (constant.empty())
      return bitcastTo(bytes.value, bytes.type, rewriter);
    const auto stored = RankedTensorType::get(shapeOf(bytes.value), bytes.type.getStorageType());
    return ConstantOp::create(rewriter, bytes.loc, tensorOf(bytes.value).clone(Type(bytes.type)),
                              elementsOf(stored, constant));
  }
};

bool isReadByOne(Value value, Operation *reader) {
  return llvm::all_equal(value.getUsers()) && *value.user_begin() == reader;
}

/// The numbers that a rescale reads: bytes, or centered bytes that are shifted to the left. Null values: it reads
/// others.
std::pair<std::optional<CenteredBytes>, int32_t> readShifted(RescaleOp rescale) {
  if (const auto type = quantizedForm(elementOf(rescale.getInput())); isBytes(type))
    return {CenteredBytes{rescale.getInput(), type, rescale.getLoc()}, 0};
  auto shift = rescale.getInput().getDefiningOp<BinaryOp>();
  if (!shift || shift.getKind() != BinaryKind::LeftShift || !isReadByOne(shift.getOutput(), rescale) ||
      shapeOf(shift.getOutput()) != shapeOf(shift.getLhs()))
    return {};
  constexpr int64_t kMostLeft = 22;
  const std::optional<int64_t> left = integerOf(shift.getRhs());
  std::optional<CenteredBytes> bytes = readCentered(shift.getLhs());
  if (!bytes || !left || *left < 0 || *left > kMostLeft)
    return {};
  bytes->loc = fusedLocation(fusedLocation(rescale.getLoc(), shift.getLoc()), bytes->loc);
  return {bytes, static_cast<int32_t>(*left)};
}

/// A rescale or a cast that nothing but `reader` reads.
std::optional<Scaled> readScaled(Value value, Operation *reader) {
  if (!value.getDefiningOp() || !isReadByOne(value, reader))
    return std::nullopt;
  if (auto rescale = value.getDefiningOp<RescaleOp>()) {
    const NumericsAttr numerics = rescale.getNumerics();
    const auto [bytes, left] = readShifted(rescale);
    if (!bytes || numerics.getMultipliers().size() != 1)
      return std::nullopt;
    return Scaled{*bytes, {}, numerics.getMultipliers()[0], numerics.getShifts()[0], numerics.getKind(), left};
  }
  const std::optional<CenteredBytes> bytes = readCentered(value);
  return bytes ? std::optional(Scaled{*bytes}) : std::nullopt;
}

/// A constant of i32 as 8-bit numbers times a power of two; nullopt if there are no such numbers.
std::optional<Scaled> readConstant(Value value, bool isSigned) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  std::optional<Integers> integers = integersOf(constant, tensorOf(value));
  if (!integers)
    return std::nullopt;
  constexpr int32_t kLeastShift = 2;
  int32_t zeros = kUnit - kLeastShift;
  for (int64_t integer : *integers)
    zeros = std::min(zeros, integer == 0 ? zeros : llvm::countr_zero(static_cast<uint64_t>(integer)));
  const auto [least, most] = isSigned ? std::pair(-128, 127) : std::pair(0, 255);
  for (int64_t &integer : *integers) {
    integer >>= zeros;
    if (integer < least || integer > most)
      return std::nullopt;
  }
  Builder builder(value.getContext());
  const auto type = quantizedForm(builder.getIntegerType(8, isSigned));
  return Scaled{{value, type, value.getLoc()}, std::move(*integers), 1 << kUnit, kUnit - zeros};
}

/// Both operands; one of them may be a constant.
std::optional<std::pair<Scaled, Scaled>> readOperands(Value lhs, Value rhs, Operation *reader) {
  std::optional<Scaled> a = readScaled(lhs, reader), b = readScaled(rhs, reader);
  if (!a && b)
    a = readConstant(lhs, b->isSigned());
  else if (a && !b)
    b = readConstant(rhs, a->isSigned());
  if (!a || !b)
    return std::nullopt;
  for (auto [own, other] : {std::pair(&*a, &*b), std::pair(&*b, &*a)})
    if (!own->constant.empty())
      own->shift += own->left = other->left;
  return std::pair(*a, *b);
}

/// The kind of numerics with which one operation has all these products; nullopt if their roundings differ.
std::optional<Numerics> commonKind(ArrayRef<std::pair<Numerics, int32_t>> products) {
  std::optional<Numerics> kind;
  for (auto [own, shift] : products) {
    if (shift <= kMostCommonShift && own != Numerics::EvenRound)
      continue;
    if (kind.value_or(own) != own)
      return std::nullopt;
    kind = own;
  }
  return kind.value_or(Numerics::DoubleRound);
}

/// A sum, a difference or a product of i32 with a rescale to 8 bits after it.
template <typename PairOp> struct BetweenRescales : OpRewritePattern<RescaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RescaleOp op, PatternRewriter &rewriter) const override {
    auto pair = op.getInput().getDefiningOp<PairOp>();
    if (!pair || !elementOf(pair.getOutput()).isInteger(32) || pair.getActivation() != Activation::kNone)
      return rewriter.notifyMatchFailure(op, "follows no such operation of plain integers");
    if (!pair->hasOneUse())
      return remarkNotFused(rewriter, op, kRemark, "the numbers before it have another reader");
    const auto result = quantizedForm(elementOf(op.getOutput()));
    if (!isBytes(result) || op.getNumerics().getMultipliers().size() != 1)
      return remarkNotFused(rewriter, op, kRemark, "its result has no 8 bits, or a multiplier for each channel");
    const auto operands = readOperands(pair.getLhs(), pair.getRhs(), pair);
    if (!operands)
      return remarkNotFused(rewriter, op, kRemark, "an operand is no rescaled number of 8 bits that it reads alone");
    const auto &[a, b] = *operands;
    if (a.isSigned() != b.isSigned() || a.isSigned() != result.isSigned())
      return remarkNotFused(rewriter, op, kRemark, "operands and result differ in signedness");
    const NumericsAttr numerics = numericsOf(op, a, b);
    if (!numerics)
      return remarkNotFused(rewriter, op, kRemark, "one operation has no such products");
    const Location own = fusedLocation(fusedLocation(pair.getLoc(), a.bytes.loc), b.bytes.loc);
    auto fused = PairOp::create(rewriter, fusedIntoResult(own, op.getLoc()),
                                RankedTensorType::get(shapeOf(op.getOutput()), result), a.create(rewriter),
                                b.create(rewriter), Activation::kNone, numerics);
    rewriter.replaceOp(op, bitcastTo(fused, elementOf(op.getOutput()), rewriter));
    remarkFused(fused, kRemark, "one operation with the multipliers of its operands and of its result");
    return success();
  }

private:
  /// Null if the operation has no such products.
  static NumericsAttr numericsOf(RescaleOp op, const Scaled &a, const Scaled &b) {
    const NumericsAttr last = op.getNumerics();
    if (std::is_same_v<PairOp, MulOp>)
      return a.isIdentity() && b.isIdentity() ? last : NumericsAttr();
    const int32_t multiplier = last.getMultipliers()[0], shift = last.getShifts()[0];
    const std::optional<Numerics> kind = commonKind({{a.kind, a.shift}, {b.kind, b.shift}, {last.getKind(), shift}});
    if (!kind || a.left != b.left)
      return {};
    return NumericsAttr::get(op.getContext(), *kind, ArrayRef<int32_t>{a.multiplier, b.multiplier, multiplier},
                             ArrayRef<int32_t>{a.shift, b.shift, shift}, a.left);
  }
};

} // namespace

std::optional<CenteredBytes> readCentered(Value value) {
  if (auto rescale = value.getDefiningOp<RescaleOp>()) {
    const auto type = quantizedForm(elementOf(rescale.getInput()));
    const NumericsAttr numerics = rescale.getNumerics();
    const int32_t shift = numerics.getShifts()[0];
    if (!isBytes(type) || numerics.getMultipliers().size() != 1 || shift > kUnit ||
        numerics.getMultipliers()[0] != 1 << shift || !elementOf(value).isInteger(32))
      return std::nullopt;
    return CenteredBytes{rescale.getInput(), type, rescale.getLoc()};
  }
  auto cast = value.getDefiningOp<CastOp>();
  const auto type = cast ? quantizedForm(elementOf(cast.getInput())) : quant::UniformQuantizedType();
  if (!isBytes(type) || !elementOf(value).isInteger(32))
    return std::nullopt;
  // A cast ignores the zero point.
  Builder builder(cast.getContext());
  return CenteredBytes{cast.getInput(), quantizedForm(builder.getIntegerType(8, type.isSigned())), cast.getLoc()};
}

void addRescaledPairPatterns(RewritePatternSet &patterns) {
  patterns.add<BetweenRescales<AddOp>, BetweenRescales<SubOp>, BetweenRescales<MulOp>>(patterns.getContext());
}

} // namespace avocet::compiler::nn
