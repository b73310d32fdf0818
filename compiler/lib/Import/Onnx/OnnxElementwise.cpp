//===- OnnxElementwise.cpp - Functions of each element ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"
#include "OnnxGraph.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::BinaryKind;
using nn::CompareKind;
using nn::UnaryKind;

/// The result with the element type of the operand, of which its low bits count; truth values stay.
LogicalResult finishComputed(OnnxOperation &op, Value result, Type element) {
  if (!result || elementOf(result).isInteger(1) || elementOf(result) == element)
    return op.finish(result);
  return op.finish(createAs<nn::CastOp>(op, element, result, /*wraps=*/true));
}

/// A function of operand 0.
template <Value (*function)(OnnxOperation &, Formula &, Value)> LogicalResult convertFunction(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  const Type element = elementOf(x), computed = computedElement(op, element);
  Formula formula(op, computed);
  return finishComputed(op, function(op, formula, castTo(op, x, computed)), element);
}

/// Before opset 7 the axes of the second operand are those of the first from `axis` on, or the last ones; the slopes of
/// PRelu are those of channels.
Value placedAtAxis(OnnxOperation &op, Value a, Value b) {
  op.ignore({"broadcast", "consumed_inputs"});
  const auto rank = static_cast<int64_t>(shapeOf(a).size()), own = static_cast<int64_t>(shapeOf(b).size());
  const bool isOfChannels = op.kind() == "PRelu" && own == 1 && rank > 1;
  const int64_t axis = op.integer("axis", isOfChannels ? 1 : rank - own);
  if (axis < 0 || axis + own > rank)
    return op.malformed("places rank " + Twine(own) + " at axis " + Twine(axis) + " of rank " + Twine(rank));
  SmallVector<int64_t> shape(shapeOf(b));
  shape.append(rank - own - axis, 1);
  return shape == shapeOf(b) ? b : reshape(op, b, shape);
}

/// A function of operands 0 and 1.
template <Value (*function)(OnnxOperation &, Formula &, Value, Value)> LogicalResult convertPair(OnnxOperation &op) {
  Value a = op.value(0, "input 0"), b = op.value(1, "input 1");
  if (!a || !b)
    return failure();
  if (op.version() < 7 && op.domain().empty())
    b = placedAtAxis(op, a, b);
  const Type element = elementOf(a), computed = computedElement(op, element);
  if (b && elementOf(b) == element)
    b = castTo(op, b, computed);
  a = castTo(op, a, computed);
  Formula formula(op, computed);
  return a && b ? finishComputed(op, function(op, formula, a, b), element) : failure();
}

