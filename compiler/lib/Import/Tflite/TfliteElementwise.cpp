//===- TfliteElementwise.cpp - Elementwise operators and comparisons ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/kernels/Quantization.h"

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

/// Arithmetic on i32.
class Integers {
public:
  explicit Integers(TfliteOperator &op) : op_(op) {}

  Value shiftRight(Value number, int32_t bits) {
    return createPair<nn::BinaryOp>(op_, number, constant(bits), nn::BinaryKind::RightShift);
  }
  Value sum(Value a, Value b) { return add(op_, a, b); }
  Value sum(Value a, int32_t b) { return sum(a, constant(b)); }
  Value difference(Value a, Value b) { return subtract(op_, a, b); }
  Value product(Value a, Value b) { return multiply(op_, a, b); }
  Value product(Value a, int32_t b) { return product(a, constant(b)); }
  Value elements(ArrayRef<int32_t> table, Value positions) {
    return create<nn::GatherOp>(op_, int32Constant(op_, {static_cast<int64_t>(table.size())}, table), positions, 0);
  }

private:
  Value constant(int32_t number) { return int32Constant(op_, {}, {number}); }

  TfliteOperator &op_;
};

/// Interpolates between the samples; the difference of two has 16 bits, as in the reference.
LogicalResult interpolate(TfliteOperator &op, Value input, Type result, Function function) {
  const auto samples = samplesOf(function, scaleOf(elementOf(input)), scaleOf(result));
  SmallVector<int32_t> firsts, slopes;
  for (int i = 0; i < kSteps; ++i) {
    firsts.push_back(samples[i]);
    slopes.push_back(static_cast<int16_t>(samples[i + 1] - samples[i]));
  }
  Integers on(op);
  Value number = castTo(op, input, op.builder().getI32Type()), step = on.shiftRight(number, 7),
        position = on.sum(step, kSteps / 2);
  Value offset = on.difference(number, on.product(step, 128));
  Value rise = on.shiftRight(on.sum(on.product(on.elements(slopes, position), offset), 64), 7);
  Value sum = on.sum(on.elements(firsts, position), rise);
  return finish<nn::CastOp>(op, sum, /*wraps=*/true);
}

/// The root in floats, rounded towards zero.
LogicalResult wideRoot(TfliteOperator &op, Value input, Type result) {
  const Type f32 = op.builder().getF32Type();
  Value number = createAs<nn::DequantizeOp>(op, f32, input);
  Value root = createAs<nn::UnaryOp>(op, f32, number, nn::UnaryKind::Sqrt, APFloat(1.0f));
  Value scale = float32Constant(op, scaleOf(result));
  return finish<nn::CastOp>(op, createPair<nn::DivOp>(op, root, scale, nn::Activation::kNone));
}

/// Calls `wide(input, result)` for 16-bit numbers, with the element type of the result; others become nn.unary.
template <typename Wide> LogicalResult convert(TfliteOperator &op, nn::UnaryKind kind, Wide &&wide) {
  Value input = op.value(0, "input");
  const Type result = op.resultElement(0);
  if (!input || !result)
    return failure();
  if (isWide(elementOf(input)) && isWide(result))
    return wide(input, result);
  return finish<nn::UnaryOp>(op, input, kind, APFloat(1.0f));
}

LogicalResult convertInterpolated(TfliteOperator &op, nn::UnaryKind kind, Function function) {
  return convert(op, kind, [&](Value input, Type result) { return interpolate(op, input, result, function); });
}

/// EXP, LOG, RSQRT and SQRT, of 16-bit quantized numbers by arithmetic of other operations, of others by nn.unary.
LogicalResult convertExp(TfliteOperator &op) { return convertInterpolated(op, nn::UnaryKind::Exp, exponential); }
LogicalResult convertLog(TfliteOperator &op) { return convertInterpolated(op, nn::UnaryKind::Log, logarithm); }
LogicalResult convertRsqrt(TfliteOperator &op) { return convertInterpolated(op, nn::UnaryKind::Rsqrt, reciprocalRoot); }
LogicalResult convertSqrt(TfliteOperator &op) {
  return convert(op, nn::UnaryKind::Sqrt, [&](Value input, Type result) { return wideRoot(op, input, result); });
}

bool isPlain32(Type element) { return element.isInteger(32); }

