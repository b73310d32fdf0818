//===- Windows.cpp - Convolutions and poolings ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Recipes.h"

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

/// The larger extents of a filter make more work, not other work.
constexpr uint32_t kMaxWindow = 5;
constexpr uint32_t kMaxOutputChannels = 24;

/// A feature map of rank 4 and its layout.
struct Map {
  uint32_t value = 0;
  bool isNchw = false;
  uint32_t height = 0, width = 0, channels = 0;
};

Map pickMap(Draft &draft) {
  Map map;
  map.value = draft.pickLeading({4, 4});
  map.isNchw = draft.random().percent(20);
  const Dimensions &extents = draft.at(map.value).dimensions;
  map.height = extents[map.isNchw ? 2 : 1];
  map.width = extents[map.isNchw ? 3 : 2];
  map.channels = extents[map.isNchw ? 1 : 3];
  return map;
}

/// Extents of the window of a convolution or pooling, and how it moves.
struct Window {
  uint32_t height = 1, width = 1;
  int32_t strideHeight = 1, strideWidth = 1;
  int32_t dilationHeight = 1, dilationWidth = 1;
  bool isExplicit = false, isSame = false;
  int32_t left = 0, right = 0, top = 0, bottom = 0;

  uint32_t spanHeight() const { return (height - 1) * static_cast<uint32_t>(dilationHeight) + 1; }
  uint32_t spanWidth() const { return (width - 1) * static_cast<uint32_t>(dilationWidth) + 1; }
};

Window anyWindow(Draft &draft, const Map &map, bool mayDilate) {
  Random &random = draft.random();
  Window window;
  window.height = random.extent(1, kMaxWindow);
  window.width = random.extent(1, kMaxWindow);
  window.strideHeight = random.between(1, random.percent(25) ? 3 : 1);
  window.strideWidth = random.percent(80) ? window.strideHeight : random.between(1, 3);
  if (mayDilate && random.percent(20)) {
    window.dilationHeight = random.between(1, 3);
    window.dilationWidth = random.between(1, 3);
  }
  window.isExplicit = random.percent(30);
  window.isSame = random.percent(60);
  if (window.isExplicit) {
    for (int32_t *side : {&window.left, &window.right})
      *side = random.between(0, static_cast<int32_t>(window.width) - 1);
    for (int32_t *side : {&window.top, &window.bottom})
      *side = random.between(0, static_cast<int32_t>(window.height) - 1);
  }
  if (window.isExplicit || !window.isSame) { // the window must fit at least once
    while (window.spanHeight() > map.height)
      --window.height, window.top = window.bottom = 0;
    while (window.spanWidth() > map.width)
      --window.width, window.left = window.right = 0;
  }
  return window;
}

/// Padding, then strides.
void addMotion(Draft &draft, const Window &window) {
  if (window.isExplicit)
    draft.inputs({draft.integer(window.left), draft.integer(window.right), draft.integer(window.top),
                  draft.integer(window.bottom)});
  else
    draft.input(draft.integer(window.isSame ? 1 : 2));
  draft.inputs({draft.integer(window.strideWidth), draft.integer(window.strideHeight)});
}

/// Weights with the extents `dimensions`, and the bias. `channelDim`: of scales per channel.
void addWeights(Draft &draft, uint32_t map, const Dimensions &dimensions, uint32_t channelDim) {
  Random &random = draft.random();
  const OperandType type = draft.at(map).type;
  const float inputScale = draft.at(map).scale;
  const uint32_t channels = dimensions[channelDim];
  Value weights;
  if (isAsymmetric8Bit(type) && random.percent(50)) {
    weights = draft.at(draft.fresh(TensorQuant8SymmPerChannel, dimensions, ValueRole::Constant));
    weights.channelDim = channelDim;
    for (uint32_t i = 0; i < channels; ++i)
      weights.channelScales.push_back(random.real(0.01f, 0.05f));
    weights.scale = 0;
  } else {
    weights = anyWeights(draft, type, dimensions);
  }
  // The scales of a bias per channel are products: it has none of its own.
  const float biasScale = weights.channelScales.empty() ? inputScale * weights.scale : 0;
  const uint32_t bias = anyBias(draft, type, channels, biasScale);
  draft.inputs({map, draft.add(std::move(weights)), bias});
}

