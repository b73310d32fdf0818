//===- Functions.cpp - Functions as formulas --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace mlir;

namespace avocet::compiler::functions {

using nn::BinaryKind;
using nn::CompareKind;
using nn::UnaryKind;

namespace {

/// sqrt(1 - x^2) without the loss of digits near 1.
Value cathetus(Formula &f, Value x) { return f.apply(UnaryKind::Sqrt, f.mul(f.sub(1, x), f.add(x, 1))); }

/// log(1 + x) for x >= 0, also near 0: with u = 1 + x as it is rounded, log(u) * x / (u - 1).
Value logOfSum(Formula &f, Value x) {
  Value u = f.add(x, 1), exact = f.mul(f.apply(UnaryKind::Log, u), f.div(x, f.sub(u, 1)));
  return f.select(f.compare(u, CompareKind::Equal, 1), x, exact);
}

} // namespace

Value tangent(Formula &f, Value x) { return f.div(f.apply(UnaryKind::Sin, x), f.apply(UnaryKind::Cos, x)); }
Value arcSine(Formula &f, Value x) { return f.apply(BinaryKind::Atan2, x, cathetus(f, x)); }
Value arcCosine(Formula &f, Value x) { return f.apply(BinaryKind::Atan2, cathetus(f, x), x); }
Value arcTangent(Formula &f, Value x) { return f.apply(BinaryKind::Atan2, x, f.constant(1)); }

/// (e^x - e^-x) / 2 loses digits near 0, where 2t / (1 - t^2) with t = tanh(x / 2) does not.
Value hyperbolicSine(Formula &f, Value x) {
  Value t = f.tanh(f.mul(x, 0.5)), near = f.div(f.mul(t, 2), f.sub(1, f.mul(t, t)));
  Value e = f.apply(UnaryKind::Exp, x), far = f.mul(f.sub(e, f.div(1, e)), 0.5);
  return f.select(f.compare(f.apply(UnaryKind::Abs, x), CompareKind::Less, 1), near, far);
}

Value hyperbolicCosine(Formula &f, Value x) {
  Value e = f.apply(UnaryKind::Exp, x);
  return f.mul(f.add(e, f.div(1, e)), 0.5);
}

/// sign(x) * log(1 + a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|.
Value areaSine(Formula &f, Value x) {
  Value a = f.apply(UnaryKind::Abs, x), square = f.mul(a, a);
  Value root = f.apply(UnaryKind::Sqrt, f.add(square, 1));
  return f.mul(f.apply(UnaryKind::Sign, x), logOfSum(f, f.add(a, f.div(square, f.add(root, 1)))));
}

Value areaCosine(Formula &f, Value x) {
  Value root = f.apply(UnaryKind::Sqrt, f.mul(f.sub(x, 1), f.add(x, 1)));
  return f.apply(UnaryKind::Log, f.add(x, root));
}

/// sign(x) * log(1 + 2a / (1 - a)) / 2 with a = |x|.
Value areaTangent(Formula &f, Value x) {
  Value a = f.apply(UnaryKind::Abs, x), sum = logOfSum(f, f.div(f.mul(a, 2), f.sub(1, a)));
  return f.mul(f.apply(UnaryKind::Sign, x), f.mul(sum, 0.5));
}

Value softplus(Formula &f, Value x) {
  Value small = f.apply(UnaryKind::Exp, f.apply(UnaryKind::Neg, f.apply(UnaryKind::Abs, x)));
  return f.add(f.max(x, 0), logOfSum(f, small));
}

Value softsign(Formula &f, Value x) { return f.div(x, f.add(f.apply(UnaryKind::Abs, x), 1)); }
Value mish(Formula &f, Value x) { return f.mul(x, f.tanh(softplus(f, x))); }

Value swish(Formula &f, Value x, float alpha) {
  return alpha == 1 ? f.apply(UnaryKind::Swish, x) : f.mul(x, f.logistic(f.mul(x, alpha)));
}

Value celu(Formula &f, Value x, float alpha) {
  return f.add(f.max(x, 0), f.apply(UnaryKind::Elu, f.div(f.min(x, 0), alpha), alpha));
}

Value hardSigmoid(Formula &f, Value x, float alpha, float beta) {
  return beta == 0.5f ? f.apply(UnaryKind::HardSigmoid, x, alpha) : f.max(f.min(f.add(f.mul(x, alpha), beta), 1), 0);
}

Value thresholded(Formula &f, Value x, float threshold) {
  return f.select(f.compare(x, CompareKind::Greater, threshold), x, f.constant(0));
}

Value shrunk(Formula &f, Value x, float lambda, float bias) {
  Value below = f.select(f.compare(x, CompareKind::Less, -lambda), f.add(x, bias), f.constant(0));
  return f.select(f.compare(x, CompareKind::Greater, lambda), f.sub(x, bias), below);
}

Value truncatedRemainder(Formula &f, Value dividend, Value divisor) {
  Value rest = f.apply(BinaryKind::FloorMod, f.apply(UnaryKind::Abs, dividend), f.apply(UnaryKind::Abs, divisor));
  return f.select(f.compare(dividend, CompareKind::Less, 0), f.apply(UnaryKind::Neg, rest), rest);
}

static constexpr NamedFunction kNamed[] = {
    {"Affine", 2, 1, 0, [](Formula &f, Value x, float a, float b) { return f.add(f.mul(x, a), b); }},
    {"Clip", 2, 0, 0, [](Formula &f, Value x, float a, float b) { return f.min(f.max(x, a), b); }},
    {"Elu", 1, 1, 0, [](Formula &f, Value x, float a, float) { return f.apply(UnaryKind::Elu, x, a); }},
    {"HardSigmoid", 2, 0.2f, 0.5f, hardSigmoid},
    {"LeakyRelu", 1, 0.01f, 0, [](Formula &f, Value x, float a, float) { return f.apply(UnaryKind::LeakyRelu, x, a); }},
    {"Relu", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.max(x, 0); }},
    {"ScaledTanh", 2, 1, 1, [](Formula &f, Value x, float a, float b) { return f.mul(f.tanh(f.mul(x, b)), a); }},
    {"Sigmoid", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.logistic(x); }},
    {"Softplus", 0, 0, 0, [](Formula &f, Value x, float, float) { return softplus(f, x); }},
    {"Softsign", 0, 0, 0, [](Formula &f, Value x, float, float) { return softsign(f, x); }},
    {"Tanh", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.tanh(x); }},
    {"ThresholdedRelu", 1, 1, 0, [](Formula &f, Value x, float a, float) { return thresholded(f, x, a); }},
};

const NamedFunction *named(StringRef name) {
  const auto *found =
      llvm::find_if(kNamed, [&](const NamedFunction &each) { return each.name.equals_insensitive(name); });
  return found == std::end(kNamed) ? nullptr : found;
}

} // namespace avocet::compiler::functions
