//===- NnDetectionShapes.cpp - Shapes of boxes and regions ----- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"

#include <functional>

using namespace mlir;

namespace avocet::compiler::nn {

/// Coordinates of a box, or offsets of them.
static constexpr int64_t kCoordinates = 4;

static int64_t coordinatesOf(int64_t boxes) { return ofExtents(std::multiplies<int64_t>(), boxes, kCoordinates); }

FailureOr<Shapes> detectionShapes(ShapeRef scores, ShapeRef offsets, ShapeRef anchors, bool hasBackground,
                                  int64_t boxes, ShapeErrors errors) {
  if (failed(checkRank(errors, "scores", scores, 3)) || failed(checkRank(errors, "offsets", offsets, 3)))
    return failure();
  if (boxes < 1 || boxes > INT32_MAX)
    return errors() << "has " << boxes << " boxes of each batch, must have 1 to " << INT32_MAX;
  if (!isOpen(scores[2]) && scores[2] <= (hasBackground ? 1 : 0))
    return errors() << "scores must have a class besides the background";
  if (!isOpen(offsets[2]) && offsets[2] < kCoordinates)
    return errors() << "offsets have " << offsets[2] << " coordinates, must have " << kCoordinates << " or more";
  if (failed(checkShape(errors, "offsets", offsets, {scores[0], scores[1], offsets[2]})) ||
      failed(checkShape(errors, "anchors", anchors, {scores[1], kCoordinates})))
    return failure();
  return Shapes{{scores[0], boxes}, {scores[0], boxes, kCoordinates}, {scores[0], boxes}, {scores[0]}};
}

FailureOr<Shape> movedBoxesShape(ShapeRef boxes, ShapeRef offsets, ShapeRef batches, ShapeRef images,
                                 ShapeErrors errors) {
  if (failed(checkRank(errors, "boxes", boxes, 2)) || failed(checkRank(errors, "offsets", offsets, 2)) ||
      failed(checkRank(errors, "images", images, 2)))
    return failure();
  if (!isOpen(offsets[1]) && offsets[1] % kCoordinates != 0)
    return errors() << "offsets have " << offsets[1] << " elements for each box, must have " << kCoordinates
                    << " for each class";
  if (failed(checkShape(errors, "boxes", boxes, {boxes[0], kCoordinates})) ||
      failed(checkShape(errors, "offsets", offsets, {boxes[0], offsets[1]})) ||
      failed(checkShape(errors, "batches", batches, {boxes[0]})) ||
      failed(checkShape(errors, "images", images, {images[0], 2})))
    return failure();
  return Shape{merged(boxes[0], offsets[0]), offsets[1]};
}

FailureOr<Shapes> keypointShapes(ShapeRef heatmaps, ShapeRef boxes, ShapeErrors errors) {
  if (failed(checkRank(errors, "heatmaps", heatmaps, 4)))
    return failure();
  const int64_t count = heatmaps[0], size = heatmaps[1], points = heatmaps[3];
  if (!isOpen(size) && size < 2)
    return errors() << "heatmaps have the size " << size << ", must have 2 or more";
  if (failed(checkShape(errors, "heatmaps", heatmaps, {count, size, size, points})) ||
      failed(checkShape(errors, "boxes", boxes, {count, kCoordinates})))
    return failure();
  return Shapes{{count, points}, {count, points, 2}};
}

FailureOr<Shapes> suppressedShapes(ShapeRef boxes, ShapeRef scores, int64_t rows, ShapeErrors errors) {
  if (failed(checkRank(errors, "scores", scores, 1)) ||
      failed(checkShape(errors, "boxes", boxes, {scores[0], kCoordinates})) ||
      failed(checkNumber(errors, "rows", rows, 1)))
    return failure();
  return Shapes{{rows}, {rows}, {}};
}

FailureOr<Shapes> limitedBoxesShapes(ShapeRef scores, ShapeRef boxes, ShapeRef batches, int64_t rows,
                                     ShapeErrors errors) {
  if (failed(checkRank(errors, "scores", scores, 2)) || failed(checkNumber(errors, "rows", rows, 1)))
    return failure();
  if (!isOpen(scores[1]) && scores[1] < 2)
    return errors() << "scores have " << scores[1] << " classes, must have 2 or more";
  if (failed(checkShape(errors, "boxes", boxes, {scores[0], coordinatesOf(scores[1])})) ||
      failed(checkShape(errors, "batches", batches, {scores[0]})))
    return failure();
  return Shapes{{rows}, {rows, kCoordinates}, {rows}, {rows}};
}

FailureOr<Shapes> proposalShapes(ShapeRef scores, ShapeRef offsets, ShapeRef anchors, ShapeRef images, int64_t rows,
                                 ShapeErrors errors) {
  if (failed(checkRank(errors, "scores", scores, 4)) || failed(checkNumber(errors, "rows", rows, 1)))
    return failure();
  Shape expected(scores);
  expected.back() = coordinatesOf(scores[3]);
  if (failed(checkShape(errors, "offsets", offsets, expected)) ||
      failed(checkShape(errors, "anchors", anchors, {scores[3], kCoordinates})) ||
      failed(checkShape(errors, "images", images, {scores[0], 2})))
    return failure();
  return Shapes{{rows}, {rows, kCoordinates}, {rows}};
}

FailureOr<Shape> regionShape(ShapeRef images, ShapeRef regions, ShapeRef batches, ShapeRef size, ShapeErrors errors) {
  if (failed(checkRank(errors, "images", images, 4)) || failed(checkRank(errors, "regions", regions, 2)) ||
      failed(checkArray(errors, "size", size, 2, 1)) ||
      failed(checkShape(errors, "regions", regions, {regions[0], kCoordinates})) ||
      failed(checkShape(errors, "batches", batches, {regions[0]})))
    return failure();
  return Shape{merged(regions[0], batches[0]), size[0], size[1], images[3]};
}

} // namespace avocet::compiler::nn
