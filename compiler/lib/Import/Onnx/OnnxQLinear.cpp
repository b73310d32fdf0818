//===- OnnxQLinear.cpp - Operators of quantized tensors ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions, products and sums run on integers, and their sums are rescaled once. All others are functions of the
// real numbers between dequantization and quantization.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/MatrixProduct.h"
#include "OnnxActivations.h"
#include "OnnxQuantized.h"
#include "OnnxWindow.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Two operands, the scale of the result, and its type, which is that of its zero point or of the first operand.
struct QuantizedPair {
  OnnxQuantized a, b;
  Scale y;
  Type result;

  /// scale(a) * scale(b) / scale(result) for each scale of b, in floats as ONNX Runtime has it.
  SmallVector<float> factors(float alpha = 1) const {
    return llvm::map_to_vector(b.scales, [&](float scale) { return alpha * a.scale().scale * scale / y.scale; });
  }
};

/// The result has no scale if that is omitted at its position.
FailureOr<QuantizedPair> pairOf(OnnxOperation &op, bool severalScales, uint32_t scale = 6) {
  FailureOr<OnnxQuantized> a = quantizedAt(op, 0), b = quantizedAt(op, 3, severalScales);
  FailureOr<Scale> y = op.hasInput(scale) ? scaleAt(op, scale, scale + 1) : Scale{};
  if (failed(a) || failed(b) || failed(y))
    return failure();
  Value zero = op.optional(scale + 1, "zero point");
  return QuantizedPair{*a, *b, *y, elementOf(zero ? zero : a->value)};
}

/// Filters and matrices, whose scales count after the sums only.
Value asWeights(OnnxOperation &op, const OnnxQuantized &weights) {
  return asQuantized(op, weights.value,
                     {weights.scales.size() == 1 ? weights.scales.front() : 1.0f, weights.zeroPoint});
}

LogicalResult convertQLinearConv(OnnxOperation &op) {
  FailureOr<QuantizedPair> pair = pairOf(op, /*severalScales=*/true);
  Value bias = op.optionalParameter(8, "B");
  if (failed(pair))
    return failure();
  const OnnxQuantized &x = pair->a, &w = pair->b;
  FailureOr<SpatialWindow> window = convWindow(op, x.value, w.value);
  if (failed(window))
    return failure();
  if (w.scales.size() != 1 && static_cast<int64_t>(w.scales.size()) != shapeOf(w.value)[0])
    return op.malformed("has " + Twine(w.scales.size()) + " scales of a filter " + nn::textOf(shapeOf(w.value)));
  Value input = asQuantized(op, x.value, x.scale()), filter = asWeights(op, w);
  return op.finish(convolvedFirst(op, input, filter, bias, *window, [&](Value sums) {
    return rescaled(op, sums, pair->factors(), pair->result, pair->y);
  }));
}

FailureOr<OffsetIntegers> integerOperand(OnnxOperation &op, uint32_t position, uint32_t zero) {
  OffsetIntegers read{op.value(position, "input")};
  if (!read.value)
    return failure();
  const Type element = elementOf(read.value);
  if (!isa<IntegerType>(element) || element.getIntOrFloatBitWidth() != 8)
    return op.refuse("an input", "has 8 bits", "another element type", "INT8 or UINT8");
  Value point = op.optionalParameter(zero, "zero point");
  if (point && !point.getDefiningOp<nn::ConstantOp>()) {
    if (tensorOf(point).getNumElements() != 1)
      return op.refuse("zero point", "is one number if it is computed", nn::textOf(shapeOf(point)));
    read.computed = castTo(op, reshape(op, point, {}), op.builder().getI32Type());
    return read;
  }
  FailureOr<int64_t> number = zeroPoint(op, zero);
  if (failed(number))
    return failure();
  read.zeroPoint = *number;
  return read;
}

