//===- Detection.cpp - Boxes and regions ----------------------------------===//
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

/// Corners x1 <= x2, y1 <= y2 of boxes inside an image.
constexpr int32_t kImage = 32;

/// [boxes, 4 * perRow] in a floating-point type.
uint32_t boxes(Draft &draft, OperandType type, uint32_t rows, uint32_t perRow) {
  Value value;
  value.type = type;
  value.dimensions = {rows, 4 * perRow};
  for (uint32_t i = 0; i < rows * perRow; ++i) {
    const int32_t left = draft.random().between(0, kImage - 2), top = draft.random().between(0, kImage - 2);
    for (int32_t corner :
         {left, top, draft.random().between(left + 1, kImage), draft.random().between(top + 1, kImage)}) {
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

/// Boxes as regions of the batches of a map, and the batch of each.
void addRegions(Draft &draft, OperandType type, uint32_t rows, uint32_t batches) {
  const uint32_t regions = boxes(draft, type, rows, 1);
  draft.inputs({regions, batchesOf(draft, rows, batches)});
}

/// Scores that differ by enough to be sorted in one way, except equal ones.
uint32_t anyScores(Draft &draft, const Dimensions &dimensions) {
  return draft.drawn(TensorFloat32, dimensions, {0.125f, 0.25f, 0.5f, 0.625f, 0.75f, 0.875f});
}

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
  addRegions(draft, value.type, draft.random().extent(batches, batches + 3), batches);
  for (int edge = 0; edge < 2; ++edge)
    draft.input(draft.integer(draft.random().between(1, 4)));
  draft.inputs({draft.real(8.0f, value.type), draft.real(8.0f, value.type)});
  for (int samples = 0; samples < (draft.type() == RoiAlign ? 2 : 0); ++samples)
    draft.input(draft.integer(draft.random().between(0, 3)));
  draft.input(draft.boolean(false));
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

bool nmsLimit(Draft &draft) {
  const OperandType type = TensorFloat32;
  const uint32_t rows = draft.random().extent(2, 8), classes = draft.random().extent(2, 3);
  const uint32_t scores = anyScores(draft, {rows, classes});
  const uint32_t regions = boxes(draft, type, rows, classes);
  draft.inputs({scores, regions, batchesOf(draft, rows, 1), draft.real(0.25f, type), draft.integer(-1),
                draft.integer(draft.random().between(0, 2)), draft.real(0.5f, type), draft.real(1.0f, type),
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
                draft.real(4.0f, type), draft.boolean(draft.random().flip()), draft.integer(4), draft.integer(1),
                draft.integer(4), draft.real(0.25f, type), draft.real(0.5f, type), draft.boolean(false)});
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
                draft.integer(-1), draft.integer(-1), draft.real(0.5f, type), draft.real(1.0f, type),
                draft.boolean(false)});
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
