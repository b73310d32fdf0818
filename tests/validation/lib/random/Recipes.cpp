//===- Recipes.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipes.h"

#include <algorithm>
#include <cmath>

namespace avocet::hal::conformance {

static std::vector<Recipe> joinFamilies() {
  std::vector<Recipe> all;
  for (auto family : {elementwiseRecipes, windowRecipes, productRecipes, reductionRecipes, shapeRecipes, viewRecipes,
                      spaceRecipes, selectionRecipes, recurrentRecipes, detectionRecipes, controlFlowRecipes}) {
    std::span<const Recipe> rows = family();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(all, {}, &Recipe::type);
  return all;
}

std::vector<uint32_t> divisorsOf(uint64_t count, uint64_t most) {
  std::vector<uint32_t> divisors;
  for (uint32_t divisor = 1; divisor <= std::min(count, most); ++divisor)
    if (count % divisor == 0)
      divisors.push_back(divisor);
  return divisors;
}

Value anyWeights(Draft &draft, OperandType type, const Dimensions &dimensions) {
  const ValueRole role = draft.random().percent(85) ? ValueRole::Constant : ValueRole::Input;
  Value weights = draft.at(draft.fresh(type, dimensions, role));
  if (isAsymmetric8Bit(type))
    weights.scale = draft.random().real(0.01f, 0.05f);
  return weights;
}

uint32_t anyBias(Draft &draft, OperandType leading, uint32_t count, float scale) {
  const bool isReal = isFloating(leading);
  Value bias = draft.at(draft.fresh(isReal ? leading : OperandType::TensorInt32, {count}, ValueRole::Constant));
  bias.scale = isReal ? 0 : scale;
  return draft.add(std::move(bias));
}

void outputSums(Draft &draft, uint32_t like, uint32_t rank, uint64_t terms) {
  draft.outputScaled(like, rank, draft.at(like).scale * 0.03f * std::sqrt(static_cast<float>(terms)) * 40);
}

std::span<const Recipe> allRecipes() {
  static const std::vector<Recipe> kAll = joinFamilies();
  return kAll;
}

} // namespace avocet::hal::conformance