LogicalResult convertConvInteger(OnnxOperation &op) {
  FailureOr<OffsetIntegers> x = integerOperand(op, 0, 2);
  Value w = op.parameter(1, "w");
  FailureOr<SmallVector<int64_t>> zeros = zeroPoints(op, 3);
  FailureOr<SpatialWindow> window = failed(x) || !w ? FailureOr<SpatialWindow>(failure()) : convWindow(op, x->value, w);
  if (failed(window) || failed(zeros))
    return failure();
  const auto sumsWith = [&](Value filter) {
    return x->sums(op, [&](Value input) { return convolvedFirst(op, input, filter, {}, *window); });
  };
  if (llvm::all_equal(*zeros))
    return op.finish(sumsWith(asQuantized(op, w, {1, zeros->front()})));
  if (static_cast<int64_t>(zeros->size()) != shapeOf(w)[0])
    return op.malformed("has " + Twine(zeros->size()) + " zero points of a filter " + nn::textOf(shapeOf(w)));
  // Each is the factor of a sum of the input's numbers.
  Value ones = filled(op, shapeOf(w), elementOf(w), 1);
  Value sums = sumsWith(asQuantized(op, w, {})), parts = sumsWith(asQuantized(op, ones, {}));
  Value offsets =
      int32Constant(op, lineShape(shapeOf(w).size() - 1, 0, shapeOf(w)[0]), llvm::to_vector_of<int32_t>(*zeros));
  return op.finish(subtract(op, sums, multiply(op, parts, offsets)));
}

LogicalResult convertQLinearMatMul(OnnxOperation &op) {
  FailureOr<QuantizedPair> pair = pairOf(op, /*severalScales=*/true);
  if (failed(pair))
    return failure();
  Value a = asQuantized(op, pair->a.value, pair->a.scale());
  return op.finish(quantizedMatMul(op, a, asWeights(op, pair->b), {}, false, false, [&](Value sums) {
    return rescaled(op, sums, pair->factors(), pair->result, pair->y);
  }));
}

LogicalResult convertMatMulInteger(OnnxOperation &op) {
  FailureOr<OffsetIntegers> a = integerOperand(op, 0, 2);
  Value b = op.parameter(1, "B");
  FailureOr<SmallVector<int64_t>> zeros = zeroPoints(op, 3);
  return failed(a) || !b || failed(zeros) ? failure() : op.finish(integerMatMul(op, *a, b, *zeros));
}

/// sums * (scale of a * scale of b) + bias
LogicalResult finishReal(OnnxOperation &op, const OffsetIntegers &a, Value scaleA, uint32_t b, uint32_t scaleB,
                         uint32_t zeroB, uint32_t biasAt) {
  Value weights = op.parameter(b, "B"), ofWeights = op.value(scaleB, "b_scale");
  Value bias = op.optional(biasAt, "bias");
  FailureOr<SmallVector<int64_t>> zeros = zeroPoints(op, zeroB);
  if (!weights || !ofWeights || !scaleA || failed(zeros))
    return failure();
  const Type element = elementOf(scaleA);
  Formula f(op, element);
  Value sums = castTo(op, integerMatMul(op, a, weights, *zeros), element);
  if (tensorOf(scaleA).getNumElements() == 1)
    scaleA = reshape(op, scaleA, {});
  Value real = f.mul(sums, f.mul(scaleA, ofWeights));
  return op.finish(bias ? f.add(real, bias) : real);
}

LogicalResult convertMatMulIntegerToFloat(OnnxOperation &op) {
  FailureOr<OffsetIntegers> a = integerOperand(op, 0, 4);
  return failed(a) ? failure() : finishReal(op, *a, op.value(2, "a_scale"), 1, 3, 5, 6);
}

LogicalResult convertDynamicQuantizeMatMul(OnnxOperation &op) {
  Value x = op.value(0, "A");
  if (!x)
    return failure();
  const DynamicallyQuantized a = dynamicallyQuantized(op, x);
  if (!a.values)
    return failure();
  return finishReal(op, {a.values, 0, castTo(op, a.zeroPoint, op.builder().getI32Type())}, a.scale, 1, 2, 3, 4);
}

