//===- OnnxElementwise.cpp - Functions of each element ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Functions.h"
#include "Import/Common/Moves.h"
#include "OnnxActivations.h"
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

/// A function of operand 0: f(formula, x), or f(op, formula, x) if it reads attributes.
template <auto function> LogicalResult convertFunction(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  const Type element = elementOf(x), computed = computedElement(op, element);
  Formula formula(op, computed);
  x = castTo(op, x, computed);
  if constexpr (std::is_invocable_v<decltype(function), Formula &, Value>)
    return finishComputed(op, function(formula, x), element);
  else
    return finishComputed(op, function(op, formula, x), element);
}

/// A function that attributes may name too, with its parameters as attributes.
Value activation(OnnxOperation &op, Formula &f, Value x) { return activated(op, f, x, op.kind()); }

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

template <UnaryKind kind> Value unary(Formula &f, Value x) { return f.apply(kind, x); }
Value reciprocal(Formula &f, Value x) { return f.div(1, x); }
Value bitwiseNot(OnnxOperation &op, Formula &f, Value x) {
  const Type element = elementOf(x);
  const auto ones = IntegerAttr::get(element, APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  return f.apply(BinaryKind::BitwiseXor, x, filled(op, RankedTensorType::get({}, element), ones));
}

/// The function of the part below 0 and the part above, which are 0 elsewhere.
Value celu(OnnxOperation &op, Formula &f, Value x) { return functions::celu(f, x, op.number("alpha", 1)); }
Value selu(OnnxOperation &op, Formula &f, Value x) {
  const float alpha = op.number("alpha", 1.67326319217681884765625f),
              gamma = op.number("gamma", 1.05070102214813232421875f);
  return f.mul(f.apply(UnaryKind::Elu, x, alpha), gamma);
}
Value shrink(OnnxOperation &op, Formula &f, Value x) {
  return functions::shrunk(f, x, op.number("lambd", 0.5f), op.number("bias", 0));
}
Value gelu(OnnxOperation &op, Formula &f, Value x) {
  const StringRef form = op.text("approximate", "none");
  if (form != "none" && form != "tanh")
    return op.malformed("has the form '" + form + "' of a Gelu, must be none or tanh");
  return f.apply(form == "tanh" ? UnaryKind::GeluTanh : UnaryKind::Gelu, x);
}
Value swish(OnnxOperation &op, Formula &f, Value x) { return functions::swish(f, x, op.number("alpha", 1)); }
Value quickGelu(OnnxOperation &op, Formula &f, Value x) { return functions::swish(f, x, op.number("alpha", 1.702f)); }
Value binarizer(OnnxOperation &op, Formula &f, Value x) {
  // An integer is above a number if it is above the whole number below.
  const float given = op.number("threshold", 0), threshold = isa<IntegerType>(elementOf(x)) ? std::floor(given) : given;
  return f.select(f.compare(x, CompareKind::Greater, threshold), f.constant(1), f.constant(0));
}

Value isNan(Formula &f, Value x) { return f.compare(x, CompareKind::NotEqual, x); }
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
  return functions::truncatedRemainder(f, a, b);
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
  const bool saturates = op.flag("saturate", true);
  const StringRef rounding = op.text("round_mode", "up");
  if (!x || !element)
    return failure();
  if (isa<Float8E8M0FNUType>(element) && (rounding != "up" || !saturates))
    return op.refuse("round_mode", "is 'up', and saturates", rounding, "up");
  if (elementOf(x) == element)
    return op.finish(x);
  // Integers keep their low bits; floats out of range become the nearest number. Floats of 8 bits say what they do.
  const bool wraps = isa<FloatType>(element) ? !saturates : isa<IntegerType>(elementOf(x));
  Value cast = createAs<nn::CastOp>(op, element, x, wraps);
  // Exporters scale shapes as floats.
  const bool isShape = cast && isa<FloatType>(elementOf(x)) && isa<IntegerType>(element);
  return op.finish(isShape ? foldedIfConstant(op, cast) : cast);
}

LogicalResult convertCast(OnnxOperation &op) {
  return finishCast(op, op.value(0, "input"), op.elementOfType(op.integer("to", 0), "result"));
}

LogicalResult convertCastLike(OnnxOperation &op) {
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
  Value x = op.value(0, "input"), bias = op.optional(1, "bias");
  if (!x)
    return failure();
  Formula f(op, elementOf(x));
  const auto kind = op.kind() == "FastGelu" ? UnaryKind::GeluTanh : UnaryKind::Gelu;
  return op.finish(f.apply(kind, bias ? f.add(x, bias) : x));
}

