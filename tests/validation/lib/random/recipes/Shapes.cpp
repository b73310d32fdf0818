//===- Shapes.cpp - Operations that move elements -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Recipes.h"

#include <algorithm>
#include <numeric>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

constexpr uint32_t kMaxRank = 4;

std::vector<int32_t> toIntegers(const Dimensions &dimensions) { return {dimensions.begin(), dimensions.end()}; }

/// Extents whose product is `count`.
Dimensions factorsOf(Random &random, uint64_t count) {
  Dimensions factors;
  for (uint32_t rank = random.extent(1, kMaxRank); rank > 1; --rank) {
    factors.push_back(random.oneOf(divisorsOf(count, 64)));
    count /= factors.back();
  }
  factors.push_back(static_cast<uint32_t>(count));
  std::ranges::rotate(factors, factors.begin() + static_cast<int32_t>(random.below(factors.size())));
  return factors;
}

bool reshape(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const Dimensions shape = factorsOf(draft.random(), draft.at(input).numElements());
  std::vector<int32_t> numbers = toIntegers(shape);
  if (draft.random().percent(30))
    numbers[draft.random().below(numbers.size())] = -1; // what remains
  draft.inputs({input, draft.integers(numbers)});
  draft.outputLike(input, static_cast<uint32_t>(shape.size()));
  return true;
}

bool squeeze(Draft &draft) {
  const uint32_t input = draft.pickLeading({2, 4});
  std::vector<int32_t> axes;
  const Dimensions extents = draft.at(input).dimensions;
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] == 1)
      axes.push_back(static_cast<int32_t>(i));
  if (axes.empty() || axes.size() == extents.size())
    return false;
  draft.inputs({input, draft.integers(axes)});
  draft.outputLike(input, static_cast<uint32_t>(extents.size() - axes.size()));
  return true;
}

bool expandDims(Draft &draft) {
  const uint32_t input = draft.pickLeading({1, 3});
  const uint32_t rank = rankOf(draft.at(input)) + 1;
  draft.inputs({input, draft.integer(anyAxis(draft, rank))});
  draft.outputLike(input, rank);
  return true;
}

bool transpose(Draft &draft) {
  const uint32_t input = draft.pickLeading({2, 4});
  std::vector<int32_t> order(rankOf(draft.at(input)));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[draft.random().below(i)]);
  draft.inputs({input, draft.integers(order)});
  draft.outputLike(input, static_cast<uint32_t>(order.size()));
  return true;
}

bool concatenation(Draft &draft) {
  const uint32_t first = draft.pickLeading();
  const Value value = draft.at(first);
  const auto axis = static_cast<uint32_t>(draft.random().below(rankOf(value)));
  const bool isMove = draft.random().percent(50); // else operands and result of 8 bits have scales of their own
  draft.input(first);
  for (uint64_t more = draft.random().below(4); more > 0; --more) {
    Dimensions extents = value.dimensions;
    if (draft.random().percent(60))
      extents[axis] = draft.random().extent(1, 8);
    draft.input(draft.pickShape(value, extents, isMove));
  }
  draft.input(draft.integer(static_cast<int32_t>(axis)));
  if (isMove)
    draft.outputLike(first, rankOf(value));
  else
    draft.outputScaled(first, rankOf(value), value.scale);
  return true;
}

bool pack(Draft &draft) {
  const uint32_t first = draft.pick("fhusi", {1, 3});
  const Value value = draft.at(first);
  const uint32_t rank = rankOf(value) + 1;
  draft.inputs({draft.integer(static_cast<int32_t>(draft.random().below(rank))), first});
  for (uint64_t more = draft.random().below(3); more > 0; --more)
    draft.input(draft.pickShape(value, value.dimensions, true));
  draft.outputLike(first, rank);
  return true;
}

bool split(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const Value value = draft.at(input);
  const auto axis = static_cast<uint32_t>(draft.random().below(rankOf(value)));
  const uint32_t parts = draft.random().oneOf(divisorsOf(value.dimensions[axis], 6));
  draft.inputs({input, draft.integer(static_cast<int32_t>(axis)), draft.integer(static_cast<int32_t>(parts))});
  for (uint32_t i = 0; i < parts; ++i)
    draft.outputLike(input, rankOf(value));
  return true;
}

bool slice(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  std::vector<int32_t> begin, size;
  for (uint32_t extent : Dimensions(draft.at(input).dimensions)) {
    begin.push_back(static_cast<int32_t>(draft.random().below(extent)));
    const auto room = static_cast<int32_t>(extent) - begin.back();
    size.push_back(draft.random().percent(20) ? -1 : draft.random().between(1, room)); // -1: to the end
  }
  draft.inputs({input, draft.integers(begin), draft.integers(size)});
  draft.outputLike(input, static_cast<uint32_t>(begin.size()));
  return true;
}

