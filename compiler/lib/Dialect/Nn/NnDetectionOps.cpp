//===- NnDetectionOps.cpp - Verifiers of operations on boxes ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

static int64_t extentOf(Value value, unsigned axis) { return tensorOf(value).getDimSize(axis); }

static LogicalResult verifyPositive(Operation *op, StringRef name, const APFloat &value) {
  if (value.isFiniteNonZero() && !value.isNegative())
    return success();
  return op->emitOpError() << "'" << name << "' must be a positive number";
}

//===----------------------------------------------------------------------===//
// Detectors
//===----------------------------------------------------------------------===//

static LogicalResult verifyDetectionAttributes(DetectionPostprocessingOp op) {
  if (op.getScales().size() != 4)
    return op.emitOpError() << "has " << op.getScales().size() << " scales, must have 4";
  for (float scale : op.getScales())
    if (failed(verifyPositive(op, "scales", APFloat(scale))))
      return failure();
  if (failed(verifyArray(op, "maxDetections, maxClasses, maxPerClass",
                         {static_cast<int64_t>(op.getMaxDetections()), static_cast<int64_t>(op.getMaxClasses()),
                          static_cast<int64_t>(op.getMaxPerClass())},
                         3, 1)))
    return failure();
  if (op.getScoreThreshold().isNaN() || op.getOverlapThreshold().isNaN())
    return op.emitOpError("thresholds must be numbers");
  if (op.getFirstLabel() > 1)
    return op.emitOpError() << "'firstLabel' is " << static_cast<int64_t>(op.getFirstLabel()) << ", must be 0 or 1";
  return success();
}