constexpr OnnxConverter kConverters[] = {
    {"Abs", 1, 1, 1, convertFunction<unary<UnaryKind::Abs>>},
    {"Acos", 7, 1, 1, convertFunction<functions::arcCosine>},
    {"Acosh", 9, 1, 1, convertFunction<functions::areaCosine>},
    {"Add", 1, 2, 2, convertPair<sum>},
    {"And", 1, 2, 2, convertPair<logical<nn::LogicalKind::And>>},
    {"Asin", 7, 1, 1, convertFunction<functions::arcSine>},
    {"Asinh", 9, 1, 1, convertFunction<functions::areaSine>},
    {"Atan", 7, 1, 1, convertFunction<functions::arcTangent>},
    {"Atanh", 9, 1, 1, convertFunction<functions::areaTangent>},
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
    {"Cosh", 9, 1, 1, convertFunction<functions::hyperbolicCosine>},
    {"Div", 1, 2, 2, convertPair<quotient>},
    {"Elu", 6, 1, 1, convertFunction<activation>},
    {"Equal", 1, 2, 2, convertPair<comparison<CompareKind::Equal>>},
    {"Erf", 9, 1, 1, convertFunction<unary<UnaryKind::Erf>>},
    {"Exp", 6, 1, 1, convertFunction<unary<UnaryKind::Exp>>},
    {"Floor", 6, 1, 1, convertFunction<unary<UnaryKind::Floor>>},
    {"Gelu", 20, 1, 1, convertFunction<gelu>},
    {"Greater", 1, 2, 2, convertPair<comparison<CompareKind::Greater>>},
    {"GreaterOrEqual", 12, 2, 2, convertPair<comparison<CompareKind::GreaterEqual>>},
    {"HardSigmoid", 6, 1, 1, convertFunction<activation>},
    {"HardSwish", 14, 1, 1, convertFunction<unary<UnaryKind::HardSwish>>},
    {"IsInf", 10, 1, 1, convertFunction<isInfinite>},
    {"IsNaN", 9, 1, 1, convertFunction<isNan>},
    {"LeakyRelu", 6, 1, 1, convertFunction<activation>},
    {"Less", 1, 2, 2, convertPair<comparison<CompareKind::Less>>},
    {"LessOrEqual", 12, 2, 2, convertPair<comparison<CompareKind::LessEqual>>},
    {"Log", 6, 1, 1, convertFunction<unary<UnaryKind::Log>>},
    {"Max", 6, 1, kAnyNumber, convertVariadic<greater>},
    {"Mean", 6, 1, kAnyNumber, convertVariadic<sum, /*divides=*/true>},
    {"Min", 6, 1, kAnyNumber, convertVariadic<smaller>},
    {"Mish", 18, 1, 1, convertFunction<functions::mish>},
    {"Mod", 10, 2, 2, convertPair<remainder>},
    {"Mul", 1, 2, 2, convertPair<product>},
    {"Neg", 6, 1, 1, convertFunction<unary<UnaryKind::Neg>>},
    {"Not", 1, 1, 1, convertFunction<unary<UnaryKind::LogicalNot>>},
    {"Or", 1, 2, 2, convertPair<logical<nn::LogicalKind::Or>>},
    {"PRelu", 1, 2, 2, convertPair<prelu>},
    {"Pow", 1, 2, 2, convertPair<power>},
    {"Reciprocal", 6, 1, 1, convertFunction<reciprocal>},
    {"Relu", 6, 1, 1, convertFunction<activation>},
    {"Round", 11, 1, 1, convertFunction<unary<UnaryKind::Round>>},
    {"Selu", 6, 1, 1, convertFunction<selu>},
    {"Shrink", 9, 1, 1, convertFunction<shrink>},
    {"Sigmoid", 6, 1, 1, convertFunction<activation>},
    {"Sign", 9, 1, 1, convertFunction<unary<UnaryKind::Sign>>},
    {"Sin", 7, 1, 1, convertFunction<unary<UnaryKind::Sin>>},
    {"Sinh", 9, 1, 1, convertFunction<functions::hyperbolicSine>},
    {"Softplus", 1, 1, 1, convertFunction<activation>},
    {"Softsign", 1, 1, 1, convertFunction<activation>},
    {"Sqrt", 6, 1, 1, convertFunction<unary<UnaryKind::Sqrt>>},
    {"Sub", 1, 2, 2, convertPair<difference>},
    {"Sum", 6, 1, kAnyNumber, convertVariadic<sum>},
    {"Swish", 24, 1, 1, convertFunction<swish>},
    {"Tan", 7, 1, 1, convertFunction<functions::tangent>},
    {"Tanh", 6, 1, 1, convertFunction<activation>},
    {"ThresholdedRelu", 10, 1, 1, convertFunction<activation>},
    {"Where", 9, 3, 3, convertWhere},
    {"Xor", 1, 2, 2, convertPair<comparison<CompareKind::NotEqual>>},
    {"Binarizer", 1, 1, 1, convertFunction<binarizer>, 1, 1, "ai.onnx.ml"},
    {"BiasGelu", 1, 2, 2, convertBiasGelu, 1, 1, kMicrosoft},
    {"FastGelu", 1, 1, 2, convertBiasGelu, 1, 1, kMicrosoft},
    {"Gelu", 1, 1, 1, convertFunction<gelu>, 1, 1, kMicrosoft},
    {"QuickGelu", 1, 1, 1, convertFunction<quickGelu>, 1, 1, kMicrosoft},
};

} // namespace

FailureOr<NamedFunction> onnxActivation(ImportedOperation &op, StringRef name) {
  if (const NamedFunction *found = functions::named(name))
    return *found;
  return op.refuse("activation", "is a function of ONNX", name,
                   "Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid or others");
}

Value activated(OnnxOperation &op, Formula &f, Value x, StringRef name) {
  FailureOr<NamedFunction> function = onnxActivation(op, name);
  if (failed(function))
    return {};
  if (function->parameters > 0)
    function->alpha = op.number("alpha", function->alpha);
  if (function->parameters > 1)
    function->beta = op.number("beta", function->beta);
  return (*function)(f, x);
}

Value activated(OnnxOperation &op, Value x, ArrayRef<float> parameters) {
  const StringRef name = op.text("activation");
  if (!x || name.empty())
    return x;
  FailureOr<NamedFunction> function = onnxActivation(op, name);
  if (failed(function))
    return {};
  if (!parameters.empty())
    function->alpha = parameters[0];
  if (parameters.size() > 1)
    function->beta = parameters[1];
  Formula f(op, elementOf(x));
  return (*function)(f, x);
}

ArrayRef<OnnxConverter> onnxElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
