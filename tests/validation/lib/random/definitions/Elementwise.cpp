//===- Elementwise.cpp - Activations, arithmetic, comparisons -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

template <double (*function)(double)> std::optional<Reals> unary(const OperationValues &operation) {
  Reals values = operation.reals(0);
  std::ranges::transform(values, values.begin(), function);
  return values;
}

/// The element of a tensor that broadcasts to the element `at` of a larger one.
size_t broadcastOffset(const Dimensions &dimensions, const Dimensions &at) {
  const size_t skipped = at.size() - dimensions.size();
  Dimensions own(dimensions.size());
  for (size_t i = 0; i < own.size(); ++i)
    own[i] = dimensions[i] == 1 ? 0 : at[skipped + i];
  return offsetOf(dimensions, own);
}

template <typename Function> Reals broadcast(const OperationValues &operation, Function function) {
  const Reals first = operation.reals(0), second = operation.reals(1);
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](const Dimensions &at) {
    result.push_back(function(first[broadcastOffset(operation.input(0).dimensions, at)],
                              second[broadcastOffset(operation.input(1).dimensions, at)]));
  });
  return result;
}

template <double (*function)(double, double)> std::optional<Reals> binary(const OperationValues &operation) {
  return broadcast(operation, function);
}

template <double (*function)(double, double)> std::optional<Reals> fused(const OperationValues &operation) {
  Reals values = broadcast(operation, function);
  for (double &value : values)
    value = activated(operation.integer(2), value);
  return values;
}

/// Quotients of integers are rounded down.
std::optional<Reals> quotient(const OperationValues &operation) {
  const bool isWhole = operation.output(0).type == OperandType::TensorInt32;
  Reals values = broadcast(operation, std::divides<>());
  for (double &value : values)
    value = activated(operation.integer(2), isWhole ? std::floor(value) : value);
  return values;
}

/// Real numbers of different scales that are nearly equal depend on rounding: only those of one scale are defined.
template <typename Comparison> std::optional<Reals> comparison(const OperationValues &operation) {
  if (operation.input(0).scale != operation.input(1).scale)
    return std::nullopt;
  return broadcast(operation, [](double a, double b) { return Comparison()(a, b) ? 1.0 : 0.0; });
}

double prelu(double a, double b) { return a > 0 ? a : a * b; }

std::optional<Reals> elu(const OperationValues &operation) {
  Reals values = operation.reals(0);
  for (double &value : values)
    value = value > 0 ? value : operation.real(1) * std::expm1(value);
  return values;
}

std::optional<Reals> select(const OperationValues &operation) {
  const Reals chooser = operation.reals(0), second = operation.reals(2);
  Reals values = operation.reals(1);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = chooser[i] != 0 ? values[i] : second[i];
  return values;
}

/// Values change their type and keep their number; quantized ones are numbers as they are stored.
std::optional<Reals> cast(const OperationValues &operation) {
  using enum OperandType;
  const OperandType from = operation.input(0).type, to = operation.output(0).type;
  if (from == TensorQuant8Asymm || to == TensorQuant8Asymm)
    return std::nullopt;
  Reals values = operation.reals(0);
  if (to == TensorInt32)
    std::ranges::transform(values, values.begin(), [](double value) { return std::trunc(value); });
  return values;
}

std::optional<Reals> sameValues(const OperationValues &operation) { return operation.reals(0); }

constexpr Definition kRows[] = {
    {Relu, unary<[](double x) { return std::max(x, 0.0); }>},
    {Relu1, unary<[](double x) { return std::clamp(x, -1.0, 1.0); }>},
    {Relu6, unary<[](double x) { return std::clamp(x, 0.0, 6.0); }>},
    {Logistic, unary<[](double x) { return 1 / (1 + std::exp(-x)); }>},
    {Tanh, unary<[](double x) { return std::tanh(x); }>},
    {Elu, elu},
    {HardSwish, unary<[](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }>},
    {Abs, unary<[](double x) { return std::fabs(x); }>},
    {Exp, unary<[](double x) { return std::exp(x); }>},
    {Floor, unary<[](double x) { return std::floor(x); }>},
    {Log, unary<[](double x) { return std::log(x); }>},
    {Neg, unary<[](double x) { return -x; }>},
    {Sin, unary<[](double x) { return std::sin(x); }>},
    {Sqrt, unary<[](double x) { return std::sqrt(x); }>},
    {Rsqrt, unary<[](double x) { return 1 / std::sqrt(x); }>},
    {LogicalNot, unary<[](double x) { return x == 0 ? 1.0 : 0.0; }>},
    {Add, fused<[](double a, double b) { return a + b; }>},
    {Sub, fused<[](double a, double b) { return a - b; }>},
    {Mul, fused<[](double a, double b) { return a * b; }>},
    {Div, quotient},
    {Maximum, binary<[](double a, double b) { return std::max(a, b); }>},
    {Minimum, binary<[](double a, double b) { return std::min(a, b); }>},
    {Pow, binary<[](double a, double b) { return std::pow(a, b); }>},
    {Prelu, binary<prelu>},
    {Equal, comparison<std::equal_to<>>},
    {NotEqual, comparison<std::not_equal_to<>>},
    {Greater, comparison<std::greater<>>},
    {GreaterEqual, comparison<std::greater_equal<>>},
    {Less, comparison<std::less<>>},
    {LessEqual, comparison<std::less_equal<>>},
    {LogicalAnd, binary<[](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }>},
    {LogicalOr, binary<[](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }>},
    {Select, select},
    {Cast, cast},
    {Quantize, sameValues},
    {Dequantize, sameValues},
};

} // namespace

std::span<const Definition> elementwiseDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
