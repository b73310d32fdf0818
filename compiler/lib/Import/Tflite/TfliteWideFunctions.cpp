//===- TfliteWideFunctions.cpp - Functions of 16-bit numbers ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference interpolates these functions in a table of 513 samples, one every 128 numbers; the root it computes in
// floats.
//
//===----------------------------------------------------------------------===//

#include "TfliteWideFunctions.h"

#include "Import/Common/Constants.h"

#include <array>
#include <cmath>
#include <limits>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr float kLeast = std::numeric_limits<int16_t>::min(), kGreatest = std::numeric_limits<int16_t>::max();
constexpr int kSteps = 512;

/// A function of a real number; the scale of the result determines the value where the function is not defined.
using Function = float (*)(float x, float resultScale);

float exponential(float x, float) { return std::exp(x); }
float logarithm(float x, float resultScale) { return x > 0 ? std::log(x) : kLeast * resultScale; }
float reciprocalRoot(float x, float resultScale) { return x > 0 ? 1.0f / std::sqrt(x) : kGreatest * resultScale; }

/// An infinite sample has no error at the next middle, so that its difference counts as the greatest sample.
int16_t sample(float value) {
  return static_cast<int16_t>(std::isnan(value) ? kGreatest : std::clamp(value, kLeast, kGreatest));
}

/// Samples in steps of the result. Each is lowered by half the error that a straight line to the next one has in the
/// middle. All operations are those of the reference, in floats.
std::array<int16_t, kSteps + 1> samplesOf(Function function, float inputScale, float resultScale) {
  const float low = inputScale * kLeast, high = inputScale * kGreatest, step = (high - low) / kSteps;
  const float perStep = 65536.0f / (resultScale * kGreatest - resultScale * kLeast);
  const auto at = [&](float x) { return function(x, resultScale) * perStep; };
  std::array<int16_t, kSteps + 1> samples;
  for (int i = 0; i < kSteps; ++i) {
    const auto position = static_cast<float>(i);
    const float first = std::round(at(low + position * step));
    const float line = std::round((at(low + (position + 1) * step) + first) / 2);
    const float middle = std::round(at(low + position * step + step / 2));
    samples[i] = sample(first - std::round((line - middle) / 2));
  }
  samples[kSteps] = sample(std::round(at(high)));
  return samples;
}

bool isWide(Type element) {
  auto type = dyn_cast<quant::UniformQuantizedType>(element);
  return type && type.getStorageTypeIntegralWidth() == 16;
}

float scaleOf(Type element) { return static_cast<float>(cast<quant::UniformQuantizedType>(element).getScale()); }

/// Arithmetic on i32 of one shape.
class Integers {
public:
  Integers(TfliteOperator &op, ArrayRef<int64_t> shape)
      : op_(op), type_(RankedTensorType::get(shape, op.builder().getI32Type())) {}

  Value stored(Value number) { return nn::CastOp::create(op_.builder(), op_.location(), type_, number); }
  Value shiftRight(Value number, int32_t bits) {
    return nn::BinaryOp::create(op_.builder(), op_.location(), type_, number, constant(bits),
                                nn::BinaryKind::RightShift);
  }
  Value sum(Value a, Value b) { return create<nn::AddOp>(a, b); }
  Value sum(Value a, int32_t b) { return sum(a, constant(b)); }
  Value difference(Value a, Value b) { return create<nn::SubOp>(a, b); }
  Value product(Value a, Value b) { return create<nn::MulOp>(a, b); }
  Value product(Value a, int32_t b) { return product(a, constant(b)); }
  Value elements(ArrayRef<int32_t> table, Value positions) {
    return nn::GatherOp::create(op_.builder(), op_.location(), type_,
                                int32Constant(op_, {static_cast<int64_t>(table.size())}, table), positions, 0);
  }

private:
  Value constant(int32_t number) { return int32Constant(op_, {}, {number}); }
  template <typename Op> Value create(Value a, Value b) {
    return Op::create(op_.builder(), op_.location(), type_, a, b, nn::Activation::None);
  }

  TfliteOperator &op_;
  const RankedTensorType type_;
};

/// Interpolates between the samples; the difference of two has 16 bits, as in the reference.
LogicalResult interpolate(TfliteOperator &op, Value input, RankedTensorType result, Function function) {
  const auto samples = samplesOf(function, scaleOf(elementOf(input)), scaleOf(result.getElementType()));
  SmallVector<int32_t> firsts, slopes;
  for (int i = 0; i < kSteps; ++i) {
    firsts.push_back(samples[i]);
    slopes.push_back(static_cast<int16_t>(samples[i + 1] - samples[i]));
  }
  Integers on(op, result.getShape());
  Value number = on.stored(input), step = on.shiftRight(number, 7), position = on.sum(step, kSteps / 2);
  Value offset = on.difference(number, on.product(step, 128));
  Value rise = on.shiftRight(on.sum(on.product(on.elements(slopes, position), offset), 64), 7);
  Value sum = on.sum(on.elements(firsts, position), rise);
  return op.finish(nn::CastOp::create(op.builder(), op.location(), result, sum, /*wraps=*/true));
}

/// The root in floats, rounded towards zero.
LogicalResult wideRoot(TfliteOperator &op, Value input, RankedTensorType result) {
  OpBuilder &builder = op.builder();
  auto real = RankedTensorType::get(result.getShape(), builder.getF32Type());
  Value number = nn::DequantizeOp::create(builder, op.location(), real, input);
  Value root = nn::UnaryOp::create(builder, op.location(), real, number, nn::UnaryKind::Sqrt, APFloat(1.0f));
  Value scale = filled(op, RankedTensorType::get({}, builder.getF32Type()),
                       builder.getF32FloatAttr(scaleOf(result.getElementType())));
  Value steps = nn::DivOp::create(builder, op.location(), real, root, scale, nn::Activation::None);
  return op.finish(nn::CastOp::create(builder, op.location(), result, steps));
}

/// Calls `wide(input, result)` for 16-bit numbers; others become nn.unary.
template <typename Wide> LogicalResult convert(TfliteOperator &op, nn::UnaryKind kind, Wide &&wide) {
  Value input = op.value(0, "input");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result)
    return failure();
  if (isWide(elementOf(input)) && isWide(result.getElementType()))
    return wide(input, result);
  return op.finish(nn::UnaryOp::create(op.builder(), op.location(), result, input, kind, APFloat(1.0f)));
}

LogicalResult convertInterpolated(TfliteOperator &op, nn::UnaryKind kind, Function function) {
  return convert(op, kind,
                 [&](Value input, RankedTensorType result) { return interpolate(op, input, result, function); });
}

} // namespace

LogicalResult convertExp(TfliteOperator &op) { return convertInterpolated(op, nn::UnaryKind::Exp, exponential); }
LogicalResult convertLog(TfliteOperator &op) { return convertInterpolated(op, nn::UnaryKind::Log, logarithm); }
LogicalResult convertRsqrt(TfliteOperator &op) { return convertInterpolated(op, nn::UnaryKind::Rsqrt, reciprocalRoot); }
LogicalResult convertSqrt(TfliteOperator &op) {
  return convert(op, nn::UnaryKind::Sqrt,
                 [&](Value input, RankedTensorType result) { return wideRoot(op, input, result); });
}

} // namespace avocet::compiler
