//===- Selections.cpp - Look-ups and selections ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Recipes.h"

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

std::vector<int32_t> anyIndices(Random &random, uint32_t count, uint32_t extent) {
  std::vector<int32_t> indices(count);
  for (int32_t &index : indices)
    index = static_cast<int32_t>(random.below(extent));
  return indices;
}

bool gather(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const Value value = draft.at(input);
  const uint32_t rank = rankOf(value);
  const int32_t axis = anyAxis(draft, rank);
  const uint32_t extent = value.dimensions[static_cast<uint32_t>(axis < 0 ? axis + static_cast<int32_t>(rank) : axis)];
  const Dimensions shape = rank < 4 && draft.random().percent(30) ? Dimensions{2, 3} : Dimensions{5};
  const uint32_t count = shape.size() == 2 ? 6 : 5;
  draft.inputs({input, draft.integer(axis), draft.integers(anyIndices(draft.random(), count, extent), shape)});
  draft.outputLike(input, rank - 1 + static_cast<uint32_t>(shape.size()));
  return true;
}

bool embeddingLookup(Draft &draft) {
  const uint32_t values = draft.pick("fiuhs", {2, 4});
  const Value table = draft.at(values);
  draft.inputs({draft.integers(anyIndices(draft.random(), 6, table.dimensions[0])), values});
  draft.outputLike(values, rankOf(table));
  return true;
}

/// Every second key exists.
bool hashtableLookup(Draft &draft) {
  const uint32_t values = draft.pickLeading({1, 3});
  const Value table = draft.at(values);
  std::vector<int32_t> keys(table.dimensions[0]);
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<int32_t>(2 * i + 1);
  const std::vector<int32_t> wanted = anyIndices(draft.random(), 6, 2 * table.dimensions[0] + 1);
  draft.inputs({draft.integers(wanted), draft.integers(keys), values});
  draft.outputLike(values, rankOf(table));
  draft.output(TensorQuant8Asymm, 1, 1.0f, 0);
  return true;
}

bool lshProjection(Draft &draft) {
  const uint32_t input = draft.pick("fi", {1, 3});
  const uint32_t rows = draft.at(input).dimensions[0];
  const uint32_t hash = draft.fresh(TensorFloat32, {4, draft.random().extent(1, 8)}, ValueRole::Constant);
  draft.inputs({hash, input, draft.fresh(TensorFloat32, {rows}, ValueRole::Constant),
                draft.integer(draft.random().oneOf({2, 3}))});
  draft.output(TensorInt32, 1);
  return true;
}

bool topK(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const Value value = draft.at(input);
  draft.inputs({input, draft.integer(static_cast<int32_t>(draft.random().extent(1, value.dimensions.back())))});
  draft.outputLike(input, rankOf(value));
  draft.output(TensorInt32, rankOf(value));
  return true;
}

bool multinomial(Draft &draft) {
  const uint32_t input = draft.pickLeading({2, 2});
  // The distribution shows in many draws only.
  const int32_t draws = draft.random().flip() ? draft.random().between(1, 16) : 1024;
  draft.inputs({input, draft.integer(draws),
                draft.integers({draft.random().between(1, 1000), draft.random().between(1, 1000)})});
  draft.output(TensorInt32, 2);
  return true;
}

constexpr Recipe kRows[] = {
    {Gather, gather},
    {EmbeddingLookup, embeddingLookup},
    {HashtableLookup, hashtableLookup},
    {LshProjection, lshProjection},
    {TopkV2, topK},
    {RandomMultinomial, multinomial},
};

} // namespace

std::span<const Recipe> selectionRecipes() { return kRows; }

} // namespace avocet::hal::conformance
