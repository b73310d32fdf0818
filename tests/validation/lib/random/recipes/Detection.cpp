//===- Detection.cpp - Boxes and regions ----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Recipes.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;
using enum OperandType;

constexpr int32_t kImage = 32;

struct ImageSize {
  int32_t width = kImage, height = kImage;
};

using Corners = std::array<int32_t, 4>;

/// Corners x1 < x2, y1 < y2 inside an image.
Corners anyBox(Random &random, const ImageSize &image) {
  const int32_t left = random.between(0, image.width - 2);
  const int32_t top = random.between(0, image.height - 2);
  const int32_t right = random.between(left + 1, image.width);
  return {left, top, right, random.between(top + 1, image.height)};
}

/// The same box, or one with a side that is up to 3 pixels inside: boxes that overlap by much are rare by chance.
Corners similarBox(Random &random, Corners box) {
  const size_t axis = random.below(2);
  const int32_t inside = random.between(0, std::min(3, box[axis + 2] - box[axis] - 1));
  box[axis] += inside;
  return box;
}

/// [boxes, 4 * perRow] in a floating-point type: boxes inside an image. Some are similar to the box of the row before.
uint32_t boxes(Draft &draft, OperandType type, uint32_t rows, uint32_t perRow, ImageSize image = {}) {
  Value value;
  value.type = type;
  value.dimensions = {rows, 4 * perRow};
  std::vector<Corners> all;
  for (uint32_t i = 0; i < rows * perRow; ++i) {
    const bool isSimilar = i >= perRow && draft.random().percent(40);
    all.push_back(isSimilar ? similarBox(draft.random(), all[i - perRow]) : anyBox(draft.random(), image));
    for (int32_t corner : all.back()) {
      const Value one = draft.at(draft.real(static_cast<float>(corner), type));
      value.bytes.insert(value.bytes.end(), one.bytes.begin(), one.bytes.end());
    }
  }
  return draft.add(std::move(value));
}

/// The batch of each box, in ascending order.
uint32_t batchesOf(Draft &draft, uint32_t rows, uint32_t batches) {
  std::vector<int32_t> numbers(rows);
  for (uint32_t i = 0; i < rows; ++i)
    numbers[i] = static_cast<int32_t>(i * batches / rows);
  return draft.integers(numbers);
}

/// Image of a map by pixel: the ratio of their sizes.
constexpr int32_t kRatio = 8;

/// Boxes as regions of the batches of a map, and the batch of each. Regions outside the image are not valid.
void addRegions(Draft &draft, const Value &map, uint32_t rows, bool isNchw) {
  const ImageSize image = {kRatio * static_cast<int32_t>(map.dimensions[isNchw ? 3 : 2]),
                           kRatio * static_cast<int32_t>(map.dimensions[isNchw ? 2 : 1])};
  const uint32_t regions = boxes(draft, map.type, rows, 1, image);
  draft.inputs({regions, batchesOf(draft, rows, map.dimensions[0])});
}

/// Scores, most often each another one: NNAPI does not define the order of boxes with equal scores. None is equal to a
/// threshold.
uint32_t anyScores(Draft &draft, const Dimensions &dimensions) {
  constexpr int32_t kSteps = 128;
  if (draft.random().percent(15))
    return draft.drawn(TensorFloat32, dimensions, {0.125f, 0.25f, 0.5f, 0.625f, 0.75f, 0.875f});
  std::vector<int32_t> left(kSteps);
  std::iota(left.begin(), left.end(), 0);
  Value value;
  value.dimensions = dimensions;
  for (uint64_t i = 0; i < value.numElements(); ++i) {
    const uint64_t chosen = draft.random().below(left.size());
    const float score = (static_cast<float>(left[chosen]) + 0.5f) / kSteps;
    left.erase(left.begin() + static_cast<ptrdiff_t>(chosen));
    const Value one = draft.at(draft.real(score, TensorFloat32));
    value.bytes.insert(value.bytes.end(), one.bytes.begin(), one.bytes.end());
  }
  return draft.add(std::move(value));
}

/// An overlap that few boxes have exactly.
uint32_t overlapLimit(Draft &draft) { return draft.real(0.46875f, TensorFloat32); }

uint32_t imageSizes(Draft &draft, OperandType type, uint32_t batches) {
  return draft.drawn(type, {batches, 2}, {static_cast<float>(kImage)});
}

bool boxTransform(Draft &draft) {
  const OperandType type = draft.random().flip() ? TensorFloat32 : TensorFloat16;
  const uint32_t rows = draft.random().extent(1, 6), classes = draft.random().extent(1, 3);
  const uint32_t regions = boxes(draft, type, rows, 1);
  const uint32_t deltas = draft.drawn(type, {rows, 4 * classes}, {-0.5f, -0.125f, 0.25f, 0.5f});
  draft.inputs({regions, deltas, batchesOf(draft, rows, 1), imageSizes(draft, type, 1)});
  draft.output(type, 2);
  return true;
}