LogicalResult convertQGemm(OnnxOperation &op) {
  FailureOr<QuantizedPair> pair = pairOf(op, /*severalScales=*/true, /*scale=*/7);
  Value c = op.optionalParameter(6, "C");
  if (failed(pair) || !ofRank(op, pair->a.value, "A", 2) || !ofRank(op, pair->b.value, "B", 2))
    return failure();
  const bool transposeA = op.flag("transA"), transposeB = op.flag("transB");
  Value bias = asBias(op, c, shapeOf(pair->b.value)[transposeB ? 0 : 1]);
  const SmallVector<float> factors = pair->factors(op.number("alpha", 1));
  const auto last = [&](Value sums) {
    if (c && !bias)
      sums = add(op, sums, c);
    if (op.hasInput(7))
      return rescaled(op, sums, factors, pair->result, pair->y);
    const Type f32 = op.builder().getF32Type();
    Value scales = float32Constant(op, {static_cast<int64_t>(factors.size())}, factors);
    return multiply(op, castTo(op, sums, f32), scales);
  };
  Value a = asQuantized(op, pair->a.value, pair->a.scale());
  return op.finish(quantizedMatMul(op, a, asWeights(op, pair->b), bias, transposeA, transposeB, last));
}

/// A sum or a product of tensors of 8 bits. Products of a sum have 20 bits below the larger scale times two.
template <typename PairOp> LogicalResult convertPair(OnnxOperation &op) {
  FailureOr<QuantizedPair> pair = pairOf(op, /*severalScales=*/false);
  if (failed(pair))
    return failure();
  const auto &[a, b, y, element] = *pair;
  const double scaleA = a.scale().scale, scaleB = b.scale().scale, larger = 2 * std::max(scaleA, scaleB),
               step = 1 << 20;
  SmallVector<double> factors{scaleA * scaleB / y.scale};
  if (std::is_same_v<PairOp, nn::AddOp>)
    factors = {scaleA / larger * step, scaleB / larger * step, larger / step / y.scale};
  const nn::NumericsAttr numerics = evenNumerics(op, factors);
  Value lhs = asQuantized(op, a.value, a.scale()), rhs = asQuantized(op, b.value, b.scale());
  if (!numerics || !lhs || !rhs)
    return failure();
  const Type result = quantizedType(elementOf(a.value), y);
  return op.finish(asStored(op, createAs<PairOp>(op, result, lhs, rhs, nn::Activation::kNone, numerics)));
}

template <Value (*function)(OnnxOperation &, Formula &, Value)> LogicalResult convertFunction(OnnxOperation &op) {
  return finishOnReals(op, [&](Formula &f, Value x) { return function(op, f, x); });
}

/// One that has an operator of floats with this name after "QLinear".
Value activation(OnnxOperation &op, Formula &f, Value x) {
  return activated(op, f, x, op.kind().substr(StringRef("QLinear").size()));
}

/// Pools have a form with channels last.
template <Value (*pool)(OnnxOperation &, Formula &, Value)> Value pooled(OnnxOperation &op, Formula &f, Value x) {
  const bool isLast = op.flag("channels_last");
  if (!hasSpatialAxes(op, x))
    return {};
  Value y = pool(op, f, isLast ? channelsFirst(op, x) : x);
  return isLast && y ? channelsLast(op, y) : y;
}

Value average(OnnxOperation &op, Formula &, Value x) { return averagePooled(op, x); }

Value globalAverage(OnnxOperation &, Formula &f, Value x) { return f.mean(x, axesFrom(2, shapeOf(x).size())); }