uint32_t anyChannels(Draft &draft) {
  return draft.random().extent(1, draft.random().percent(30) ? kMaxOutputChannels : 8);
}

bool conv(Draft &draft) {
  const Map map = pickMap(draft);
  const Window window = anyWindow(draft, map, true);
  addWeights(draft, map.value, {anyChannels(draft), window.height, window.width, map.channels}, 0);
  addMotion(draft, window);
  draft.inputs({anyActivation(draft), draft.boolean(map.isNchw), draft.integer(window.dilationWidth),
                draft.integer(window.dilationHeight)});
  outputSums(draft, map.value, 4, uint64_t{window.height} * window.width * map.channels);
  return true;
}

bool depthwise(Draft &draft) {
  const Map map = pickMap(draft);
  const Window window = anyWindow(draft, map, true);
  const uint32_t multiplier = draft.random().percent(70) ? 1 : draft.random().extent(2, 3);
  addWeights(draft, map.value, {1, window.height, window.width, map.channels * multiplier}, 3);
  addMotion(draft, window);
  draft.inputs({draft.integer(static_cast<int32_t>(multiplier)), anyActivation(draft), draft.boolean(map.isNchw),
                draft.integer(window.dilationWidth), draft.integer(window.dilationHeight)});
  outputSums(draft, map.value, 4, uint64_t{window.height} * window.width);
  return true;
}

bool grouped(Draft &draft) {
  const Map map = pickMap(draft);
  const Window window = anyWindow(draft, map, false);
  const uint32_t groups = draft.random().oneOf(divisorsOf(map.channels, map.channels));
  const uint32_t channels = groups * draft.random().extent(1, 3);
  addWeights(draft, map.value, {channels, window.height, window.width, map.channels / groups}, 0);
  addMotion(draft, window);
  draft.inputs({draft.integer(static_cast<int32_t>(groups)), anyActivation(draft), draft.boolean(map.isNchw)});
  outputSums(draft, map.value, 4, uint64_t{window.height} * window.width * map.channels / groups);
  return true;
}

bool transposed(Draft &draft) {
  const Map map = pickMap(draft);
  Random &random = draft.random();
  Window window;
  window.isExplicit = true;
  window.height = random.extent(1, kMaxWindow);
  window.width = random.extent(1, kMaxWindow);
  window.strideHeight = random.between(1, 3);
  window.strideWidth = random.between(1, 3);
  window.left = random.between(0, static_cast<int32_t>(window.width - 1) / 2);
  window.right = random.between(0, static_cast<int32_t>(window.width - 1) / 2);
  window.top = random.between(0, static_cast<int32_t>(window.height - 1) / 2);
  window.bottom = random.between(0, static_cast<int32_t>(window.height - 1) / 2);
  addWeights(draft, map.value, {anyChannels(draft), window.height, window.width, map.channels}, 0);
  addMotion(draft, window);
  draft.inputs({anyActivation(draft), draft.boolean(map.isNchw)});
  outputSums(draft, map.value, 4, uint64_t{window.height} * window.width * map.channels);
  return true;
}

bool pool(Draft &draft) {
  const Map map = pickMap(draft);
  const Window window = anyWindow(draft, map, false);
  draft.input(map.value);
  addMotion(draft, window);
  draft.inputs({draft.integer(static_cast<int32_t>(window.width)), draft.integer(static_cast<int32_t>(window.height)),
                anyActivation(draft), draft.boolean(map.isNchw)});
  draft.outputLike(map.value, 4);
  return true;
}

constexpr Recipe kRows[] = {
    {Conv2d, conv},           {DepthwiseConv2d, depthwise},
    {GroupedConv2d, grouped}, {TransposeConv2d, transposed},
    {AveragePool2d, pool},    {MaxPool2d, pool},
    {L2Pool2d, pool},
};

} // namespace

std::span<const Recipe> windowRecipes() { return kRows; }

} // namespace avocet::hal::conformance