template <UnaryKind kind> Value unary(OnnxOperation &, Formula &f, Value x) { return f.apply(kind, x); }
Value logistic(OnnxOperation &, Formula &f, Value x) { return f.logistic(x); }
Value tangent(OnnxOperation &, Formula &f, Value x) {
  return f.div(f.apply(UnaryKind::Sin, x), f.apply(UnaryKind::Cos, x));
}
Value hyperbolicTangent(OnnxOperation &, Formula &f, Value x) { return f.tanh(x); }
Value reciprocal(OnnxOperation &, Formula &f, Value x) { return f.div(1, x); }
Value bitwiseNot(OnnxOperation &op, Formula &f, Value x) {
  const Type element = elementOf(x);
  const auto ones = IntegerAttr::get(element, APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  return f.apply(BinaryKind::BitwiseXor, x, filled(op, RankedTensorType::get({}, element), ones));
}

Value relu(OnnxOperation &, Formula &f, Value x) { return f.max(x, 0); }

Value atan2Of(Formula &f, Value y, Value x) { return f.apply(BinaryKind::Atan2, y, x); }
Value arcTangent(OnnxOperation &, Formula &f, Value x) { return atan2Of(f, x, f.constant(1)); }
/// sqrt(1 - x^2) without the loss of digits near 1.
Value cathetus(Formula &f, Value x) { return f.apply(UnaryKind::Sqrt, f.mul(f.sub(1, x), f.add(x, 1))); }
Value arcSine(OnnxOperation &, Formula &f, Value x) { return atan2Of(f, x, cathetus(f, x)); }
Value arcCosine(OnnxOperation &, Formula &f, Value x) { return atan2Of(f, cathetus(f, x), x); }

/// (e^x - e^-x) / 2 loses digits near 0, where 2t / (1 - t^2) with t = tanh(x / 2) does not.
Value hyperbolicSine(OnnxOperation &, Formula &f, Value x) {
  Value t = f.tanh(f.mul(x, 0.5)), near = f.div(f.mul(t, 2), f.sub(1, f.mul(t, t)));
  Value e = f.apply(UnaryKind::Exp, x), far = f.mul(f.sub(e, f.div(1, e)), 0.5);
  return f.select(f.compare(f.apply(UnaryKind::Abs, x), CompareKind::Less, 1), near, far);
}
Value hyperbolicCosine(OnnxOperation &, Formula &f, Value x) {
  Value e = f.apply(UnaryKind::Exp, x);
  return f.mul(f.add(e, f.div(1, e)), 0.5);
}
/// log(1 + x) for x >= 0, also near 0: with u = 1 + x as it is rounded, log(u) * x / (u - 1).
Value logOfSum(Formula &f, Value x) {
  Value u = f.add(x, 1), exact = f.mul(f.apply(UnaryKind::Log, u), f.div(x, f.sub(u, 1)));
  return f.select(f.compare(u, CompareKind::Equal, 1), x, exact);
}
/// sign(x) * log(1 + a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|.
Value areaSine(OnnxOperation &, Formula &f, Value x) {
  Value a = f.apply(UnaryKind::Abs, x), square = f.mul(a, a);
  Value root = f.apply(UnaryKind::Sqrt, f.add(square, 1));
  return f.mul(f.apply(UnaryKind::Sign, x), logOfSum(f, f.add(a, f.div(square, f.add(root, 1)))));
}
Value areaCosine(OnnxOperation &, Formula &f, Value x) {
  Value root = f.apply(UnaryKind::Sqrt, f.mul(f.sub(x, 1), f.add(x, 1)));
  return f.apply(UnaryKind::Log, f.add(x, root));
}
/// sign(x) * log(1 + 2a / (1 - a)) / 2 with a = |x|.
Value areaTangent(OnnxOperation &, Formula &f, Value x) {
  Value a = f.apply(UnaryKind::Abs, x), sum = logOfSum(f, f.div(f.mul(a, 2), f.sub(1, a)));
  return f.mul(f.apply(UnaryKind::Sign, x), f.mul(sum, 0.5));
}

/// log(1 + e^x) without overflow.
Value softplusOf(Formula &f, Value x) {
  Value small = f.apply(UnaryKind::Exp, f.apply(UnaryKind::Neg, f.apply(UnaryKind::Abs, x)));
  return f.add(f.max(x, 0), logOfSum(f, small));
}
Value softplus(OnnxOperation &, Formula &f, Value x) { return softplusOf(f, x); }
Value softsign(OnnxOperation &, Formula &f, Value x) { return f.div(x, f.add(f.apply(UnaryKind::Abs, x), 1)); }
Value mish(OnnxOperation &, Formula &f, Value x) { return f.mul(x, f.tanh(softplusOf(f, x))); }

Value elu(OnnxOperation &op, Formula &f, Value x) { return f.apply(UnaryKind::Elu, x, op.number("alpha", 1)); }
Value leakyRelu(OnnxOperation &op, Formula &f, Value x) {
  return f.apply(UnaryKind::LeakyRelu, x, op.number("alpha", 0.01f));
}
/// The function of the part below 0 and the part above, which are 0 elsewhere.
Value celu(OnnxOperation &op, Formula &f, Value x) {
  const float alpha = op.number("alpha", 1);
  return f.add(f.max(x, 0), f.apply(UnaryKind::Elu, f.div(f.min(x, 0), alpha), alpha));
}
Value selu(OnnxOperation &op, Formula &f, Value x) {
  const float alpha = op.number("alpha", 1.67326319217681884765625f),
              gamma = op.number("gamma", 1.05070102214813232421875f);
  return f.mul(f.apply(UnaryKind::Elu, x, alpha), gamma);
}
Value thresholdedRelu(OnnxOperation &op, Formula &f, Value x) {
  return f.select(f.compare(x, CompareKind::Greater, op.number("alpha", 1)), x, f.constant(0));
}
Value hardSigmoid(OnnxOperation &op, Formula &f, Value x) {
  const float alpha = op.number("alpha", 0.2f), beta = op.number("beta", 0.5f);
  if (beta == 0.5f)
    return f.apply(UnaryKind::HardSigmoid, x, alpha);
  return f.max(f.min(f.add(f.mul(x, alpha), beta), 1), 0);
}
Value shrink(OnnxOperation &op, Formula &f, Value x) {
  const float lambda = op.number("lambd", 0.5f), bias = op.number("bias", 0);
  Value below = f.select(f.compare(x, CompareKind::Less, -lambda), f.add(x, bias), f.constant(0));
  return f.select(f.compare(x, CompareKind::Greater, lambda), f.sub(x, bias), below);
}
Value gelu(OnnxOperation &op, Formula &f, Value x) {
  const StringRef form = op.text("approximate", "none");
  if (form != "none" && form != "tanh")
    return op.malformed("has the form '" + form + "' of a Gelu, must be none or tanh");
  return f.apply(form == "tanh" ? UnaryKind::GeluTanh : UnaryKind::Gelu, x);
}
/// x * logistic(alpha * x)
Value scaledSwish(OnnxOperation &op, Formula &f, Value x, float otherwise) {
  const float alpha = op.number("alpha", otherwise);
  return alpha == 1 ? f.apply(UnaryKind::Swish, x) : f.mul(x, f.logistic(f.mul(x, alpha)));
}
Value swish(OnnxOperation &op, Formula &f, Value x) { return scaledSwish(op, f, x, 1); }
Value quickGelu(OnnxOperation &op, Formula &f, Value x) { return scaledSwish(op, f, x, 1.702f); }

Value isNan(OnnxOperation &, Formula &f, Value x) { return f.compare(x, CompareKind::NotEqual, x); }
Value isInfinite(OnnxOperation &op, Formula &f, Value x) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool above = op.flag("detect_positive", true), below = op.flag("detect_negative", true);
  if (above && below)
    return f.compare(f.apply(UnaryKind::Abs, x), CompareKind::Equal, infinity);
  if (!above && !below)
    return f.compare(x, CompareKind::Less, -infinity);
  return f.compare(x, CompareKind::Equal, above ? infinity : -infinity);
}

