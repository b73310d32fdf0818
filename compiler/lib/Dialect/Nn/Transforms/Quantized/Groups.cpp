//===- Groups.cpp - Operations between conversions --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "../Greedy.h"

#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {

Location Group::location() const {
  QuantizeOp quantize = last;
  return op ? fusedIntoResult(op->getLoc(), quantize.getLoc()) : quantize.getLoc();
}

bool roundsToEven(QuantizeOp op) {
  return op.getNumerics().getKind() == Numerics::HalfEven && elementOf(op.getInput()).isF32();
}

Group groupBefore(QuantizeOp last) {
  Group group{last};
  Value value = last.getInput();
  std::optional<Activation> range = Activation::kNone;
  while (auto clamp = value.getDefiningOp<ClampOp>()) {
    if (!clamp->hasOneUse())
      break;
    range = kernels::intersectionOf(*range, clamp.getRange());
    if (!range)
      return group;
    value = clamp.getInput();
  }
  Operation *op = value.getDefiningOp();
  range = op ? kernels::intersectionOf(*range, activationOf(op)) : std::nullopt;
  if (!range)
    return group;
  group.op = op;
  group.range = *range;
  return group;
}

Value integersBehind(Value real) {
  auto dequantize = real.getDefiningOp<DequantizeOp>();
  return dequantize && elementOf(real).isF32() ? dequantize.getInput() : Value();
}

Value bytesBehind(Value real) {
  Value integers = integersBehind(real);
  return integers && hasEightBits(typeOfBytes(integers)) ? integers : Value();
}

/// The operations that made the value if nothing reads their results any more.
static void eraseUnread(Value value, RewriterBase &rewriter) {
  SmallVector<Operation *> left{value.getDefiningOp()};
  while (!left.empty()) {
    Operation *op = left.pop_back_val();
    if (!op || isa<QuantizeOp>(op) || !isOpTriviallyDead(op))
      continue;
    const SmallVector<Value> operands = llvm::to_vector(op->getOperands());
    rewriter.eraseOp(op);
    for (Value operand : operands)
      if (!llvm::is_contained(left, operand.getDefiningOp()))
        left.push_back(operand.getDefiningOp());
  }
}

Value withSignedness(Value bytes, bool isSigned, Location loc, RewriterBase &rewriter) {
  constexpr int64_t kOffset = 128;
  const quant::UniformQuantizedType type = typeOfBytes(bytes);
  if (type.isSigned() == isSigned)
    return bytes;
  const int64_t offset = isSigned ? -kOffset : kOffset;
  const auto element = quant::UniformQuantizedType::get(
      isSigned ? quant::QuantizationFlags::Signed : 0, type.getStorageType(), type.getExpressedType(), type.getScale(),
      type.getZeroPoint() + offset, type.getStorageTypeMin() + offset, type.getStorageTypeMax() + offset);
  return RescaleOp::create(rewriter, loc, tensorOf(bytes).clone(Type(element)), bytes,
                           evenNumerics(rewriter.getContext(), 1.0));
}

Operation *clampedResult(const Group &group, Operation *integers, RewriterBase &rewriter) {
  if (group.range == Activation::kNone)
    return integers;
  return ClampOp::create(rewriter, group.location(), group.resultType(), integers->getResult(0), group.range);
}

void replaceGroup(const Group &group, Operation *integers, RewriterBase &rewriter) {
  QuantizeOp last = group.last;
  Value real = last.getInput();
  rewriter.replaceOp(last, integers);
  eraseUnread(real, rewriter);
  remarkFused(integers, kQuantizationRemark, "it computes with the integers before and after its conversions");
}

} // namespace avocet::compiler::nn
