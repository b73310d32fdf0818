//===- Recipes.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipes.h"

#include <algorithm>

namespace avocet::hal::conformance {

static std::vector<Recipe> joinFamilies() {
  std::vector<Recipe> all;
  for (auto family : {elementwiseRecipes, windowRecipes, productRecipes, reductionRecipes, shapeRecipes, spaceRecipes,
                      selectionRecipes, recurrentRecipes, detectionRecipes}) {
    std::span<const Recipe> rows = family();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(all, {}, &Recipe::type);
  return all;
}

std::span<const Recipe> allRecipes() {
  static const std::vector<Recipe> kAll = joinFamilies();
  return kAll;
}

} // namespace avocet::hal::conformance