/// The scale and zero point of the result come first.
LogicalResult convertQLinearConcat(OnnxOperation &op) {
  FailureOr<Scale> y = scaleAt(op, 0, 1);
  if (failed(y))
    return failure();
  if (op.numInputs() % 3 != 2)
    return op.malformed("has " + Twine(op.numInputs()) + " inputs, must have 2 and 3 for each part");
  SmallVector<Value> parts;
  Type element;
  for (uint32_t first = 2; first < op.numInputs(); first += 3) {
    FailureOr<OnnxQuantized> part = quantizedAt(op, first);
    if (failed(part))
      return failure();
    element = elementOf(part->value);
    const bool isSame = part->scale().scale == y->scale && part->zeroPoint == y->zeroPoint;
    parts.push_back(isSame ? part->value : quantized(op, dequantized(op, part->value, part->scale()), element, *y));
    if (!parts.back())
      return failure();
  }
  FailureOr<int64_t> axis = op.axisOf(0, parts.front());
  return failed(axis) ? failure() : op.finish(concatenate(op, parts, *axis));
}

LogicalResult convertQLinearWhere(OnnxOperation &op) {
  Value condition = op.value(0, "condition");
  FailureOr<OnnxQuantized> a = quantizedAt(op, 1), b = quantizedAt(op, 4);
  FailureOr<Scale> y = scaleAt(op, 7, 8);
  if (!condition || failed(a) || failed(b) || failed(y))
    return failure();
  const Type element = elementOf(a->value);
  const auto converted = [&](const OnnxQuantized &x) {
    return quantized(op, dequantized(op, x.value, x.scale()), element, *y);
  };
  Formula f(op, element);
  return op.finish(f.select(condition, converted(*a), converted(*b)));
}

constexpr OnnxConverter kConverters[] = {
    {"ConvInteger", 10, 2, 4, convertConvInteger},
    {"MatMulInteger", 10, 2, 4, convertMatMulInteger},
    {"QLinearConv", 10, 8, 9, convertQLinearConv},
    {"QLinearMatMul", 10, 8, 8, convertQLinearMatMul},
    {"DynamicQuantizeMatMul", 1, 3, 5, convertDynamicQuantizeMatMul, 1, 1, kMicrosoft},
    {"MatMulIntegerToFloat", 1, 4, 7, convertMatMulIntegerToFloat, 1, 1, kMicrosoft},
    {"QGemm", 1, 6, 9, convertQGemm, 1, 1, kMicrosoft},
    {"QLinearAdd", 1, 7, 8, convertPair<nn::AddOp>, 1, 1, kMicrosoft},
    {"QLinearAveragePool", 1, 4, 5, convertFunction<pooled<average>>, 1, 1, kMicrosoft},
    {"QLinearConcat", 1, 5, kAnyNumber, convertQLinearConcat, 1, 1, kMicrosoft},
    {"QLinearGlobalAveragePool", 1, 4, 5, convertFunction<pooled<globalAverage>>, 1, 1, kMicrosoft},
    {"QLinearLeakyRelu", 1, 4, 5, convertFunction<activation>, 1, 1, kMicrosoft},
    {"QLinearMul", 1, 7, 8, convertPair<nn::MulOp>, 1, 1, kMicrosoft},
    {"QLinearSigmoid", 1, 4, 5, convertFunction<activation>, 1, 1, kMicrosoft},
    {"QLinearWhere", 1, 9, 9, convertQLinearWhere, 1, 1, kMicrosoft},
};

} // namespace

LogicalResult finishOnReals(OnnxOperation &op, llvm::function_ref<Value(Formula &, Value)> function) {
  FailureOr<OnnxQuantized> x = quantizedAt(op, 0);
  FailureOr<Scale> y = scaleAt(op, 3, 4);
  if (failed(x) || failed(y))
    return failure();
  Formula f(op, op.builder().getF32Type());
  return op.finish(quantized(op, function(f, dequantized(op, x->value, x->scale())), elementOf(x->value), *y));
}

ArrayRef<OnnxConverter> onnxQLinearConverters() { return kConverters; }

} // namespace avocet::compiler
