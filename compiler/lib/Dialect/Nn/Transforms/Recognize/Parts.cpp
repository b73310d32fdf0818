//===- Parts.cpp - The operations of a pattern ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// No pattern has as many operations, or factors. It bounds the work on long chains, and on squares of squares.
constexpr size_t kMostParts = 24;

} // namespace

bool hasReals(Value value) { return isa<FloatType, quant::QuantizedType>(elementOf(value)); }

Value Parts::otherThan(Operation *op, double number) {
  for (unsigned at : {0, 1})
    if (auto splat = splatOf(op->getOperand(1 - at)); splat && isNear(*splat, number, elementOf(op->getResult(0))))
      return op->getOperand(at);
  return {};
}

Value Parts::takeUnary(Value value, UnaryKind kind) {
  auto op = value.getDefiningOp<UnaryOp>();
  return op && op.getKind() == kind && note(op) ? op.getInput() : Value();
}

Value Parts::takeReshape(Value value) {
  auto op = take<ReshapeOp>(value);
  return op ? op.getInput() : Value();
}

Value Parts::takeNegative(Value value, Activation activation) {
  if (Value x = activation == Activation::kNone ? takeUnary(value, UnaryKind::Neg) : Value())
    return x;
  if (auto sub = value.getDefiningOp<SubOp>(); sub && splatOf(sub.getLhs()) == 0.0 && take<SubOp>(value, activation))
    return sub.getRhs();
  auto op = value.getDefiningOp<MulOp>();
  Value x = op && activationOf(op) == activation ? otherThan(op, -1) : Value();
  return x && note(op) ? x : Value();
}

void Parts::multiply(Value value, bool isInside, Product &product) {
  if (auto splat = splatOf(value)) {
    product.factor *= *splat;
    return;
  }
  const auto times = [&](ArrayRef<Value> values) {
    for (Value each : values)
      multiply(each, /*isInside=*/true, product);
  };
  const bool isOpen =
      (!isInside || value.hasOneUse()) && ops_.size() < kMostParts && product.values.size() < kMostParts;
  auto div = value.getDefiningOp<DivOp>();
  auto power = value.getDefiningOp<PowOp>();
  if (!isOpen) {
    product.values.push_back(value);
  } else if (auto mul = take<MulOp>(value)) {
    times({mul.getLhs(), mul.getRhs()});
  } else if (auto divisor = div ? splatOf(div.getRhs()) : std::nullopt;
             divisor && *divisor != 0 && take<DivOp>(value)) {
    product.factor /= *divisor;
    times({div.getLhs()});
  } else if (Value minus = takeUnary(value, UnaryKind::Neg)) {
    product.factor = -product.factor;
    times({minus});
  } else if (Value root = takeUnary(value, UnaryKind::Square)) {
    times({root, root});
  } else if (auto exponent = power ? splatOf(power.getRhs()) : std::nullopt;
             exponent && (*exponent == 2 || *exponent == 3) && note(power)) {
    times(SmallVector<Value>(static_cast<size_t>(*exponent), power.getLhs()));
  } else {
    product.values.push_back(value);
  }
}

void Parts::add(Value value, double sign, bool isInside, Sum &sum) {
  if (auto splat = splatOf(value)) {
    sum.constant += sign * *splat;
    return;
  }
  const bool isOpen = (!isInside || value.hasOneUse()) && ops_.size() < kMostParts;
  if (auto plus = isOpen ? take<AddOp>(value) : AddOp()) {
    add(plus.getLhs(), sign, /*isInside=*/true, sum);
    add(plus.getRhs(), sign, /*isInside=*/true, sum);
  } else if (auto minus = isOpen ? take<SubOp>(value) : SubOp()) {
    add(minus.getLhs(), sign, /*isInside=*/true, sum);
    add(minus.getRhs(), -sign, /*isInside=*/true, sum);
  } else {
    sum.terms.push_back({value, sign});
  }
}

Product Parts::takeProduct(Value value) {
  Product product;
  multiply(value, /*isInside=*/false, product);
  return product;
}

Sum Parts::takeSum(Value value) {
  Sum sum;
  add(value, 1, /*isInside=*/false, sum);
  return sum;
}

std::optional<std::pair<Value, Activation>> readClamp(Operation *op) {
  if (auto clamp = dyn_cast_or_null<ClampOp>(op))
    return std::pair(clamp.getInput(), clamp.getRange());
  if (!isa_and_nonnull<MinimumOp, MaximumOp>(op))
    return std::nullopt;
  for (unsigned at : {0, 1})
    if (auto splat = splatOf(op->getOperand(1 - at))) {
      Activation range;
      (isa<MaximumOp>(op) ? range.low : range.high) = static_cast<float>(*splat);
      return std::pair(op->getOperand(at), range);
    }
  return std::nullopt;
}

std::optional<Sum> Parts::takeClampedSum(Value value, Activation activation) {
  std::optional<Activation> range = Activation::kNone;
  while (const auto clamp = ops_.size() < kMostParts ? readClamp(value.getDefiningOp()) : std::nullopt) {
    note(value.getDefiningOp());
    value = clamp->first;
    range = range ? kernels::intersectionOf(*range, clamp->second) : std::nullopt;
  }
  auto plus = value.getDefiningOp<AddOp>();
  if (plus && range)
    range = kernels::intersectionOf(*range, plus.getActivation());
  if (!range || *range != activation)
    return std::nullopt;
  if (!plus)
    return takeSum(value);
  note(plus);
  Sum sum;
  add(plus.getLhs(), 1, /*isInside=*/true, sum);
  add(plus.getRhs(), 1, /*isInside=*/true, sum);
  return sum;
}

llvm::StringRef Parts::obstacle() const {
  if (isQuantized(root_->getResult(0)))
    return "each step rounds to a quantized number";
  const auto isOurs = [&](Operation *op) { return op == root_ || ops_.contains(op); };
  for (Operation *op : ops_)
    if (!llvm::all_of(op->getUsers(), isOurs))
      return "another operation reads the result of one of its steps";
  return {};
}

llvm::StringRef Parts::obstacle(Value input) const {
  if (StringRef obstacle = this->obstacle(); !obstacle.empty())
    return obstacle;
  return input.getType() == root_->getResult(0).getType() ? "" : "its result has another shape than its input";
}

Location Parts::location() const {
  Location location = root_->getLoc();
  for (Operation *op : ops_)
    location = fusedLocation(location, op->getLoc());
  return location;
}

Location Parts::locationAs(StringRef remark) const { return replacementLocation(location(), remark.upper()); }

} // namespace avocet::compiler::nn
