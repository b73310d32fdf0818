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
  const ValueRole role = random.percent(85) ? ValueRole::Constant : ValueRole::Input;
  Value weights = draft.at(draft.fresh(value.type, {units, size}, role));
  if (isAsymmetric8Bit(value.type))
    weights.scale = random.real(0.01f, 0.05f);
  Value bias = draft.at(draft.fresh(isFloating(value.type) ? value.type : TensorInt32, {units}, ValueRole::Constant));
  bias.scale = isFloating(value.type) ? 0 : value.scale * weights.scale;
  draft.inputs({input, draft.add(std::move(weights)), draft.add(std::move(bias)), anyActivation(draft)});
  draft.outputScaled(input, 2, value.scale * 0.03f * std::sqrt(static_cast<float>(size)) * 40);
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
