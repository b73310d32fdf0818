//===- Elementwise.cpp - Activations, arithmetic, comparisons -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"
#include "../Recipes.h"
#include "avocet/hal/types/Signatures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

/// The result may have any quantization.
bool unary(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  draft.input(input);
  draft.outputScaled(input, rankOf(draft.at(input)), draft.at(input).scale);
  return true;
}

/// The result has the quantization of the input.
bool unaryKeeping(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  draft.input(input);
  draft.outputLike(input, rankOf(draft.at(input)));
  return true;
}

/// For functions that are not defined below 0. Tensors of the graph have negative values, or zeros, most often.
bool unaryOfPositive(Draft &draft) {
  uint32_t input = draft.pickLeading();
  const Value value = draft.at(input);
  if (isFloating(value.type) && draft.random().percent(70))
    input = draft.drawn(value.type, value.dimensions, {0.25f, 0.5f, 1.0f, 1.5f, 3.0f, 7.0f});
  draft.input(input);
  draft.outputScaled(input, rankOf(value), 0.05f);
  return true;
}

/// The result has this quantization.
template <int32_t stepsOfOne, int32_t zeroPoint> bool unaryInto(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  draft.input(input);
  draft.outputFixed(input, rankOf(draft.at(input)), 1.0f / stepsOfOne, zeroPoint);
  return true;
}

bool elu(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  draft.inputs({input, draft.real(draft.random().oneOf({0.5f, 1.0f, 2.0f}), draft.at(input).type)});
  draft.outputLike(input, rankOf(draft.at(input)));
  return true;
}

/// A shape that broadcasts to `dimensions`.
Dimensions broadcastShape(Random &random, Dimensions dimensions) {
  const uint64_t kind = random.below(10);
  if (kind < 6)
    return dimensions;
  for (uint32_t &extent : dimensions)
    if (random.flip())
      extent = 1;
  if (kind >= 8)
    dimensions.erase(dimensions.begin(), dimensions.begin() + static_cast<int32_t>(random.below(dimensions.size())));
  return dimensions;
}

struct Pair {
  uint32_t first, second, rank;
};

/// Two tensors of one type, one of which broadcasts to the other; in either order.
Pair broadcastPair(Draft &draft) {
  uint32_t first = draft.pickLeading();
  const Value value = draft.at(first);
  uint32_t second = draft.pickShape(value, broadcastShape(draft.random(), value.dimensions));
  if (draft.random().percent(30))
    std::swap(first, second);
  return {first, second, rankOf(value)};
}

float largerScale(const Draft &draft, const Pair &pair) {
  return std::max(draft.at(pair.first).scale, draft.at(pair.second).scale);
}

/// The scale of an 8-bit product must be above the product of the scales.
bool sumOrProduct(Draft &draft) {
  const Pair pair = broadcastPair(draft);
  draft.inputs({pair.first, pair.second, anyActivation(draft)});
  const float scale = draft.type() == Mul ? draft.at(pair.first).scale * draft.at(pair.second).scale * 50
                                          : largerScale(draft, pair) * 1.5f;
  draft.outputScaled(pair.first, pair.rank, scale);
  return true;
}

/// Divisors are constants other than 0: the quotient of integers by 0 is not defined.
bool quotient(Draft &draft) {
  const uint32_t first = draft.pickLeading();
  const Value value = draft.at(first);
  uint32_t second = 0;
  if (value.type == TensorInt32) {
    std::vector<int32_t> divisors(value.numElements());
    for (int32_t &divisor : divisors)
      divisor = draft.random().between(1, 9);
    for (int32_t &divisor : divisors)
      divisor = draft.random().flip() ? divisor : -divisor;
    second = draft.integers(divisors, value.dimensions);
  } else {
    second = draft.drawn(value.type, broadcastShape(draft.random(), value.dimensions), {-3.0f, -0.5f, 0.75f, 2.0f});
  }
  draft.inputs({first, second, anyActivation(draft)});
  draft.outputLike(first, rankOf(value));
  return true;
}

bool minMax(Draft &draft) {
  const Pair pair = broadcastPair(draft);
  draft.inputs({pair.first, pair.second});
  draft.outputScaled(pair.first, pair.rank, largerScale(draft, pair));
  return true;
}

/// Of numbers or of truth values.
bool comparison(Draft &draft) {
  const Pair pair = broadcastPair(draft);
  draft.inputs({pair.first, pair.second});
  draft.output(TensorBool8, pair.rank);
  return true;
}

