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
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Creates operations on i32.
class Steps {
public:
  Steps(OpBuilder &builder, Location location, size_t rank) : builder_(builder), location_(location), rank_(rank) {}

  Type i32() { return builder_.getI32Type(); }

  template <typename Op, typename... Arguments> Value create(ArrayRef<int64_t> shape, const Arguments &...arguments) {
    return Op::create(builder_, location_, RankedTensorType::get(shape, i32()), arguments...).getResult();
  }
  template <typename Op, typename... Arguments> Value like(Value first, const Arguments &...arguments) {
    return create<Op>(typeOf(first).getShape(), first, arguments...);
  }
  Value multiply(Value lhs, Value rhs) {
    return like<tosa::MulOp>(lhs, rhs, constant({1}, builder_.getI8Type(), {31}));
  }

  Value constant(ArrayRef<int64_t> shape, Type element, ArrayRef<int64_t> numbers) {
    const auto type = RankedTensorType::get(shape, element);
    const auto attributes =
        llvm::map_to_vector(numbers, [&](int64_t number) -> Attribute { return IntegerAttr::get(element, number); });
    return tosa::ConstOp::create(builder_, location_, type, DenseElementsAttr::get(type, attributes)).getResult();
  }
  Value number(int64_t value) { return constant(SmallVector<int64_t>(rank_, 1), i32(), {value}); }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    const auto type = tosa::shapeType::get(builder_.getContext(), static_cast<int>(shape.size()));
    Value extents =
        tosa::ConstShapeOp::create(builder_, location_, type, builder_.getIndexTensorAttr(shape)).getResult();
    return create<tosa::ReshapeOp>(shape, value, extents);
  }

  /// The same numbers in another type.
  Value convert(Value value, Type element, int64_t zeroPoint = 0) {
    const auto scalar = [&](Type type, int64_t number) { return constant({1}, type, {number}); };
    return tosa::RescaleOp::create(builder_, location_, typeOf(value).clone(element), value,
                                   scalar(i32(), int64_t(1) << 30), scalar(builder_.getI8Type(), 30),
                                   scalar(typeOf(value).getElementType(), 0), scalar(element, zeroPoint),
                                   /*scale32=*/true, tosa::RoundingMode::SINGLE_ROUND, /*per_channel=*/false,
                                   /*input_unsigned=*/false, /*output_unsigned=*/false);
  }

  /// 1 / (1 + a) in Q0.31, of d = (1 + a) / 2 in Q0.31, by Newton-Raphson steps from 48/17 - 32/17 d in Q2.29.
  Value reciprocal(Value d) {
    constexpr int64_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = int64_t(1) << 29;
    Value estimate = like<tosa::AddOp>(multiply(d, number(kMinus32Over17)), number(k48Over17));
    for (int step = 0; step < 3; ++step) {
      Value product = multiply(d, estimate);
      Value error = create<tosa::SubOp>(typeOf(d).getShape(), number(kOne), product);
      Value change = like<tosa::LogicalLeftShiftOp>(multiply(estimate, error), number(2));
      estimate = like<tosa::AddOp>(estimate, change);
    }
    // Twice the estimate, at most 2^31 - 1.
    constexpr int64_t kHalf = int64_t(1) << 30;
    return like<tosa::AddOp>(like<tosa::MinimumOp>(estimate, number(kHalf)),
                             like<tosa::MinimumOp>(estimate, number(kHalf - 1)));
  }

private:
  OpBuilder &builder_;
  Location location_;
  size_t rank_;
};

/// The elements of a constant of i32.
std::optional<SmallVector<int32_t>> integersOf(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.getElementType().isInteger(32))
    return std::nullopt;
  return llvm::to_vector(elements.getValues<int32_t>());
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
    if (makerA->hasTrait<OpTrait::ConstantLike>() || makerB->hasTrait<OpTrait::ConstantLike>())
      return areSameConstants(a, b);
    const auto [place, isNew] = known_.try_emplace(makerA, makerB);
    if (!isNew)
      return place->second == makerB;
    return OperationEquivalence::isEquivalentTo(
        makerA, makerB, [&](Value x, Value y) { return success(areSame(x, y)); }, [](Value, Value) {},
        OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs);
  }

private:
  static bool areSameConstants(Value a, Value b) {
    Attribute x, y;
    return matchPattern(a, m_Constant(&x)) && matchPattern(b, m_Constant(&y)) && x == y;
  }

  llvm::DenseMap<Operation *, Operation *> known_;
};