/// The type of INT32 has no scale, so the operation has it.
LogicalResult convertQuantize(TfliteOperator &op) {
  Value input = op.value(0, "input");
  const Type result = op.resultElement(0);
  if (!input || !result)
    return failure();
  const bool isFromIntegers = isPlain32(elementOf(input));
  if (!isFromIntegers && !isPlain32(result))
    return finish<nn::QuantizeOp>(op, input, FloatAttr());
  FailureOr<float> scale =
      isFromIntegers ? op.integerScale(op.inputTensor(0), "input") : op.integerScale(op.outputTensor(0), "result");
  return failed(scale) ? failure() : finish<nn::QuantizeOp>(op, input, op.builder().getF32FloatAttr(*scale));
}

LogicalResult convertGelu(TfliteOperator &op, const tflite::GeluOptions *options) {
  bool isApproximate = options && options->approximate();
  return createFunction<nn::UnaryOp>(op, isApproximate ? nn::UnaryKind::GeluTanh : nn::UnaryKind::Gelu, APFloat(1.0f));
}

LogicalResult convertLeakyRelu(TfliteOperator &op, const tflite::LeakyReluOptions *options) {
  float alpha = options ? options->alpha() : 0.0f;
  if (!std::isfinite(alpha))
    return op.malformed("has the alpha " + roundedText(alpha));
  return createFunction<nn::UnaryOp>(op, nn::UnaryKind::LeakyRelu, APFloat(alpha));
}

/// Adds from left to right.
LogicalResult convertAddN(TfliteOperator &op) {
  FailureOr<SmallVector<Value>> inputs = op.values(0, op.numInputs());
  const Type element = op.resultElement(0);
  if (failed(inputs) || !element)
    return failure();
  if (isa<quant::QuantizedType>(element))
    return op.refuse("result", "element type", "a quantized type", "FLOAT32 or INT32");
  Value sum = inputs->front();
  for (Value next : llvm::drop_begin(*inputs)) {
    if (sum && shapeOf(next) != shapeOf(sum))
      return op.malformed("has inputs of different shapes");
    sum = createAs<nn::AddOp>(op, element, sum, next, nn::Activation::kNone);
  }
  return finishMoved(op, sum, sum);
}

using tflite::BuiltinOperator;

LogicalResult convertMul(TfliteOperator &op, const tflite::MulOptions *, nn::Activation activation) {
  return createBinary<nn::MulOp>(op, activation);
}

/// Quotients of integers are rounded towards zero.
LogicalResult convertDiv(TfliteOperator &op, const tflite::DivOptions *, nn::Activation activation) {
  const Type element = op.resultElement(0);
  return element ? createBinary<nn::DivOp>(op, activation, isa<IntegerType>(element)) : failure();
}

/// Whether a type is 16-bit with a power of two as scale.
bool hasShiftScale(Type element) {
  return isWide(element) &&
         kernels::scaleExponent(static_cast<float>(cast<quant::UniformQuantizedType>(element).getScale()));
}

template <typename Options, typename SumOp>
LogicalResult convertSum(TfliteOperator &op, const Options *options, nn::Activation activation) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  const Type element = op.resultElement(0);
  if (!lhs || !rhs || !element)
    return failure();
  // The option's default is true, but the reference takes this form only for such scales.
  bool shiftScales = (!options || options->pot_scale_int16()) &&
                     llvm::all_of(ArrayRef<Type>{elementOf(lhs), elementOf(rhs), element}, hasShiftScale);
  const auto numerics = shiftScales ? nn::Numerics::ShiftScales : nn::Numerics::Tflite;
  return createBinary<SumOp>(op, activation, nn::NumericsAttr::get(element.getContext(), numerics));
}

/// The operands of a choice, each with the shape of the result.
LogicalResult finishSelect(TfliteOperator &op, Value condition, Value lhs, Value rhs, ArrayRef<int64_t> shape) {
  condition = broadcastTo(op, condition, shape);
  lhs = broadcastTo(op, lhs, shape);
  rhs = broadcastTo(op, rhs, shape);
  return finish<nn::SelectOp>(op, condition, lhs, rhs);
}