/// Whole exponents: the power of a negative number by another one is not defined.
bool power(Draft &draft) {
  const uint32_t first = draft.pickLeading();
  const Value value = draft.at(first);
  draft.inputs(
      {first, draft.drawn(value.type, broadcastShape(draft.random(), value.dimensions), {0.0f, 1.0f, 2.0f, 3.0f})});
  draft.outputLike(first, rankOf(value));
  return true;
}

bool prelu(Draft &draft) {
  const uint32_t first = draft.pickLeading();
  const Value value = draft.at(first);
  draft.inputs({first, draft.pickShape(value, broadcastShape(draft.random(), value.dimensions))});
  draft.outputScaled(first, rankOf(value), value.scale);
  return true;
}

bool select(Draft &draft) {
  const uint32_t first = draft.pickLeading();
  const Value value = draft.at(first);
  Value condition;
  condition.type = TensorBool8;
  const uint32_t chooser = draft.pickShape(condition, value.dimensions);
  draft.inputs({chooser, first, draft.pickShape(value, value.dimensions, true)});
  draft.outputLike(first, rankOf(value));
  return true;
}

bool cast(Draft &draft) {
  const uint32_t input = draft.pick("fhiu");
  draft.input(input);
  draft.output(typeOfLetter(draft.random().oneOf({'f', 'h', 'i', 'u'})), rankOf(draft.at(input)), 0.5f, 0);
  return true;
}

bool quantizeValues(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  draft.input(input);
  const OperandType type = draft.random().flip() ? TensorQuant8Asymm : TensorQuant8AsymmSigned;
  const float scale = draft.random().oneOf({0.02f, 0.05f, 0.125f});
  draft.output(type, rankOf(draft.at(input)), scale, draft.random().between(-20, 127));
  return true;
}

bool dequantize(Draft &draft) {
  const uint32_t input = draft.pick("us");
  draft.input(input);
  draft.output(draft.random().percent(70) ? TensorFloat32 : TensorFloat16, rankOf(draft.at(input)));
  return true;
}

/// Whether the definition gives a number for -1.
bool isDefinedBelowZero(const Definition &definition) {
  Graph graph;
  Value number;
  number.type = TensorFloat32;
  number.dimensions = {1};
  const auto bytes = std::bit_cast<std::array<uint8_t, sizeof(float)>>(-1.0f);
  number.bytes.assign(bytes.begin(), bytes.end());
  graph.values = {number, number};
  const std::optional<Reals> results =
      std::get<Definition::OneOutput>(definition.define)(OperationValues(graph, {definition.type, {0}, {1}}));
  return results && !std::isnan(results->front());
}

bool makesTensorFromTensor(const OperationSignature &signature) {
  return signature.forms.size() == 1 && signature.forms[0].inputs == "t" && signature.forms[0].outputs == "t";
}

constexpr Recipe kRows[] = {
    {Relu, unaryKeeping},
    {Relu1, unaryKeeping},
    {Relu6, unaryKeeping},
    {Logistic, unaryInto<256, 0>},
    {Tanh, unaryInto<128, 128>},
    {Elu, elu},
    {Abs, unaryKeeping},
    {Neg, unaryKeeping},
    {LogicalNot, unaryKeeping},
    {Add, sumOrProduct},
    {Sub, sumOrProduct},
    {Mul, sumOrProduct},
    {Div, quotient},
    {Maximum, minMax},
    {Minimum, minMax},
    {Pow, power},
    {Prelu, prelu},
    {Equal, comparison},
    {NotEqual, comparison},
    {Greater, comparison},
    {GreaterEqual, comparison},
    {Less, comparison},
    {LessEqual, comparison},
    {LogicalAnd, comparison},
    {LogicalOr, comparison},
    {Select, select},
    {Cast, cast},
    {Quantize, quantizeValues},
    {Dequantize, dequantize},
};

/// The rows, and one for each other operation of one tensor.
std::vector<Recipe> makeRecipes() {
  std::vector<Recipe> recipes(std::begin(kRows), std::end(kRows));
  for (const OperationSignature &signature : allSignatures())
    if (makesTensorFromTensor(signature) && std::ranges::find(kRows, signature.type, &Recipe::type) == std::end(kRows))
      recipes.push_back(
          {signature.type, isDefinedBelowZero(*findDefinition(signature.type)) ? unary : unaryOfPositive});
  return recipes;
}

} // namespace

std::span<const Recipe> elementwiseRecipes() {
  static const std::vector<Recipe> kRecipes = makeRecipes();
  return kRecipes;
}

} // namespace avocet::hal::conformance