/// A beta with which the device has these exponentials for numbers of scale 1: near the one that one of them gives.
std::optional<float> betaOf(ArrayRef<int32_t> exponentials) {
  constexpr int kNeighbours = 64;
  const auto isOf = [&](float beta) {
    return beta > 0 && std::isfinite(beta) &&
           ArrayRef(kernels::softmaxExponentials(kernels::prepareSoftmax(beta, 1.0f))) == exponentials;
  };
  // The difference whose exponential is nearest to 1 / e changes the most with beta.
  const auto distance = [&](size_t place) { return std::abs(exponentials[place] / 2147483648.0 - std::exp(-1.0)); };
  size_t best = 254;
  for (size_t place = 0; place < 255; ++place)
    if (distance(place) < distance(best))
      best = place;
  if (exponentials[best] <= 0)
    return std::nullopt;
  const double real = -std::log(exponentials[best] / 2147483648.0) / (255.0 - static_cast<double>(best));
  float below = static_cast<float>(real), above = below;
  for (int step = 0; step < kNeighbours; ++step) {
    for (float beta : {below, above})
      if (isOf(beta))
        return beta;
    below = std::nextafter(below, 0.0f);
    above = std::nextafter(above, INFINITY);
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

Value softmaxSteps(OpBuilder &builder, Location location, Value input, int64_t axis, ArrayRef<int32_t> exponentials) {
  const ArrayRef<int64_t> shape = typeOf(input).getShape();
  const auto along = static_cast<uint32_t>(axis);
  const int64_t count = typeOf(input).getNumElements();
  SmallVector<int64_t> kept(shape);
  kept[along] = 1;
  Steps steps(builder, location, shape.size());
  Value wide = steps.convert(input, steps.i32());
  Value difference = steps.like<tosa::SubOp>(wide, steps.create<tosa::ReduceMaxOp>(kept, wide, along));
  Value index = steps.reshape(steps.like<tosa::AddOp>(difference, steps.number(255)), {1, count});
  Value table = steps.constant({1, 256, 1}, steps.i32(), llvm::to_vector_of<int64_t>(exponentials));
  Value e = steps.reshape(steps.create<tosa::GatherOp>({1, count, 1}, table, index), shape);
  // In Q12.19, so that the sum fits.
  Value share = steps.like<tosa::ArithmeticRightShiftOp>(e, steps.number(12), true);
  Value sum = steps.create<tosa::ReduceSumOp>(kept, share, along);
  Value headroom = steps.like<tosa::ClzOp>(sum);
  Value half =
      steps.like<tosa::LogicalRightShiftOp>(steps.like<tosa::LogicalLeftShiftOp>(sum, headroom), steps.number(1));
  Value product = steps.multiply(e, steps.reciprocal(half));
  // 8 bits of the fraction, halves upwards. The distance is 32 where the result is 0.
  Value distance = steps.create<tosa::SubOp>(kept, steps.number(34), headroom);
  distance = steps.like<tosa::MinimumOp>(distance, steps.number(31));
  Value shifted = steps.like<tosa::ArithmeticRightShiftOp>(product, distance, false);
  Value rounded = steps.like<tosa::ArithmeticRightShiftOp>(shifted, steps.number(1), true);
  return steps.convert(rounded, builder.getI8Type(), INT8_MIN);
}

std::optional<SoftmaxForm> findSoftmax(tosa::RescaleOp last) {
  constexpr int kMostSteps = 8;
  if (!last.getInput().getDefiningOp<tosa::ArithmeticRightShiftOp>())
    return std::nullopt;
  auto gather = findBefore<tosa::GatherOp>(last.getInput(), kMostSteps);
  auto difference = gather ? findBefore<tosa::SubOp>(gather.getIndices(), kMostSteps) : tosa::SubOp();
  auto largest = difference ? difference.getInput2().getDefiningOp<tosa::ReduceMaxOp>() : tosa::ReduceMaxOp();
  auto wide = largest ? largest.getInput().getDefiningOp<tosa::RescaleOp>() : tosa::RescaleOp();
  const auto exponentials = gather ? integersOf(gather.getValues()) : std::nullopt;
  if (!wide || !exponentials || exponentials->size() != 256 || !typeOf(wide.getInput()).getElementType().isInteger(8) ||
      typeOf(wide.getInput()).getDimSize(largest.getAxis()) > kMostSoftmaxElements)
    return std::nullopt;
  Block scratch;
  OpBuilder builder(last.getContext());
  builder.setInsertionPointToEnd(&scratch);
  Value expected = softmaxSteps(builder, last.getLoc(), wide.getInput(), largest.getAxis(), *exponentials);
  const bool isSame = Comparison().areSame(last.getResult(), expected);
  const std::optional<float> beta = isSame ? betaOf(*exponentials) : std::nullopt;
  if (!beta)
    return std::nullopt;
  return SoftmaxForm{wide.getInput(), largest.getAxis(), *beta};
}

} // namespace avocet::compiler