LogicalResult DetectionPostprocessingOp::verify() {
  if (failed(verifyRank(*this, "scores", getScores(), 3)) || failed(verifyRank(*this, "offsets", getOffsets(), 3)) ||
      failed(verifyDetectionAttributes(*this)))
    return failure();
  const int64_t batches = extentOf(getScores(), 0), anchors = extentOf(getScores(), 1);
  const int64_t results = getRegular() ? getMaxDetections() : getMaxDetections() * getMaxClasses();
  if (extentOf(getScores(), 2) <= (getBackground() ? 1 : 0))
    return emitOpError("scores must have a class besides the background");
  if (extentOf(getOffsets(), 2) < 4)
    return emitOpError() << "offsets have " << extentOf(getOffsets(), 2) << " coordinates, must have 4 or more";
  if (failed(verifyShape(*this, "offsets", getOffsets(), {batches, anchors, extentOf(getOffsets(), 2)})) ||
      failed(verifyShape(*this, "anchors", getAnchors(), {anchors, 4})) ||
      failed(verifyShape(*this, "the best scores", getBestScores(), {batches, results})) ||
      failed(verifyShape(*this, "boxes", getBoxes(), {batches, results, 4})) ||
      failed(verifyShape(*this, "classes", getClasses(), {batches, results})) ||
      failed(verifyShape(*this, "numbers", getNumbers(), {batches})))
    return failure();
  return verifySameElements(*this, {getScores(), getOffsets(), getAnchors(), getBestScores(), getBoxes()});
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

LogicalResult AxisAlignedBboxTransformOp::verify() {
  for (auto [name, value] : {std::pair("boxes", Value(getBoxes())), std::pair("offsets", Value(getOffsets())),
                             std::pair("images", Value(getImages()))})
    if (failed(verifyRank(*this, name, value, 2)))
      return failure();
  const int64_t boxes = extentOf(getBoxes(), 0), offsets = extentOf(getOffsets(), 1);
  if (offsets % 4 != 0)
    return emitOpError() << "offsets have " << offsets << " elements for each box, must have 4 for each class";
  if (failed(verifyShape(*this, "boxes", getBoxes(), {boxes, 4})) ||
      failed(verifyShape(*this, "offsets", getOffsets(), {boxes, offsets})) ||
      failed(verifyShape(*this, "batches", getBatches(), {boxes})) ||
      failed(verifyShape(*this, "images", getImages(), {extentOf(getImages(), 0), 2})))
    return failure();
  return verifyShape(*this, "the result", getOutput(), {boxes, offsets});
}

LogicalResult HeatmapMaxKeypointOp::verify() {
  if (failed(verifyRank(*this, "heatmaps", getHeatmaps(), 4)))
    return failure();
  const int64_t boxes = extentOf(getHeatmaps(), 0), size = extentOf(getHeatmaps(), 1),
                points = extentOf(getHeatmaps(), 3);
  if (size < 2)
    return emitOpError() << "heatmaps have the size " << size << ", must have 2 or more";
  if (failed(verifyShape(*this, "heatmaps", getHeatmaps(), {boxes, size, size, points})) ||
      failed(verifyShape(*this, "boxes", getBoxes(), {boxes, 4})) ||
      failed(verifyShape(*this, "scores", getScores(), {boxes, points})))
    return failure();
  return verifyShape(*this, "positions", getPositions(), {boxes, points, 2});
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// The number of rows of a result that is a list.
static FailureOr<int64_t> rowsOf(Operation *op, StringRef name, Value value) {
  if (failed(verifyRank(op, name, value, 1)))
    return failure();
  return extentOf(value, 0);
}

static LogicalResult verifyNumbers(Operation *op, std::initializer_list<APFloat> values) {
  for (const APFloat &value : values)
    if (value.isNaN())
      return op->emitOpError("thresholds must be numbers");
  return success();
}

LogicalResult NonMaxSuppressionOp::verify() {
  FailureOr<int64_t> boxes = rowsOf(*this, "scores", getScores()), results = rowsOf(*this, "indices", getIndices());
  if (failed(boxes) || failed(results) || failed(verifyNumbers(*this, {getOverlapThreshold(), getScoreThreshold()})))
    return failure();
  if (getSigma().isNaN() || (getSigma().isNegative() && !getSigma().isZero()))
    return emitOpError("'sigma' must be 0 or more");
  if (failed(verifyShape(*this, "boxes", getBoxes(), {*boxes, 4})) ||
      failed(verifyShape(*this, "the selected scores", getSelectedScores(), {*results})))
    return failure();
  return verifyShape(*this, "the number", getNumber(), {});
}

LogicalResult BoxWithNmsLimitOp::verify() {
  FailureOr<int64_t> rows = rowsOf(*this, "the best scores", getBestScores());
  if (failed(rows) || failed(verifyRank(*this, "scores", getScores(), 2)) ||
      failed(verifyNumbers(*this, {getScoreThreshold(), getOverlapThreshold(), getNmsScoreThreshold()})) ||
      failed(verifyPositive(*this, "sigma", getSigma())))
    return failure();
  const int64_t boxes = extentOf(getScores(), 0), classes = extentOf(getScores(), 1);
  if (classes < 2 || getKernel() > 2u)
    return emitOpError() << "has " << classes << " classes and kernel " << getKernel()
                         << ", must have 2 or more classes and kernel 0, 1 or 2";
  if (failed(verifyShape(*this, "boxes", getBoxes(), {boxes, 4 * classes})) ||
      failed(verifyShape(*this, "batches", getBatches(), {boxes})) ||
      failed(verifyShape(*this, "the best boxes", getBestBoxes(), {*rows, 4})) ||
      failed(verifyShape(*this, "classes", getClasses(), {*rows})) ||
      failed(verifyShape(*this, "owners", getOwners(), {*rows})))
    return failure();
  return success(succeeded(verifySameElements(*this, {getScores(), getBestScores()})) &&
                 succeeded(verifySameElements(*this, {getBoxes(), getBestBoxes()})));
}

LogicalResult GenerateProposalsOp::verify() {
  FailureOr<int64_t> rows = rowsOf(*this, "the best scores", getBestScores());
  if (failed(rows) || failed(verifyRank(*this, "scores", getScores(), 4)) ||
      failed(verifyNumbers(*this, {getOverlapThreshold(), getLeastSize()})) ||
      failed(verifyPositive(*this, "strideY", getStrideY())) || failed(verifyPositive(*this, "strideX", getStrideX())))
    return failure();
  SmallVector<int64_t> offsets(shapeOf(getScores()));
  const int64_t batches = offsets.front(), anchors = offsets.back();
  offsets.back() = 4 * anchors;
  if (failed(verifyShape(*this, "offsets", getOffsets(), offsets)) ||
      failed(verifyShape(*this, "anchors", getAnchors(), {anchors, 4})) ||
      failed(verifyShape(*this, "images", getImages(), {batches, 2})) ||
      failed(verifyShape(*this, "the best boxes", getBestBoxes(), {*rows, 4})))
    return failure();
  return verifyShape(*this, "batches", getBatches(), {*rows});
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyRois(Op op) {
  if (failed(verifyRank(op, "images", op.getImages(), 4)) || failed(verifyRank(op, "regions", op.getRois(), 2)) ||
      failed(verifyRank(op, "result", op.getOutput(), 4)) || failed(verifyPositive(op, "strideY", op.getStrideY())) ||
      failed(verifyPositive(op, "strideX", op.getStrideX())))
    return failure();
  const int64_t regions = extentOf(op.getRois(), 0);
  if (failed(verifyShape(op, "regions", op.getRois(), {regions, 4})) ||
      failed(verifyShape(op, "batches", op.getBatches(), {regions})))
    return failure();
  return verifyShape(op, "the result", op.getOutput(),
                     {regions, extentOf(op.getOutput(), 1), extentOf(op.getOutput(), 2), extentOf(op.getImages(), 3)});
}

LogicalResult RoiPoolingOp::verify() {
  return failed(verifyRois(*this)) ? failure() : verifySameElements(*this, {getImages(), getOutput()});
}

LogicalResult RoiAlignOp::verify() {
  if (failed(verifyArray(*this, "samplesY, samplesX",
                         {static_cast<int64_t>(getSamplesY()), static_cast<int64_t>(getSamplesX())}, 2, 0)) ||
      failed(verifyRois(*this)))
    return failure();
  return verifySameStorage(*this, {getImages(), getOutput()});
}
