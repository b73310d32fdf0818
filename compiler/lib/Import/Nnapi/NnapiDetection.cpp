//===- NnapiDetection.cpp - Boxes and regions of images ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "OpenRows.h"

#include "Import/Common/Create.h"
#include "Import/Common/ImportedOperation.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// An INT32 scalar of at least `least`, below 2^31.
FailureOr<int64_t> count(NnapiOperation &op, uint32_t position, StringRef name, int64_t least) {
  FailureOr<int64_t> value = op.integer(position, name);
  if (succeeded(value) && *value < least)
    return op.malformed("has the " + name + " " + Twine(*value) + ", must be " + Twine(least) + " or more");
  return value;
}

/// A real number as float.
FailureOr<APFloat> number(NnapiOperation &op, uint32_t position, StringRef name, bool isPositive) {
  FailureOr<double> value = op.real(position, name);
  if (failed(value))
    return failure();
  if (isPositive ? !(*value > 0) || !std::isfinite(*value) : !(*value >= 0))
    return op.malformed("has the " + name + " " + Twine(std::to_string(*value)) + ", must be " +
                        (isPositive ? "positive" : "0 or more"));
  return APFloat(static_cast<float>(*value));
}

FailureOr<APFloat> positive(NnapiOperation &op, uint32_t position, StringRef name) {
  return number(op, position, name, /*isPositive=*/true);
}

FailureOr<APFloat> threshold(NnapiOperation &op, uint32_t position, StringRef name) {
  return number(op, position, name, /*isPositive=*/false);
}

//===----------------------------------------------------------------------===//
// Detectors
//===----------------------------------------------------------------------===//

/// The scalars of DETECTION_POSTPROCESSING.
struct DetectorFigures {
  SmallVector<float> scales;
  bool regular = false, background = false;
  int64_t maxDetections = 1, maxClasses = 1, maxPerClass = 1;
  APFloat scoreThreshold = APFloat(0.0f), overlapThreshold = APFloat(0.0f);

  /// A count that the other form uses may have any value.
  LogicalResult read(NnapiOperation &op) {
    for (uint32_t position = 3; position < 7; ++position) {
      FailureOr<APFloat> scale = positive(op, position, "scale");
      if (failed(scale))
        return failure();
      scales.push_back(scale->convertToFloat());
    }
    FailureOr<bool> isRegular = op.boolean(7, "regular NMS"), isBackground = op.boolean(13, "background in labels");
    if (failed(isRegular) || failed(isBackground))
      return failure();
    regular = *isRegular, background = *isBackground;
    FailureOr<int64_t> detections = count(op, 8, "number of detections", 1),
                       classes = count(op, 9, "number of classes of a detection", regular ? INT32_MIN : 1),
                       perClass = count(op, 10, "number of detections of a class", regular ? 1 : INT32_MIN);
    FailureOr<APFloat> score = threshold(op, 11, "score threshold"), overlap = threshold(op, 12, "IoU threshold");
    if (failed(detections) || failed(classes) || failed(perClass) || failed(score) || failed(overlap))
      return failure();
    maxDetections = *detections, maxClasses = std::max<int64_t>(*classes, 1);
    maxPerClass = std::max<int64_t>(*perClass, 1);
    scoreThreshold = *score, overlapThreshold = *overlap;
    return success();
  }
};

