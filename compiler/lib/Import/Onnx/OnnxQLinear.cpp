//===- OnnxQLinear.cpp - Operators of quantised tensors ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions, products and sums run on integers, and their sums are rescaled once. All others are functions of the
// real numbers between dequantisation and quantisation.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Moves.h"
#include "OnnxConv.h"
#include "OnnxMatrix.h"
#include "OnnxNormalize.h"
#include "OnnxQuantized.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// scale(a) * scale(b) / scale(result) for each scale of b, in floats as ONNX Runtime has it.
SmallVector<float> factorsOf(const OnnxScale &a, ArrayRef<float> b, float result) {
  return llvm::map_to_vector(b, [&](float scale) { return a.scale * scale / result; });
}

/// Filters and matrices, whose scales count after the sums only.
Value asWeights(OnnxOperation &op, const OnnxQuantized &weights) {
  return asQuantized(op, weights.value,
                     {weights.scales.size() == 1 ? weights.scales.front() : 1.0f, weights.zeroPoint});
}

LogicalResult convertQLinearConv(OnnxOperation &op) {
  FailureOr<OnnxQuantized> x = quantizedAt(op, 0), w = quantizedAt(op, 3, /*severalScales=*/true);
  FailureOr<OnnxScale> y = scaleAt(op, 6, 7);
  Value bias = op.hasInput(8) ? op.parameter(8, "B") : Value();
  if (failed(x) || failed(w) || failed(y) || (op.hasInput(8) && !bias))
    return failure();
  const Type result = op.hasInput(7) ? elementOf(op.value(7, "y_zero_point")) : elementOf(x->value);
  FailureOr<OnnxWindow> window = convWindow(op, x->value, w->value);
  if (failed(window))
    return failure();
  if (w->scales.size() != 1 && static_cast<int64_t>(w->scales.size()) != shapeOf(w->value)[0])
    return op.malformed("has " + Twine(w->scales.size()) + " scales of a filter " + nn::textOf(shapeOf(w->value)));
  const SmallVector<float> factors = factorsOf(x->scale(), w->scales, y->scale);
  Value input = asQuantized(op, x->value, x->scale()), filter = asWeights(op, *w);
  return op.finish(convolvedFirst(op, input, filter, bias, *window,
                                  [&](Value sums) { return rescaled(op, sums, factors, result, *y); }));
}

/// The sums of a function of quantised operands, without the zero point of the first one if that is computed: sums of
/// numbers less `zero` are those of the numbers less `zero` times those of ones.
struct IntegerOperand {
  Value value;
  int64_t zeroPoint = 0;
  Value computed = {}; ///< the zero point, if it is not constant
};