/// Positive strides most often; negative ones reverse.
bool stridedSlice(Draft &draft) {
  Random &random = draft.random();
  const uint32_t input = draft.pickLeading();
  std::vector<int32_t> begin, end, stride;
  for (uint32_t extent : Dimensions(draft.at(input).dimensions)) {
    const auto first = static_cast<int32_t>(random.below(extent));
    const auto last = random.between(first, static_cast<int32_t>(extent) - 1);
    const bool isReversed = random.percent(20);
    begin.push_back(isReversed ? last : first);
    end.push_back(isReversed ? first - 1 : last + 1);
    if (isReversed && first == 0)
      end.back() = -1 - static_cast<int32_t>(extent); // before the first element
    stride.push_back(random.between(1, 3) * (isReversed ? -1 : 1));
  }
  const auto masks = static_cast<int32_t>(1u << begin.size());
  const int32_t shrink = begin.size() > 1 && random.percent(25) ? 1 << random.below(begin.size()) : 0;
  for (size_t i = 0; i < begin.size(); ++i)
    if (shrink >> i & 1)
      stride[i] = 1, end[i] = begin[i] + 1;
  draft.inputs({input, draft.integers(begin), draft.integers(end), draft.integers(stride),
                draft.integer(random.percent(20) ? random.between(0, masks - 1) & ~shrink : 0),
                draft.integer(random.percent(20) ? random.between(0, masks - 1) & ~shrink : 0), draft.integer(shrink)});
  draft.outputLike(input, static_cast<uint32_t>(begin.size() - (shrink != 0 ? 1 : 0)));
  return true;
}

/// For each dimension two numbers below its limit.
uint32_t paddings(Draft &draft, const std::vector<uint32_t> &limits) {
  std::vector<int32_t> numbers;
  for (uint32_t limit : limits)
    for (int side = 0; side < 2; ++side)
      numbers.push_back(draft.random().percent(40) ? 0 : static_cast<int32_t>(draft.random().below(limit)));
  return draft.integers(numbers, {static_cast<uint32_t>(limits.size()), 2});
}

bool pad(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const Value value = draft.at(input);
  draft.inputs({input, paddings(draft, std::vector<uint32_t>(rankOf(value), 4))});
  if (draft.type() == PadV2)
    draft.input(isFloating(value.type) ? draft.real(1.5f, value.type) : draft.integer(draft.random().between(0, 100)));
  draft.outputLike(input, rankOf(value));
  return true;
}

/// Reflection needs more elements than it adds.
bool mirrorPad(Draft &draft) {
  const uint32_t input = draft.pick("fhusi");
  const Value value = draft.at(input);
  draft.inputs({input, paddings(draft, value.dimensions), draft.integer(draft.random().between(0, 1))});
  draft.outputLike(input, rankOf(value));
  return true;
}

bool reverse(Draft &draft) {
  const uint32_t input = draft.pick("fhusi");
  const uint32_t rank = rankOf(draft.at(input));
  draft.inputs({input, draft.integers({static_cast<int32_t>(draft.random().below(rank))})});
  draft.outputLike(input, rank);
  return true;
}

bool tile(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  std::vector<int32_t> times;
  for (uint32_t i = rankOf(draft.at(input)); i > 0; --i)
    times.push_back(draft.random().percent(50) ? 1 : draft.random().between(1, 3));
  draft.inputs({input, draft.integers(times)});
  draft.outputLike(input, static_cast<uint32_t>(times.size()));
  return true;
}

bool fill(Draft &draft) {
  const OperandType type = draft.random().oneOf({TensorFloat32, TensorFloat16, TensorInt32});
  const Dimensions shape = draft.randomShape({1, 4});
  draft.input(draft.integers(toIntegers(shape)));
  draft.input(isFloating(type) ? draft.real(-2.5f, type) : draft.integer(draft.random().between(-9, 9)));
  draft.output(type, static_cast<uint32_t>(shape.size()));
  return true;
}

bool rank(Draft &draft) {
  draft.input(draft.pick("fhiusb"));
  draft.output(Int32, 0);
  return true;
}

/// Operations that a compiler makes parts or joins of other tensors, without a copy.
constexpr Recipe kViews[] = {
    {Reshape, reshape}, {Squeeze, squeeze}, {ExpandDims, expandDims}, {Concatenation, concatenation},
    {Pack, pack},       {Split, split},     {Slice, slice},           {StridedSlice, stridedSlice},
};

constexpr Recipe kRows[] = {
    {Transpose, transpose}, {Pad, pad},   {PadV2, pad}, {MirrorPad, mirrorPad},
    {Reverse, reverse},     {Tile, tile}, {Fill, fill}, {OperationType::Rank, rank},
};

} // namespace

std::span<const Recipe> shapeRecipes() { return kRows; }
std::span<const Recipe> viewRecipes() { return kViews; }

} // namespace avocet::hal::conformance