Value sum(OnnxOperation &, Formula &f, Value a, Value b) { return f.add(a, b); }
Value difference(OnnxOperation &, Formula &f, Value a, Value b) { return f.sub(a, b); }
Value product(OnnxOperation &, Formula &f, Value a, Value b) { return f.mul(a, b); }
Value quotient(OnnxOperation &, Formula &f, Value a, Value b) { return f.div(a, b); }
Value greater(OnnxOperation &, Formula &f, Value a, Value b) { return f.max(a, b); }
Value smaller(OnnxOperation &, Formula &f, Value a, Value b) { return f.min(a, b); }
template <CompareKind kind> Value comparison(OnnxOperation &, Formula &f, Value a, Value b) {
  return f.compare(a, kind, b);
}
template <BinaryKind kind> Value binary(OnnxOperation &, Formula &f, Value a, Value b) { return f.apply(kind, a, b); }
template <nn::LogicalKind kind> Value logical(OnnxOperation &op, Formula &, Value a, Value b) {
  return createPair<nn::LogicalOp>(op, a, b, kind);
}
Value prelu(OnnxOperation &op, Formula &f, Value x, Value slope) {
  if (isa<FloatType>(elementOf(x)))
    return createPair<nn::PreluOp>(op, x, slope);
  return f.select(f.compare(x, CompareKind::Less, 0), f.mul(x, slope), x);
}
Value shift(OnnxOperation &op, Formula &f, Value a, Value b) {
  const StringRef direction = op.text("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    return op.malformed("has the direction '" + direction + "', must be LEFT or RIGHT");
  return f.apply(direction == "LEFT" ? BinaryKind::LeftShift : BinaryKind::LogicalRightShift, a, b);
}
/// With `fmod` the result has the sign of the dividend, else that of the divisor.
Value remainder(OnnxOperation &op, Formula &f, Value a, Value b) {
  if (!op.flag("fmod"))
    return isa<FloatType>(elementOf(a)) ? Value(op.malformed("divides floats without the attribute fmod"))
                                        : f.apply(BinaryKind::FloorMod, a, b);
  if (elementOf(a).isUnsignedInteger())
    return f.apply(BinaryKind::FloorMod, a, b);
  Value rest = f.apply(BinaryKind::FloorMod, f.apply(UnaryKind::Abs, a), f.apply(UnaryKind::Abs, b));
  return f.select(f.compare(a, CompareKind::Less, 0), f.apply(UnaryKind::Neg, rest), rest);
}
/// The exponent may have another type; the result has that of the base.
Value power(OnnxOperation &op, Formula &f, Value base, Value exponent) {
  const Type element = elementOf(base);
  if (isa<FloatType>(element))
    return createPair<nn::PowOp>(op, base, castTo(op, exponent, element));
  if (isa<FloatType>(elementOf(exponent))) {
    Value real = castTo(op, base, elementOf(exponent));
    return castTo(op, createPair<nn::PowOp>(op, real, exponent), element);
  }
  const Type i32 = op.builder().getI32Type();
  return castTo(op, createPair<nn::PowOp>(op, castTo(op, base, i32), castTo(op, exponent, i32)), element);
}

/// Combines any number of operands, from left to right.
template <Value (*function)(OnnxOperation &, Formula &, Value, Value), bool divides = false>
LogicalResult convertVariadic(OnnxOperation &op) {
  FailureOr<SmallVector<Value>> values = op.values(0, op.numInputs());
  if (failed(values))
    return failure();
  const Type element = elementOf(values->front()), computed = computedElement(op, element);
  Formula formula(op, computed);
  Value result = castTo(op, values->front(), computed);
  for (Value next : llvm::drop_begin(*values))
    result = result ? function(op, formula, result, castTo(op, next, computed)) : Value();
  return finishComputed(op, divides ? formula.div(result, static_cast<double>(values->size())) : result, element);
}

LogicalResult convertClip(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  Formula f(op, elementOf(x));
  // The upper bound counts where it is below the lower one.
  if (op.hasInput(1))
    x = f.max(x, op.value(1, "min"));
  if (op.hasInput(2))
    x = f.min(x, op.value(2, "max"));
  return op.finish(x);
}

LogicalResult finishCast(OnnxOperation &op, Value x, Type element) {
  if (!x || !element)
    return failure();
  if (elementOf(x) == element)
    return op.finish(x);
  // Integers keep their low bits; floats out of range become the nearest number.
  Value cast = createAs<nn::CastOp>(op, element, x, /*wraps=*/isa<IntegerType>(elementOf(x)));
  // Exporters scale shapes as floats.
  const bool isShape = cast && isa<FloatType>(elementOf(x)) && isa<IntegerType>(element);
  nn::ConstantOp known = isShape ? foldedConstant(op, cast) : nn::ConstantOp();
  return op.finish(known ? Value(known) : cast);
}

LogicalResult convertCast(OnnxOperation &op) {
  op.ignore({"saturate", "round_mode"}); // of types that the device lacks
  return finishCast(op, op.value(0, "input"), op.elementOfType(op.integer("to", 0), "result"));
}

LogicalResult convertCastLike(OnnxOperation &op) {
  op.ignore({"saturate", "round_mode"});
  Value like = op.value(1, "target");
  return finishCast(op, op.value(0, "input"), like ? elementOf(like) : Type());
}

LogicalResult convertWhere(OnnxOperation &op) {
  Value condition = op.value(0, "condition"), a = op.value(1, "input 1"), b = op.value(2, "input 2");
  if (!a)
    return failure();
  return op.finish(Formula(op, elementOf(a)).select(condition, a, b));
}

LogicalResult convertBiasGelu(OnnxOperation &op) {
  Value x = op.value(0, "input"), bias = op.hasInput(1) ? op.value(1, "bias") : Value();
  if (!x || (op.hasInput(1) && !bias))
    return failure();
  Formula f(op, elementOf(x));
  const auto kind = op.kind() == "FastGelu" ? UnaryKind::GeluTanh : UnaryKind::Gelu;
  return op.finish(f.apply(kind, bias ? f.add(x, bias) : x));
}

constexpr OnnxConverter kConverters[] = {
    {"Abs", 1, 1, 1, convertFunction<unary<UnaryKind::Abs>>},
    {"Acos", 7, 1, 1, convertFunction<arcCosine>},
    {"Acosh", 9, 1, 1, convertFunction<areaCosine>},
    {"Add", 1, 2, 2, convertPair<sum>},
    {"And", 1, 2, 2, convertPair<logical<nn::LogicalKind::And>>},
    {"Asin", 7, 1, 1, convertFunction<arcSine>},
    {"Asinh", 9, 1, 1, convertFunction<areaSine>},
    {"Atan", 7, 1, 1, convertFunction<arcTangent>},
    {"Atanh", 9, 1, 1, convertFunction<areaTangent>},
    {"BitShift", 11, 2, 2, convertPair<shift>},
    {"BitwiseAnd", 18, 2, 2, convertPair<binary<BinaryKind::BitwiseAnd>>},
    {"BitwiseNot", 18, 1, 1, convertFunction<bitwiseNot>},
    {"BitwiseOr", 18, 2, 2, convertPair<binary<BinaryKind::BitwiseOr>>},
    {"BitwiseXor", 18, 2, 2, convertPair<binary<BinaryKind::BitwiseXor>>},
    {"Cast", 6, 1, 1, convertCast},
    {"CastLike", 15, 2, 2, convertCastLike},
    {"Ceil", 6, 1, 1, convertFunction<unary<UnaryKind::Ceil>>},
    {"Celu", 12, 1, 1, convertFunction<celu>},
    {"Clip", 6, 1, 3, convertClip},
    {"Cos", 7, 1, 1, convertFunction<unary<UnaryKind::Cos>>},
    {"Cosh", 9, 1, 1, convertFunction<hyperbolicCosine>},
    {"Div", 1, 2, 2, convertPair<quotient>},
    {"Elu", 6, 1, 1, convertFunction<elu>},
    {"Equal", 1, 2, 2, convertPair<comparison<CompareKind::Equal>>},
    {"Erf", 9, 1, 1, convertFunction<unary<UnaryKind::Erf>>},
    {"Exp", 6, 1, 1, convertFunction<unary<UnaryKind::Exp>>},
    {"Floor", 6, 1, 1, convertFunction<unary<UnaryKind::Floor>>},
    {"Gelu", 20, 1, 1, convertFunction<gelu>},
    {"Greater", 1, 2, 2, convertPair<comparison<CompareKind::Greater>>},
    {"GreaterOrEqual", 12, 2, 2, convertPair<comparison<CompareKind::GreaterEqual>>},
    {"HardSigmoid", 6, 1, 1, convertFunction<hardSigmoid>},
    {"HardSwish", 14, 1, 1, convertFunction<unary<UnaryKind::HardSwish>>},
    {"IsInf", 10, 1, 1, convertFunction<isInfinite>},
    {"IsNaN", 9, 1, 1, convertFunction<isNan>},
    {"LeakyRelu", 6, 1, 1, convertFunction<leakyRelu>},
    {"Less", 1, 2, 2, convertPair<comparison<CompareKind::Less>>},
    {"LessOrEqual", 12, 2, 2, convertPair<comparison<CompareKind::LessEqual>>},
    {"Log", 6, 1, 1, convertFunction<unary<UnaryKind::Log>>},
    {"Max", 6, 1, kAnyNumber, convertVariadic<greater>},
    {"Mean", 6, 1, kAnyNumber, convertVariadic<sum, /*divides=*/true>},
    {"Min", 6, 1, kAnyNumber, convertVariadic<smaller>},
    {"Mish", 18, 1, 1, convertFunction<mish>},
    {"Mod", 10, 2, 2, convertPair<remainder>},
    {"Mul", 1, 2, 2, convertPair<product>},
    {"Neg", 6, 1, 1, convertFunction<unary<UnaryKind::Neg>>},
    {"Not", 1, 1, 1, convertFunction<unary<UnaryKind::LogicalNot>>},
    {"Or", 1, 2, 2, convertPair<logical<nn::LogicalKind::Or>>},
    {"PRelu", 1, 2, 2, convertPair<prelu>},
    {"Pow", 1, 2, 2, convertPair<power>},
    {"Reciprocal", 6, 1, 1, convertFunction<reciprocal>},
    {"Relu", 6, 1, 1, convertFunction<relu>},
    {"Round", 11, 1, 1, convertFunction<unary<UnaryKind::Round>>},
    {"Selu", 6, 1, 1, convertFunction<selu>},
    {"Shrink", 9, 1, 1, convertFunction<shrink>},
    {"Sigmoid", 6, 1, 1, convertFunction<logistic>},
    {"Sign", 9, 1, 1, convertFunction<unary<UnaryKind::Sign>>},
    {"Sin", 7, 1, 1, convertFunction<unary<UnaryKind::Sin>>},
    {"Sinh", 9, 1, 1, convertFunction<hyperbolicSine>},
    {"Softplus", 1, 1, 1, convertFunction<softplus>},
    {"Softsign", 1, 1, 1, convertFunction<softsign>},
    {"Sqrt", 6, 1, 1, convertFunction<unary<UnaryKind::Sqrt>>},
    {"Sub", 1, 2, 2, convertPair<difference>},
    {"Sum", 6, 1, kAnyNumber, convertVariadic<sum>},
    {"Swish", 24, 1, 1, convertFunction<swish>},
    {"Tan", 7, 1, 1, convertFunction<tangent>},
    {"Tanh", 6, 1, 1, convertFunction<hyperbolicTangent>},
    {"ThresholdedRelu", 10, 1, 1, convertFunction<thresholdedRelu>},
    {"Where", 9, 3, 3, convertWhere},
    {"Xor", 1, 2, 2, convertPair<comparison<CompareKind::NotEqual>>},
    {"BiasGelu", 1, 2, 2, convertBiasGelu, 1, 1, kMicrosoft},
    {"FastGelu", 1, 1, 2, convertBiasGelu, 1, 1, kMicrosoft},
    {"Gelu", 1, 1, 1, convertFunction<gelu>, 1, 1, kMicrosoft},
    {"QuickGelu", 1, 1, 1, convertFunction<quickGelu>, 1, 1, kMicrosoft},
};

} // namespace

ArrayRef<OnnxConverter> onnxElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
