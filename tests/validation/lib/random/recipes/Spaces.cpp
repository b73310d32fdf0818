//===- Spaces.cpp - Blocks, channels, and other sizes of maps -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Recipes.h"

#include <numeric>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

/// The extents of a map in one order, whatever its layout is.
struct Extents {
  uint32_t height, width, channels;
};
Extents extentsOf(const Value &value, bool isNchw) {
  const Dimensions &all = value.dimensions;
  return isNchw ? Extents{all[2], all[3], all[1]} : Extents{all[1], all[2], all[3]};
}

/// A block edge that divides both extents; 1 always does.
uint32_t blockOf(Random &random, uint32_t first, uint32_t second) {
  return random.oneOf(divisorsOf(std::gcd(first, second), 4));
}

bool spaceToDepth(Draft &draft) {
  const uint32_t input = draft.pickLeading({4, 4});
  const bool isNchw = draft.random().percent(20);
  const Extents extents = extentsOf(draft.at(input), isNchw);
  const uint32_t block = blockOf(draft.random(), extents.height, extents.width);
  draft.inputs({input, draft.integer(static_cast<int32_t>(block)), draft.boolean(isNchw)});
  draft.outputLike(input, 4);
  return true;
}

bool depthToSpace(Draft &draft) {
  const uint32_t input = draft.pickLeading({4, 4});
  const bool isNchw = draft.random().percent(20);
  const uint32_t channels = extentsOf(draft.at(input), isNchw).channels;
  std::vector<int32_t> blocks;
  for (uint32_t block = 1; block <= 3; ++block)
    if (channels % (block * block) == 0)
      blocks.push_back(static_cast<int32_t>(block));
  draft.inputs({input, draft.integer(draft.random().oneOf(blocks)), draft.boolean(isNchw)});
  draft.outputLike(input, 4);
  return true;
}

/// Padding up to whole blocks.
bool spaceToBatch(Draft &draft) {
  Random &random = draft.random();
  const uint32_t input = draft.pickLeading({4, 4});
  const bool isNchw = random.percent(20);
  const Extents extents = extentsOf(draft.at(input), isNchw);
  std::vector<int32_t> blocks, paddings;
  for (uint32_t extent : {extents.height, extents.width}) {
    const uint32_t block = random.extent(1, 3);
    const uint32_t before = random.extent(0, 2);
    const uint32_t after = (block - (extent + before) % block) % block;
    blocks.push_back(static_cast<int32_t>(block));
    paddings.push_back(static_cast<int32_t>(before));
    paddings.push_back(static_cast<int32_t>(after));
  }
  draft.inputs({input, draft.integers(blocks), draft.integers(paddings, {2, 2}), draft.boolean(isNchw)});
  draft.outputLike(input, 4);
  return true;
}

/// Batches are 1 most often, so that a new map with enough of them is made.
bool batchToSpace(Draft &draft) {
  Random &random = draft.random();
  const OperandType type = typeOfLetter(random.oneOf({'f', 'h', 'u', 's'}));
  const uint32_t height = random.extent(1, 3), width = random.extent(1, 3);
  Dimensions shape = draft.randomShape({4, 4});
  shape[0] = height * width * random.extent(1, 2);
  const uint32_t input = draft.fresh(type, shape);
  draft.inputs({input, draft.integers({static_cast<int32_t>(height), static_cast<int32_t>(width)}),
                draft.boolean(random.percent(20))});
  draft.outputLike(input, 4);
  return true;
}

bool channelShuffle(Draft &draft) {
  const uint32_t input = draft.pickLeading();
  const Value value = draft.at(input);
  const auto axis = static_cast<uint32_t>(draft.random().below(rankOf(value)));
  const uint32_t groups = draft.random().oneOf(divisorsOf(value.dimensions[axis], value.dimensions[axis]));
  draft.inputs({input, draft.integer(static_cast<int32_t>(groups)), draft.integer(static_cast<int32_t>(axis))});
  draft.outputLike(input, rankOf(value));
  return true;
}

/// Sizes, or factors; corners are aligned, or pixels have half-pixel centers, or neither.
bool resize(Draft &draft) {
  Random &random = draft.random();
  const uint32_t input = draft.pickLeading({4, 4});
  const OperandType type = draft.at(input).type;
  const bool hasSizes = random.percent(70);
  auto sizeOrFactor = [&] {
    return hasSizes ? draft.integer(random.between(1, 16)) : draft.real(random.oneOf({0.5f, 1.5f, 2.0f}), type);
  };
  const uint32_t width = sizeOrFactor();
  draft.inputs({input, width, sizeOrFactor()});
  const uint64_t centers = random.below(3);
  draft.inputs({draft.boolean(random.percent(20)), draft.boolean(centers == 1), draft.boolean(centers == 2)});
  draft.outputLike(input, 4);
  return true;
}

constexpr Recipe kRows[] = {
    {SpaceToDepth, spaceToDepth},    {DepthToSpace, depthToSpace},     {SpaceToBatchNd, spaceToBatch},
    {BatchToSpaceNd, batchToSpace},  {ChannelShuffle, channelShuffle}, {ResizeBilinear, resize},
    {ResizeNearestNeighbor, resize},
};

} // namespace

std::span<const Recipe> spaceRecipes() { return kRows; }

} // namespace avocet::hal::conformance
