//===- SoftmaxSteps.cpp - Softmax of 8-bit numbers in TOSA ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxSteps.h"

#include "avocet/kernels/dsp/Softmax.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/DenseMap.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// 1 / (1 + a) in Q0.31, of d = (1 + a) / 2 in Q0.31, by Newton-Raphson steps from 48/17 - 32/17 d in Q2.29.
Value reciprocal(TosaSteps &steps, Value d) {
  constexpr int64_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = int64_t(1) << 29;
  const auto number = [&](int64_t value) { return steps.numberLike(d, static_cast<double>(value)); };
  Value estimate = steps.like<tosa::AddOp>(steps.multiply(d, number(kMinus32Over17), 31), number(k48Over17));
  for (int step = 0; step < 3; ++step) {
    Value product = steps.multiply(d, estimate, 31);
    Value error = steps.pair<tosa::SubOp>(number(kOne), product);
    Value change = steps.like<tosa::LogicalLeftShiftOp>(steps.multiply(estimate, error, 31), number(2));
    estimate = steps.like<tosa::AddOp>(estimate, change);
  }
  // Twice the estimate, at most 2^31 - 1.
  constexpr int64_t kHalf = int64_t(1) << 30;
  return steps.like<tosa::AddOp>(steps.like<tosa::MinimumOp>(estimate, number(kHalf)),
                                 steps.like<tosa::MinimumOp>(estimate, number(kHalf - 1)));
}

/// Whether two values are made by the same operations of the same values.
class Comparison {
public:
  bool areSame(Value a, Value b) {
    if (a == b)
      return true;
    Operation *makerA = a.getDefiningOp(), *makerB = b.getDefiningOp();
    if (!makerA || !makerB || a.getType() != b.getType())
      return false;
    const auto [place, isNew] = known_.try_emplace(makerA, makerB);
    if (!isNew)
      return place->second == makerB;
    return OperationEquivalence::isEquivalentTo(
        makerA, makerB, [&](Value x, Value y) { return success(areSame(x, y)); }, [](Value, Value) {},
        OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs);
  }

private:
  llvm::DenseMap<Operation *, Operation *> known_;
};

/// A beta with which the device has these exponentials for numbers of scale 1: near the one that one of them gives.
std::optional<float> betaOf(ArrayRef<int32_t> exponentials) {
  constexpr int32_t kNeighbors = 128;
  const auto fraction = [&](size_t place) { return exponentials[place] / 2147483648.0; };
  // The difference whose exponential is nearest to 1 / e changes the most with beta.
  size_t best = 254;
  for (size_t place = 0; place < 255; ++place)
    if (std::abs(fraction(place) - std::exp(-1.0)) < std::abs(fraction(best) - std::exp(-1.0)))
      best = place;
  if (exponentials[best] <= 0)
    return std::nullopt;
  const auto nearest = static_cast<float>(-std::log(fraction(best)) / (255.0 - static_cast<double>(best)));
  for (int32_t step = 0; step < kNeighbors; ++step) {
    // The nearest number, the one above, the one below, and so on.
    const int32_t distance = step % 2 == 1 ? (step + 1) / 2 : -step / 2;
    const auto beta = std::bit_cast<float>(std::bit_cast<int32_t>(nearest) + distance);
    if (beta > 0 && std::isfinite(beta) &&
        ArrayRef(kernels::softmaxExponentials(kernels::prepareSoftmax(beta, 1.0f))) == exponentials)
      return beta;
  }
  return std::nullopt;
}

/// The operation of a kind on the way of the first operands; null: there is none within `steps`.
template <typename Op> Op findBefore(Value value, int steps) {
  for (; steps > 0; --steps) {
    Operation *maker = value.getDefiningOp();
    if (auto found = dyn_cast_if_present<Op>(maker))
      return found;
    if (!maker || maker->getNumOperands() == 0)
      return {};
    value = maker->getOperand(0);
  }
  return {};
}

} // namespace

Value softmaxSteps(TosaSteps &steps, Value input, int64_t axis, ArrayRef<int32_t> exponentials) {
  const int64_t count = tensorOf(input).getNumElements();
  const auto number = [&](int64_t value) {
    return steps.number(steps.i32(), static_cast<double>(value), shapeOf(input).size());
  };
  Value wide = steps.rescale(input, {steps.i32()});
  Value difference = steps.like<tosa::SubOp>(wide, steps.reduce<tosa::ReduceMaxOp>(wide, axis));
  Value index = steps.reshape(steps.like<tosa::AddOp>(difference, number(255)), {1, count});
  Value table = steps.constant({1, 256, 1}, 32, exponentials);
  Value e = steps.reshape(steps.create<tosa::GatherOp>(steps.i32(), {1, count, 1}, table, index), shapeOf(input));
  // In Q12.19, so that the sum fits.
  Value share = steps.like<tosa::ArithmeticRightShiftOp>(e, number(12), true);
  Value sum = steps.reduce<tosa::ReduceSumOp>(share, axis);
  Value headroom = steps.like<tosa::ClzOp>(sum);
  Value half = steps.like<tosa::LogicalRightShiftOp>(steps.like<tosa::LogicalLeftShiftOp>(sum, headroom), number(1));
  Value product = steps.multiply(e, reciprocal(steps, half), 31);
  // 8 bits of the fraction, halves upwards. The distance is 32 where the result is 0.
  Value distance = steps.pair<tosa::SubOp>(number(34), headroom);
  distance = steps.like<tosa::MinimumOp>(distance, number(31));
  Value shifted = steps.like<tosa::ArithmeticRightShiftOp>(product, distance, false);
  Value rounded = steps.like<tosa::ArithmeticRightShiftOp>(shifted, number(1), true);
  return steps.rescale(rounded, {steps.i8(), 0, INT8_MIN});
}

std::optional<SoftmaxForm> findSoftmax(tosa::RescaleOp last) {
  constexpr int kMostSteps = 8;
  if (!last.getInput().getDefiningOp<tosa::ArithmeticRightShiftOp>())
    return std::nullopt;
  auto gather = findBefore<tosa::GatherOp>(last.getInput(), kMostSteps);
  auto difference = gather ? findBefore<tosa::SubOp>(gather.getIndices(), kMostSteps) : tosa::SubOp();
  auto largest = difference ? difference.getInput2().getDefiningOp<tosa::ReduceMaxOp>() : tosa::ReduceMaxOp();
  auto wide = largest ? largest.getInput().getDefiningOp<tosa::RescaleOp>() : tosa::RescaleOp();
  DenseIntElementsAttr table;
  if (!wide || !matchPattern(gather.getValues(), m_Constant(&table)) || !table.getElementType().isInteger(32) ||
      table.getNumElements() != 256 || !elementOf(wide.getInput()).isInteger(8) ||
      shapeOf(wide.getInput())[largest.getAxis()] > kMostSoftmaxElements)
    return std::nullopt;
  const auto exponentials = llvm::to_vector(table.getValues<int32_t>());
  Block scratch;
  OpBuilder builder(last.getContext());
  builder.setInsertionPointToEnd(&scratch);
  TosaConstantPool pool{&scratch};
  TosaSteps steps(builder, last.getLoc(), pool);
  Value expected = softmaxSteps(steps, wide.getInput(), largest.getAxis(), exponentials);
  const bool isSame = Comparison().areSame(last.getResult(), expected);
  const std::optional<float> beta = isSame ? betaOf(exponentials) : std::nullopt;
  if (!beta)
    return std::nullopt;
  return SoftmaxForm{wide.getInput(), largest.getAxis(), *beta};
}

} // namespace avocet::compiler