FailureOr<IntegerOperand> integerOperand(OnnxOperation &op, uint32_t position, uint32_t zero) {
  IntegerOperand read{op.value(position, "input")};
  if (!read.value)
    return failure();
  const Type element = elementOf(read.value);
  if (!isa<IntegerType>(element) || element.getIntOrFloatBitWidth() != 8)
    return op.refuse("an input", "has 8 bits", "another element type", "INT8 or UINT8");
  Value point = op.hasInput(zero) ? op.parameter(zero, "zero point") : Value();
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

Value sumsOf(OnnxOperation &op, const IntegerOperand &x, llvm::function_ref<Value(Value)> sums) {
  Value all = sums(asQuantized(op, x.value, {1, x.zeroPoint}));
  if (!all || !x.computed)
    return all;
  Value ones = filled(op, tensorOf(x.value), op.builder().getIntegerAttr(elementOf(x.value), 1));
  return subtract(op, all, multiply(op, sums(asQuantized(op, ones, {})), x.computed));
}

LogicalResult convertConvInteger(OnnxOperation &op) {
  FailureOr<IntegerOperand> x = integerOperand(op, 0, 2);
  Value w = op.parameter(1, "w");
  FailureOr<int64_t> zero = zeroPoint(op, 3);
  FailureOr<OnnxWindow> window = failed(x) || !w ? FailureOr<OnnxWindow>(failure()) : convWindow(op, x->value, w);
  if (failed(window) || failed(zero))
    return failure();
  Value filter = asQuantized(op, w, {1, *zero});
  return op.finish(sumsOf(op, *x, [&](Value input) { return convolvedFirst(op, input, filter, {}, *window); }));
}

/// Sums of the products of matrices; `last` makes the result of them.
Value quantizedProduct(OnnxOperation &op, Value a, Value b, Value bias, bool transposeA, bool transposeB,
                       llvm::function_ref<Value(Value)> last) {
  if (!a || !b)
    return {};
  return matMul(op, a, b, [&](Value lhs, Value rhs) {
    if (nn::ConstantOp folded = rhs ? foldedConstant(op, rhs) : nn::ConstantOp())
      rhs = folded;
    Value sums = matrixProduct(op, lhs, rhs, transposeA, transposeB, bias, op.builder().getI32Type());
    return sums ? last(sums) : sums;
  });
}

LogicalResult convertQLinearMatMul(OnnxOperation &op) {
  FailureOr<OnnxQuantized> a = quantizedAt(op, 0), b = quantizedAt(op, 3, /*severalScales=*/true);
  FailureOr<OnnxScale> y = scaleAt(op, 6, 7);
  Value zero = op.value(7, "y_zero_point");
  if (failed(a) || failed(b) || failed(y) || !zero)
    return failure();
  const SmallVector<float> factors = factorsOf(a->scale(), b->scales, y->scale);
  return op.finish(quantizedProduct(op, asQuantized(op, a->value, a->scale()), asWeights(op, *b), {}, false, false,
                                    [&](Value sums) { return rescaled(op, sums, factors, elementOf(zero), *y); }));
}

/// Products of integers less zero points, that of `b` one for each column too: numbers of `a` less theirs are summed
/// for it.
Value integerMatMul(OnnxOperation &op, const IntegerOperand &a, Value b, ArrayRef<int64_t> zeros) {
  const bool hasSeveral = !llvm::all_equal(zeros);
  if (!b || (hasSeveral && static_cast<int64_t>(zeros.size()) != shapeOf(b).back()))
    return b ? Value(op.malformed("has " + Twine(zeros.size()) + " zero points of b " + nn::textOf(shapeOf(b)))) : b;
  const auto same = [](Value sums) { return sums; };
  Value right = asQuantized(op, b, {1, hasSeveral ? 0 : zeros.front()});
  Value sums = sumsOf(op, a, [&](Value left) { return quantizedProduct(op, left, right, {}, false, false, same); });
  if (!sums || !hasSeveral)
    return sums;
  const int64_t depth = shapeOf(b).size() == 1 ? shapeOf(b)[0] : shapeOf(b).end()[-2];
  const auto columnType = RankedTensorType::get({depth, 1}, elementOf(b));
  Value ones = asQuantized(op, filled(op, columnType, op.builder().getIntegerAttr(elementOf(b), 1)), {});
  Value rows = sumsOf(op, a, [&](Value left) { return quantizedProduct(op, left, ones, {}, false, false, same); });
  Value offsets = int32Constant(op, {static_cast<int64_t>(zeros.size())}, llvm::to_vector_of<int32_t>(zeros));
  return subtract(op, sums, multiply(op, rows, offsets));
}

LogicalResult convertMatMulInteger(OnnxOperation &op) {
  FailureOr<IntegerOperand> a = integerOperand(op, 0, 2);
  Value b = op.parameter(1, "B");
  FailureOr<SmallVector<int64_t>> zeros = zeroPoints(op, 3);
  return failed(a) || !b || failed(zeros) ? failure() : op.finish(integerMatMul(op, *a, b, *zeros));
}

/// sums * (scale of a * scale of b) + bias
LogicalResult finishReal(OnnxOperation &op, const IntegerOperand &a, Value scaleA, uint32_t b, uint32_t scaleB,
                         uint32_t zeroB, uint32_t biasAt) {
  Value weights = op.parameter(b, "B"), ofWeights = op.value(scaleB, "b_scale");
  Value bias = op.hasInput(biasAt) ? op.value(biasAt, "bias") : Value();
  FailureOr<SmallVector<int64_t>> zeros = zeroPoints(op, zeroB);
  if (!weights || !ofWeights || !scaleA || failed(zeros) || (op.hasInput(biasAt) && !bias))
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
  FailureOr<IntegerOperand> a = integerOperand(op, 0, 4);
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
  FailureOr<OnnxQuantized> a = quantizedAt(op, 0), b = quantizedAt(op, 3, /*severalScales=*/true);
  Value c = op.hasInput(6) ? op.parameter(6, "C") : Value();
  if (failed(a) || failed(b) || (op.hasInput(6) && !c))
    return failure();
  if (!ofRank(op, a->value, "A", 2) || !ofRank(op, b->value, "B", 2))
    return failure();
  const bool transposeA = op.flag("transA"), transposeB = op.flag("transB"), isReal = !op.hasInput(7);
  const float alpha = op.number("alpha", 1);
  FailureOr<OnnxScale> y = isReal ? OnnxScale{} : scaleAt(op, 7, 8);
  if (failed(y))
    return failure();
  const Type result = op.hasInput(8) ? elementOf(op.value(8, "y_zero_point")) : elementOf(a->value);
  Value bias = asBias(op, c, shapeOf(b->value)[transposeB ? 0 : 1]);
  const SmallVector<float> factors = factorsOf({alpha * a->scale().scale, 0}, b->scales, y->scale);
  Formula f(op, op.builder().getF32Type());
  return op.finish(quantizedProduct(
      op, asQuantized(op, a->value, a->scale()), asWeights(op, *b), bias, transposeA, transposeB, [&](Value sums) {
        if (c && !bias)
          sums = add(op, sums, c);
        if (!isReal)
          return rescaled(op, sums, factors, result, *y);
        const auto type = RankedTensorType::get({static_cast<int64_t>(factors.size())}, op.builder().getF32Type());
        Value scales =
            nn::ConstantOp::create(op.builder(), op.location(), type, DenseElementsAttr::get(type, ArrayRef(factors)));
        return f.mul(castTo(op, sums, op.builder().getF32Type()), scales);
      }));
}

/// A sum or a product of tensors of 8 bits. Products of a sum have 20 bits below the larger scale times two.
template <typename PairOp> LogicalResult convertPair(OnnxOperation &op) {
  FailureOr<OnnxQuantized> a = quantizedAt(op, 0), b = quantizedAt(op, 3);
  FailureOr<OnnxScale> y = scaleAt(op, 6, 7);
  if (failed(a) || failed(b) || failed(y))
    return failure();
  const double scaleA = a->scale().scale, scaleB = b->scale().scale, larger = 2 * std::max(scaleA, scaleB),
               step = 1 << 20;
  SmallVector<double> factors{scaleA * scaleB / y->scale};
  if (std::is_same_v<PairOp, nn::AddOp>)
    factors = {scaleA / larger * step, scaleB / larger * step, larger / step / y->scale};
  const nn::NumericsAttr numerics = evenNumerics(op, factors);
  Value lhs = asQuantized(op, a->value, a->scale()), rhs = asQuantized(op, b->value, b->scale());
  if (!numerics || !lhs || !rhs)
    return failure();
  const Type result = quantizedType(elementOf(a->value), *y);
  return op.finish(asStored(op, createAs<PairOp>(op, result, lhs, rhs, nn::Activation::kNone, numerics)));
}

/// A function of the real numbers; the operands of x, and then those of the result.
template <Value (*function)(OnnxOperation &, Formula &, Value)> LogicalResult convertFunction(OnnxOperation &op) {
  FailureOr<OnnxQuantized> x = quantizedAt(op, 0);
  FailureOr<OnnxScale> y = scaleAt(op, 3, 4);
  if (failed(x) || failed(y))
    return failure();
  Formula f(op, op.builder().getF32Type());
  return op.finish(quantized(op, function(op, f, dequantized(op, x->value, x->scale())), elementOf(x->value), *y));
}

Value sigmoid(OnnxOperation &, Formula &f, Value x) { return f.logistic(x); }

Value leakyRelu(OnnxOperation &op, Formula &f, Value x) {
  return f.apply(nn::UnaryKind::LeakyRelu, x, op.number("alpha", 0.01f));
}

/// The opset of the float operator is an attribute.
Value softmax(OnnxOperation &op, Formula &, Value x) { return softmaxOf(op, x, op.integer("opset", 13) < 13); }

/// Pools have a form with channels last.
template <Value (*pool)(OnnxOperation &, Formula &, Value)> Value pooled(OnnxOperation &op, Formula &f, Value x) {
  const bool isLast = op.flag("channels_last");
  if (!x || shapeOf(x).size() < 3)
    return x ? Value(op.malformed("has an input of rank " + Twine(shapeOf(x).size()) + ", must be at least 3")) : x;
  Value y = pool(op, f, isLast ? channelsFirst(op, x) : x);
  return isLast && y ? channelsLast(op, y) : y;
}

Value average(OnnxOperation &op, Formula &, Value x) { return averagePooled(op, x); }

Value globalAverage(OnnxOperation &, Formula &f, Value x) {
  SmallVector<int64_t> axes(x ? shapeOf(x).size() - 2 : 0);
  std::iota(axes.begin(), axes.end(), 2);
  return f.mean(x, axes);
}

/// The scale and zero point of the result come first.
LogicalResult convertQLinearConcat(OnnxOperation &op) {
  FailureOr<OnnxScale> y = scaleAt(op, 0, 1);
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
  FailureOr<int64_t> axis = op.axisOf(0, static_cast<int64_t>(shapeOf(parts.front()).size()));
  return failed(axis) ? failure() : op.finish(parts.size() == 1 ? parts.front() : concatenate(op, parts, *axis));
}

LogicalResult convertQLinearWhere(OnnxOperation &op) {
  Value condition = op.value(0, "condition");
  FailureOr<OnnxQuantized> a = quantizedAt(op, 1), b = quantizedAt(op, 4);
  FailureOr<OnnxScale> y = scaleAt(op, 7, 8);
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
    {"QLinearLeakyRelu", 1, 4, 5, convertFunction<leakyRelu>, 1, 1, kMicrosoft},
    {"QLinearMul", 1, 7, 8, convertPair<nn::MulOp>, 1, 1, kMicrosoft},
    {"QLinearSigmoid", 1, 4, 5, convertFunction<sigmoid>, 1, 1, kMicrosoft},
    {"QLinearSoftmax", 1, 5, 5, convertFunction<softmax>, 1, 1, kMicrosoft},
    {"QLinearWhere", 1, 9, 9, convertQLinearWhere, 1, 1, kMicrosoft},
};

} // namespace

ArrayRef<OnnxConverter> onnxQLinearConverters() { return kConverters; }

} // namespace avocet::compiler
