//===- Recipes.h - How each operation is drawn ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each operation that random graphs contain: a function that chooses operands and results of one operation.
// The rows are in recipes/, one file for each family; a new operation is a new row. Those that make one tensor from one
// tensor and have no other operands need none: their result may have any quantization.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_RECIPES_H
#define AVOCET_VALIDATION_RANDOM_RECIPES_H

#include "Draft.h"

#include <span>
#include <vector>

namespace avocet::hal::conformance {

struct Recipe {
  OperationType type;
  /// False: the tensors that were drawn do not suit the operation.
  bool (*make)(Draft &draft);
};

/// All rows, sorted by operation.
std::span<const Recipe> allRecipes();

std::span<const Recipe> elementwiseRecipes();
std::span<const Recipe> windowRecipes();
std::span<const Recipe> productRecipes();
std::span<const Recipe> reductionRecipes();
std::span<const Recipe> shapeRecipes();
std::span<const Recipe> viewRecipes();
std::span<const Recipe> spaceRecipes();
std::span<const Recipe> selectionRecipes();
std::span<const Recipe> recurrentRecipes();
std::span<const Recipe> detectionRecipes();
std::span<const Recipe> controlFlowRecipes();

/// Divisors of `count` up to `most`, ascending.
std::vector<uint32_t> divisorsOf(uint64_t count, uint64_t most);
/// Weights of sums of products: constants most often. Those of 8 bits have scales around 0.03.
Value anyWeights(Draft &draft, OperandType type, const Dimensions &dimensions);
/// A constant bias; `scale`: of integers, for a leading tensor of 8 bits.
uint32_t anyBias(Draft &draft, OperandType leading, uint32_t count, float scale);
/// The result of sums of `terms` products with anyWeights(): its scale covers most sums.
void outputSums(Draft &draft, uint32_t like, uint32_t rank, uint64_t terms);

/// The rank of a value.
inline uint32_t rankOf(const Value &value) { return static_cast<uint32_t>(value.dimensions.size()); }
/// An operand for the fused activation.
inline uint32_t anyActivation(Draft &draft) { return draft.integer(draft.random().between(0, 3)); }
/// A dimension of a tensor of this rank, sometimes counted from the end.
inline int32_t anyAxis(Draft &draft, uint32_t rank) {
  const auto axis = static_cast<int32_t>(draft.random().below(rank));
  return draft.random().percent(25) ? axis - static_cast<int32_t>(rank) : axis;
}

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_RECIPES_H
