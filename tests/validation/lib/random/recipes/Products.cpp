//===- Products.cpp - Fully connected layers and matrix products ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Recipes.h"

#include <cmath>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

constexpr uint32_t kMaxUnits = 32;

bool fullyConnected(Draft &draft) {
  Random &random = draft.random();
  const uint32_t input = draft.pickLeading({2, 4});
  const Value value = draft.at(input);
  const auto size = static_cast<uint32_t>(value.numElements() / value.dimensions[0]);
  const uint32_t units = random.extent(1, random.percent(30) ? kMaxUnits : 8);
  Value weights = anyWeights(draft, value.type, {units, size});
  const uint32_t bias = anyBias(draft, value.type, units, value.scale * weights.scale);
  draft.inputs({input, draft.add(std::move(weights)), bias, anyActivation(draft)});
  outputSums(draft, input, 2, size);
  return true;
}

bool batchMatmul(Draft &draft) {
  Random &random = draft.random();
  const uint32_t left = draft.pickLeading({2, 4});
  const Value value = draft.at(left);
  const uint32_t rank = rankOf(value);
  const bool adjointLeft = random.percent(30), adjointRight = random.percent(30);
  const uint32_t depth = value.dimensions[adjointLeft ? rank - 2 : rank - 1];
  const uint32_t columns = random.extent(1, 12);
  Dimensions right = value.dimensions;
  right[adjointRight ? rank - 1 : rank - 2] = depth;
  right[adjointRight ? rank - 2 : rank - 1] = columns;
  draft.inputs({left, draft.pickShape(value, right), draft.boolean(adjointLeft), draft.boolean(adjointRight)});
  draft.outputScaled(left, rank, value.scale * 0.1f * std::sqrt(static_cast<float>(depth)) * 60);
  return true;
}

constexpr Recipe kRows[] = {{FullyConnected, fullyConnected}, {BatchMatmul, batchMatmul}};

} // namespace

std::span<const Recipe> productRecipes() { return kRows; }

} // namespace avocet::hal::conformance