/// A condition of rank 1 chooses between rows.
LogicalResult convertSelect(TfliteOperator &op) {
  Value condition = op.value(0, "condition"), lhs = op.value(1, "input 1"), rhs = op.value(2, "input 2");
  if (!condition || !lhs || !rhs)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(lhs);
  if (shapeOf(condition).size() == 1 && shape.size() > 1) {
    SmallVector<int64_t> rows(shape.size(), 1);
    rows[0] = shapeOf(condition)[0];
    condition = reshape(op, condition, rows);
  }
  return finishSelect(op, condition, lhs, rhs, shape);
}

LogicalResult convertSelectV2(TfliteOperator &op) {
  Value condition = op.value(0, "condition"), lhs = op.value(1, "input 1"), rhs = op.value(2, "input 2");
  if (!condition || !lhs || !rhs)
    return failure();
  BrokenRule errors(op);
  FailureOr<nn::Shape> shape = nn::broadcastShape(shapeOf(lhs), shapeOf(rhs), errors);
  if (succeeded(shape))
    shape = nn::broadcastShape(shapeOf(condition), *shape, errors);
  return failed(shape) ? errors.report() : finishSelect(op, condition, lhs, rhs, *shape);
}

/// Quantized numbers are compared in fixed point, as in the reference.
template <nn::CompareKind kind> LogicalResult convertComparison(TfliteOperator &op) {
  Value lhs = op.value(0, "input 0");
  return lhs ? createBinary<nn::CompareOp>(op, kind, isQuantized(lhs)) : failure();
}

constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::RELU, 1, 1, shared<convertClamp<nn::Activation::kRelu>>},
    {BuiltinOperator::RELU6, 1, 1, shared<convertClamp<nn::Activation::kRelu6>>},
    {BuiltinOperator::RELU_0_TO_1, 1, 1, shared<convertClamp<nn::Activation::kRelu0To1>>},
    {BuiltinOperator::RELU_N1_TO_1, 1, 1, shared<convertClamp<nn::Activation::kReluN1To1>>},
#define AVOCET_NN_TFLITE(Operator, operands, ...)                                                                      \
  {BuiltinOperator::Operator, operands, operands, shared<convertDirect<operands, __VA_ARGS__>>},
#include "avocet/nnapi/NnOperations.inc"
    {BuiltinOperator::EXP, 1, 1, convertExp},
    {BuiltinOperator::LOG, 1, 1, convertLog},
    {BuiltinOperator::QUANTIZE, 1, 1, convertQuantize},
    {BuiltinOperator::RSQRT, 1, 1, convertRsqrt},
    {BuiltinOperator::SQRT, 1, 1, convertSqrt},
    {BuiltinOperator::ADD, 2, 2, withOptions<convertSum<tflite::AddOptions, nn::AddOp>>},
    {BuiltinOperator::DIV, 2, 2, withOptions<convertDiv>},
    {BuiltinOperator::MUL, 2, 2, withOptions<convertMul>},
    {BuiltinOperator::SUB, 2, 2, withOptions<convertSum<tflite::SubOptions, nn::SubOp>>},
    {BuiltinOperator::EQUAL, 2, 2, convertComparison<nn::CompareKind::Equal>},
    {BuiltinOperator::GREATER, 2, 2, convertComparison<nn::CompareKind::Greater>},
    {BuiltinOperator::GREATER_EQUAL, 2, 2, convertComparison<nn::CompareKind::GreaterEqual>},
    {BuiltinOperator::LESS, 2, 2, convertComparison<nn::CompareKind::Less>},
    {BuiltinOperator::LESS_EQUAL, 2, 2, convertComparison<nn::CompareKind::LessEqual>},
    {BuiltinOperator::NOT_EQUAL, 2, 2, convertComparison<nn::CompareKind::NotEqual>},
    {BuiltinOperator::SELECT, 3, 3, convertSelect},
    {BuiltinOperator::SELECT_V2, 3, 3, convertSelectV2},
    {BuiltinOperator::ADD_N, 1, kAnyNumber, convertAddN},
    // Integers out of range keep their low bits, as in C++.
    {BuiltinOperator::CAST, 1, 1, shared<convertDirect<1, nn::CastOp, /*wraps=*/true>>},
    {BuiltinOperator::GELU, 1, 1, withOptions<convertGelu>},
    {BuiltinOperator::LEAKY_RELU, 1, 1, withOptions<convertLeakyRelu>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