/// Samples in each direction, of ROI_ALIGN only: 0 lets the device choose.
bool regionsOfInterest(Draft &draft) {
  const uint32_t map = draft.pick("fh", {4, 4});
  const Value value = draft.at(map);
  draft.input(map);
  const uint32_t batches = value.dimensions[0];
  const bool isNchw = draft.random().percent(20);
  addRegions(draft, value, draft.random().extent(batches, batches + 3), isNchw);
  for (int edge = 0; edge < 2; ++edge)
    draft.input(draft.integer(draft.random().between(1, 4)));
  for (int ratio = 0; ratio < 2; ++ratio)
    draft.input(draft.real(kRatio, value.type));
  for (int samples = 0; samples < (draft.type() == RoiAlign ? 2 : 0); ++samples)
    draft.input(draft.integer(draft.random().between(0, 3)));
  draft.input(draft.boolean(isNchw));
  draft.output(value.type, 4);
  return true;
}

bool keypoints(Draft &draft) {
  const OperandType type = draft.random().flip() ? TensorFloat32 : TensorFloat16;
  const uint32_t rows = draft.random().extent(1, 4), edge = draft.random().extent(2, 6);
  const uint32_t heatmap = draft.fresh(type, {rows, edge, edge, draft.random().extent(1, 4)});
  const uint32_t regions = boxes(draft, type, rows, 1);
  draft.inputs({heatmap, regions, draft.boolean(false)});
  draft.output(type, 2);
  draft.output(type, 3);
  return true;
}

/// The most boxes of an image, most often unlimited.
uint32_t anyLimit(Draft &draft) { return draft.integer(draft.random().oneOf({-1, -1, 1, 3})); }

bool nmsLimit(Draft &draft) {
  const OperandType type = TensorFloat32;
  const uint32_t rows = draft.random().extent(2, 8), classes = draft.random().extent(2, 3);
  const uint32_t scores = anyScores(draft, {rows, classes});
  const uint32_t regions = boxes(draft, type, rows, classes);
  draft.inputs({scores, regions, batchesOf(draft, rows, 1), draft.real(0.25f, type), anyLimit(draft),
                draft.integer(draft.random().between(0, 2)), overlapLimit(draft), draft.real(1.0f, type),
                draft.real(0.25f, type)});
  draft.output(type, 1);
  draft.output(type, 2);
  draft.output(TensorInt32, 1);
  draft.output(TensorInt32, 1);
  return true;
}

bool postprocessing(Draft &draft) {
  const OperandType type = TensorFloat32;
  const uint32_t anchors = draft.random().extent(2, 8), classes = draft.random().extent(2, 4);
  const uint32_t scores = anyScores(draft, {1, anchors, classes});
  const uint32_t deltas = draft.drawn(type, {1, anchors, 4}, {-0.5f, 0.25f, 0.5f, 1.0f});
  const uint32_t corners = draft.drawn(type, {anchors, 4}, {0.25f, 0.5f, 1.0f, 2.0f});
  draft.inputs({scores, deltas, corners, draft.real(8.0f, type), draft.real(8.0f, type), draft.real(4.0f, type),
                draft.real(4.0f, type), draft.boolean(draft.random().flip()), draft.integer(4),
                draft.integer(draft.random().between(1, 2)), draft.integer(4), draft.real(0.25f, type),
                overlapLimit(draft), draft.boolean(draft.random().flip())});
  draft.output(type, 2);
  draft.output(type, 3);
  draft.output(TensorInt32, 2);
  draft.output(TensorInt32, 1);
  return true;
}

bool proposals(Draft &draft) {
  const OperandType type = TensorFloat32;
  const uint32_t edge = draft.random().extent(1, 4), anchors = draft.random().extent(1, 3);
  const uint32_t scores = anyScores(draft, {1, edge, edge, anchors});
  const uint32_t deltas = draft.drawn(type, {1, edge, edge, 4 * anchors}, {-0.25f, 0.125f, 0.25f});
  const uint32_t corners = boxes(draft, type, anchors, 1);
  draft.inputs({scores, deltas, corners, imageSizes(draft, type, 1), draft.real(4.0f, type), draft.real(4.0f, type),
                anyLimit(draft), anyLimit(draft), overlapLimit(draft), draft.real(1.0f, type), draft.boolean(false)});
  draft.output(type, 1);
  draft.output(type, 2);
  draft.output(TensorInt32, 1);
  return true;
}

constexpr Recipe kRows[] = {
    {AxisAlignedBboxTransform, boxTransform}, {RoiAlign, regionsOfInterest}, {RoiPooling, regionsOfInterest},
    {HeatmapMaxKeypoint, keypoints},          {BoxWithNmsLimit, nmsLimit},   {DetectionPostprocessing, postprocessing},
    {GenerateProposals, proposals},
};

} // namespace

std::span<const Recipe> detectionRecipes() { return kRows; }

} // namespace avocet::hal::conformance
