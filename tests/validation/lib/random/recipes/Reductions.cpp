//===- Reductions.cpp - Reductions and normalizations ---------------------===//
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

/// Different dimensions, at least one.
std::vector<int32_t> anyAxes(Draft &draft, uint32_t rank) {
  std::vector<int32_t> axes;
  for (uint32_t axis = 0; axis < rank; ++axis)
    if (draft.random().percent(40))
      axes.push_back(static_cast<int32_t>(axis));
  if (axes.empty())
    axes.push_back(anyAxis(draft, rank));
  return axes;
}

/// Of a reduction without kept dimensions. All dimensions reduced: [1].
uint32_t reducedRank(uint32_t rank, size_t axes, bool keeps) {
  return keeps ? rank : std::max(1u, rank - static_cast<uint32_t>(axes));
}

/// `flag(keeps)` makes the operand that keeps reduced dimensions.
template <typename Flag> bool reduceWith(Draft &draft, Flag flag) {
  const uint32_t input = draft.pickLeading();
  const uint32_t rank = rankOf(draft.at(input));
  const std::vector<int32_t> axes = anyAxes(draft, rank);
  const bool keeps = draft.random().flip();
  draft.inputs({input, draft.integers(axes), flag(keeps)});
  draft.outputLike(input, reducedRank(rank, axes.size(), keeps));
  return true;
}

bool mean(Draft &draft) {
  return reduceWith(draft, [&](bool keeps) { return draft.integer(keeps ? 1 : 0); });
}

bool reduce(Draft &draft) {
  return reduceWith(draft, [&](bool keeps) { return draft.boolean(keeps); });
}

bool argument(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const uint32_t rank = rankOf(draft.at(input));
  draft.inputs({input, draft.integer(anyAxis(draft, rank))});
  draft.output(TensorInt32, reducedRank(rank, 1, false));
  return true;
}

bool l2Normalization(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const uint32_t rank = rankOf(draft.at(input));
  draft.inputs({input, draft.integer(anyAxis(draft, rank))});
  draft.outputFixed(input, rank, 1.0f / 128, 128);
  return true;
}

bool localResponse(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const OperandType type = draft.at(input).type;
  const uint32_t rank = rankOf(draft.at(input));
  draft.inputs({input, draft.integer(draft.random().between(1, 4)), draft.real(1.0f, type),
                draft.real(draft.random().oneOf({0.25f, 1.0f}), type), draft.real(0.5f, type),
                draft.integer(anyAxis(draft, rank))});
  draft.outputLike(input, rank);
  return true;
}

bool softmax(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const uint32_t rank = rankOf(draft.at(input));
  draft.inputs({input, draft.real(draft.random().oneOf({0.5f, 1.0f, 2.0f}), draft.at(input).type),
                draft.integer(anyAxis(draft, rank))});
  if (draft.type() == LogSoftmax)
    draft.outputLike(input, rank);
  else
    draft.outputFixed(input, rank, 1.0f / 256, 0);
  return true;
}

bool instanceNormalization(Draft &draft) {
  const uint32_t input = draft.pickLeading({4, 4});
  const OperandType type = draft.at(input).type;
  draft.inputs({input, draft.real(1.5f, type), draft.real(0.5f, type), draft.real(1.0f / 64, type),
                draft.boolean(draft.random().flip())});
  draft.outputLike(input, 4);
  return true;
}

constexpr Recipe kRows[] = {
    {Mean, mean},
    {Argmax, argument},
    {Argmin, argument},
    {ReduceAll, reduce},
    {ReduceAny, reduce},
    {ReduceMax, reduce},
    {ReduceMin, reduce},
    {ReduceProd, reduce},
    {ReduceSum, reduce},
    {L2Normalization, l2Normalization},
    {LocalResponseNormalization, localResponse},
    {Softmax, softmax},
    {LogSoftmax, softmax},
    {InstanceNormalization, instanceNormalization},
};

} // namespace

std::span<const Recipe> reductionRecipes() { return kRows; }

} // namespace avocet::hal::conformance