LogicalResult convertDetectionPostprocessing(NnapiOperation &op) {
  Value scores = op.value(0, "scores"), offsets = op.value(1, "box encodings"), anchors = op.value(2, "anchors");
  DetectorFigures figures;
  if (failed(figures.read(op)))
    return failure();
  return finish<nn::DetectionPostprocessingOp>(op, scores, offsets, anchors, figures.scales, figures.regular,
                                               figures.maxDetections, figures.maxClasses, figures.maxPerClass,
                                               figures.scoreThreshold, figures.overlapThreshold, /*background=*/true,
                                               /*firstLabel=*/figures.background ? 1 : 0, /*tfliteRules=*/false);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

LogicalResult convertBboxTransform(NnapiOperation &op) {
  Value boxes = op.value(0, "boxes"), offsets = op.value(1, "offsets"), batches = op.value(2, "batch indices"),
        images = op.value(3, "image sizes");
  return finish<nn::AxisAlignedBboxTransformOp>(op, boxes, offsets, batches, images);
}

LogicalResult convertHeatmapMaxKeypoint(NnapiOperation &op) {
  FailureOr<bool> nchw = isNchw(op, 2);
  if (failed(nchw))
    return failure();
  Value heatmaps = imageValue(op, 0, "heatmap", *nchw), boxes = op.value(1, "boxes");
  return finish<nn::HeatmapMaxKeypointOp>(op, heatmaps, boxes);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// The number of rows of the results, which depends on data. If the model declares it, further boxes are dropped, and
/// rows without a box are zero. Else it is `most`, an upper bound; the program also returns the number of boxes.
FailureOr<int64_t> resultRows(NnapiOperation &op, int64_t most) {
  if (const std::optional<int64_t> rows = declaredRowsOf(op.graph().subgraph(), op.operation()))
    return *rows;
  if (op.isInMain())
    return std::max<int64_t>(most, 1);
  return op.refuse("result", "has a declared number of rows", "one that depends on data");
}

/// A batch of n boxes has at most n * (classes - 1) results, since class 0 is the background, and at most `most`.
int64_t mostLimited(ArrayRef<int64_t> scores, int64_t most) {
  const int64_t classes = scores[1] - 1;
  return scores[0] * (most < 0 ? classes : std::min(most, classes));
}

int64_t mostProposed(ArrayRef<int64_t> scores, int64_t before, int64_t after) {
  int64_t boxes = scores[1] * scores[2] * scores[3];
  for (int64_t limit : {before, after})
    boxes = limit > 0 ? std::min(boxes, limit) : boxes;
  return scores[0] * boxes;
}

LogicalResult convertBoxWithNmsLimit(NnapiOperation &op) {
  Value scores = ofRank(op, op.value(0, "scores"), "scores", 2), boxes = op.value(1, "boxes"),
        batches = op.value(2, "batch indices");
  FailureOr<APFloat> score = threshold(op, 3, "score threshold"), overlap = threshold(op, 6, "IoU threshold"),
                     nmsScore = threshold(op, 8, "NMS score threshold");
  FailureOr<int64_t> most = op.integer(4, "number of detections"), kernel = op.integer(5, "NMS kernel");
  const bool isGaussian = succeeded(kernel) && *kernel == 2; // the only kernel with a sigma
  FailureOr<APFloat> sigma = isGaussian ? positive(op, 7, "sigma") : FailureOr<APFloat>(APFloat(1.0f));
  if (!scores || !boxes || !batches || failed(score) || failed(overlap) || failed(sigma) || failed(nmsScore) ||
      failed(most) || failed(kernel))
    return failure();
  if (*kernel < 0 || *kernel > 2)
    return op.malformed("has the NMS kernel " + Twine(*kernel) + ", must be 0, 1 or 2");
  FailureOr<int64_t> rows = resultRows(op, mostLimited(shapeOf(scores), *most));
  if (failed(rows))
    return failure();
  scores = validScores(op, scores);
  if (!scores)
    return failure();
  return finish<nn::BoxWithNmsLimitOp>(op, scores, boxes, batches, *rows, *score,
                                       *most < 0 ? UINT32_MAX : static_cast<uint32_t>(*most),
                                       static_cast<uint32_t>(*kernel), *overlap, *sigma, *nmsScore);
}

LogicalResult convertGenerateProposals(NnapiOperation &op) {
  FailureOr<bool> nchw = isNchw(op, 10);
  if (failed(nchw))
    return failure();
  Value scores = imageValue(op, 0, "scores", *nchw), offsets = imageValue(op, 1, "box deltas", *nchw),
        anchors = op.value(2, "anchors"), images = op.value(3, "image sizes");
  FailureOr<APFloat> strideY = positive(op, 4, "height stride"), strideX = positive(op, 5, "width stride"),
                     overlap = threshold(op, 8, "IoU threshold"), least = threshold(op, 9, "minimum size");
  FailureOr<int64_t> before = op.integer(6, "number of boxes before NMS"),
                     after = op.integer(7, "number of boxes after NMS");
  if (!scores || !offsets || !anchors || !images || failed(strideY) || failed(strideX) || failed(overlap) ||
      failed(least) || failed(before) || failed(after))
    return failure();
  FailureOr<int64_t> rows = resultRows(op, mostProposed(shapeOf(scores), *before, *after));
  if (failed(rows))
    return failure();
  const auto limit = [](int64_t number) { return static_cast<uint32_t>(std::max<int64_t>(number, 0)); };
  return finish<nn::GenerateProposalsOp>(op, scores, offsets, anchors, images, *rows, *strideY, *strideX,
                                         limit(*before), limit(*after), *overlap, *least);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The operands that ROI_ALIGN and ROI_POOLING share.
struct RegionOperands {
  bool nchw;
  Value images, regions, batches;
  std::array<int64_t, 2> size{};
  APFloat strideY = APFloat(1.0f), strideX = APFloat(1.0f);
};

FailureOr<RegionOperands> regionOperands(NnapiOperation &op, uint32_t layout) {
  FailureOr<bool> nchw = isNchw(op, layout);
  if (failed(nchw))
    return failure();
  RegionOperands operands = {*nchw, imageValue(op, 0, "input", *nchw), op.value(1, "regions"),
                             op.value(2, "batch indices")};
  FailureOr<int64_t> height = count(op, 3, "height", 1), width = count(op, 4, "width", 1);
  FailureOr<APFloat> strideY = positive(op, 5, "height stride"), strideX = positive(op, 6, "width stride");
  if (!operands.images || !operands.regions || !operands.batches || failed(height) || failed(width) ||
      failed(strideY) || failed(strideX))
    return failure();
  operands.size = {*height, *width};
  operands.strideY = *strideY, operands.strideX = *strideX;
  return operands;
}

LogicalResult convertRoiPooling(NnapiOperation &op) {
  FailureOr<RegionOperands> operands = regionOperands(op, 7);
  if (failed(operands))
    return failure();
  return finishImage<nn::RoiPoolingOp>(op, operands->nchw, operands->images, operands->regions, operands->batches,
                                       operands->size, operands->strideY, operands->strideX);
}

LogicalResult convertRoiAlign(NnapiOperation &op) {
  FailureOr<RegionOperands> operands = regionOperands(op, 9);
  FailureOr<int64_t> samplesY = count(op, 7, "sampling ratio", 0), samplesX = count(op, 8, "sampling ratio", 0);
  if (failed(operands) || failed(samplesY) || failed(samplesX))
    return failure();
  return finishImage<nn::RoiAlignOp>(op, operands->nchw, operands->images, operands->regions, operands->batches,
                                     operands->size, operands->strideY, operands->strideX, *samplesY, *samplesX);
}

/// Bits of the positions [first, end).
constexpr uint64_t positions(unsigned first, unsigned end) { return (uint64_t(1) << end) - (uint64_t(1) << first); }

constexpr NnapiConverter kConverters[] = {
    {OperationType::AxisAlignedBboxTransform, 4, 4, 0, convertBboxTransform},
    {OperationType::BoxWithNmsLimit, 9, 9, positions(3, 9), convertBoxWithNmsLimit},
    {OperationType::DetectionPostprocessing, 14, 14, positions(3, 14), convertDetectionPostprocessing},
    {OperationType::GenerateProposals, 11, 11, positions(4, 11), convertGenerateProposals},
    {OperationType::HeatmapMaxKeypoint, 3, 3, positions(2, 3), convertHeatmapMaxKeypoint},
    {OperationType::RoiAlign, 10, 10, positions(3, 10), convertRoiAlign},
    {OperationType::RoiPooling, 8, 8, positions(3, 8), convertRoiPooling},
};

} // namespace

ArrayRef<NnapiConverter> nnapiDetectionConverters() { return kConverters; }

} // namespace avocet::compiler
