//===- PlaceDetection.cpp - Boxes and regions on the DSP --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "Views.h"

#include "avocet/kernels/dsp/Detection.h"
#include "avocet/kernels/dsp/Regions.h"
#include "avocet/kernels/dsp/Sort.h"
#include "avocet/kernels/dsp/Suppression.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

uint32_t extentOf(Value value, unsigned axis) { return static_cast<uint32_t>(tensorOf(value).getDimSize(axis)); }

/// Places one kernel that computes with stored values over all operands and results.
template <typename Parameters>
LogicalResult place(Operation *op, kernels::KernelId kernel, const Parameters &parameters, Placement &placement) {
  return placeWhole(op, kernel, kernels::packParameters(parameters), StoredValues::Computed, placement);
}

/// Whether an operation of one command has more bytes than the on-chip memory.
bool exceedsMemory(Operation *op, Placement &placement) {
  uint64_t bytes = 0;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      bytes += tensorOf(value).getNumElements() * sizeOf(quantizationOf(value).type);
  return bytes > placement.target().sram().bytes;
}

/// The scores without those of the background.
FailureOr<Value> withoutBackground(nn::DetectionPostprocessingOp op, uint32_t rows, uint32_t classes,
                                   Placement &placement) {
  Value scores = placement.operand(op.getScores());
  if (!op.getBackground())
    return scores;
  const auto stride = static_cast<int32_t>(classes);
  kernels::RearrangeParameters parameters;
  parameters.moves.push_back({0, 1, 0, {{rows, stride, stride - 1}, {classes - 1, 1, 1}}});
  return placeRearrange(op, scores, {rows, 1, classes - 1}, parameters, placement, placement.addLayer(op, "SLICE"));
}

/// Reduces scores of many classes to the best ones of each anchor and their labels, which can be done in pieces: the
/// detections need all anchors at once.
LogicalResult placeBestClasses(nn::DetectionPostprocessingOp op, kernels::DetectionPostprocessParameters parameters,
                               Placement &placement) {
  const uint32_t rows = parameters.batches * parameters.anchors, objects = parameters.classes - parameters.background;
  const kernels::TopKParameters best{rows, objects, std::min(parameters.maxClasses, objects)};
  FailureOr<Value> scores = withoutBackground(op, rows, parameters.classes, placement);
  if (failed(scores))
    return failure();
  const StorageShape shape = {rows, 1, best.count};
  const Type element = storageElement(tensorOf(op.getScores()).getElementType());
  FailureOr<npu::DspOp> topK =
      placement.dsp(op, {.kernel = kernels::kTopKKernel,
                         .parameters = kernels::packParameters(best),
                         .inputs = {*scores},
                         .inputZeroPoints = {0},
                         .results = {storageType(shape, element), storageType(shape, placement.builder().getI32Type())},
                         .resultZeroPoints = {0, 0},
                         .resultFills = {},
                         .rowWise = false,
                         .layer = placement.addLayer(op, "TOPK_V2")});
  if (failed(topK))
    return failure();
  parameters.classes = best.count;
  parameters.background = 0;
  Placement::Dsp dsp;
  dsp.kernel = kernels::kDetectionPostprocessKernel;
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {topK->getResult(0), placement.operand(op.getOffsets()), placement.operand(op.getAnchors()),
                topK->getResult(1)};
  dsp.inputZeroPoints.assign(dsp.inputs.size(), 0);
  for (Value result : op->getResults())
    dsp.results.push_back(storageType(tensorOf(result)));
  dsp.resultZeroPoints.assign(dsp.results.size(), 0);
  FailureOr<npu::DspOp> placed = placement.dsp(op, dsp);
  if (failed(placed))
    return failure();
  for (auto [result, storage] : llvm::zip(op->getResults(), placed->getResults()))
    placement.bind(result, storage);
  return success();
}

LogicalResult placeDetectionPostprocessing(nn::DetectionPostprocessingOp op, Placement &placement) {
  ArrayRef<float> scales = op.getScales();
  kernels::DetectionPostprocessParameters parameters;
  parameters.batches = extentOf(op.getScores(), 0);
  parameters.anchors = extentOf(op.getScores(), 1);
  parameters.classes = extentOf(op.getScores(), 2);
  parameters.coordinates = extentOf(op.getOffsets(), 2);
  parameters.scaleY = scales[0];
  parameters.scaleX = scales[1];
  parameters.scaleH = scales[2];
  parameters.scaleW = scales[3];
  parameters.regular = op.getRegular();
  parameters.maxDetections = static_cast<uint32_t>(op.getMaxDetections());
  parameters.maxClasses = static_cast<uint32_t>(op.getMaxClasses());
  parameters.maxPerClass = static_cast<uint32_t>(op.getMaxPerClass());
  parameters.scoreThreshold = op.getScoreThreshold().convertToFloat();
  parameters.overlapThreshold = op.getOverlapThreshold().convertToFloat();
  parameters.background = op.getBackground();
  parameters.firstLabel = static_cast<uint32_t>(op.getFirstLabel());
  parameters.tfliteRules = op.getTfliteRules();
  const bool hasFew = parameters.regular || parameters.classes <= parameters.background ||
                      parameters.classes - parameters.background <= parameters.maxClasses;
  if (!hasFew && exceedsMemory(op, placement))
    return placeBestClasses(op, parameters, placement);
  return place(op, kernels::kDetectionPostprocessKernel, parameters, placement);
}

LogicalResult placeBboxTransform(nn::AxisAlignedBboxTransformOp op, Placement &placement) {
  kernels::BoxTransformParameters parameters;
  parameters.boxes = extentOf(op.getBoxes(), 0);
  parameters.classes = extentOf(op.getOffsets(), 1) / 4;
  parameters.images = extentOf(op.getImages(), 0);
  parameters.boxScale = scaleOf(op.getBoxes());
  parameters.offsetScale = scaleOf(op.getOffsets());
  parameters.imageScale = scaleOf(op.getImages());
  parameters.resultScale = scaleOf(op.getOutput());
  return place(op, kernels::kBoxTransformKernel, parameters, placement);
}

LogicalResult placeHeatmapMaxKeypoint(nn::HeatmapMaxKeypointOp op, Placement &placement) {
  kernels::HeatmapKeypointParameters parameters;
  parameters.boxes = extentOf(op.getHeatmaps(), 0);
  parameters.size = extentOf(op.getHeatmaps(), 1);
  parameters.points = extentOf(op.getHeatmaps(), 3);
  parameters.heatScale = scaleOf(op.getHeatmaps());
  parameters.boxScale = scaleOf(op.getBoxes());
  parameters.scoreScale = scaleOf(op.getScores());
  parameters.positionScale = scaleOf(op.getPositions());
  return place(op, kernels::kHeatmapKeypointKernel, parameters, placement);
}

LogicalResult placeNonMaxSuppression(nn::NonMaxSuppressionOp op, Placement &placement) {
  kernels::NonMaxSuppressionParameters parameters;
  parameters.boxes = extentOf(op.getScores(), 0);
  parameters.results = extentOf(op.getIndices(), 0);
  parameters.overlapThreshold = op.getOverlapThreshold().convertToFloat();
  parameters.scoreThreshold = op.getScoreThreshold().convertToFloat();
  parameters.sigma = op.getSigma().convertToFloat();
  return place(op, kernels::kNonMaxSuppressionKernel, parameters, placement);
}

LogicalResult placeBoxWithNmsLimit(nn::BoxWithNmsLimitOp op, Placement &placement) {
  kernels::BoxNmsLimitParameters parameters;
  parameters.boxes = extentOf(op.getScores(), 0);
  parameters.classes = extentOf(op.getScores(), 1);
  parameters.results = extentOf(op.getBestScores(), 0);
  parameters.scoreScale = scaleOf(op.getScores());
  parameters.boxScale = scaleOf(op.getBoxes());
  parameters.scoreThreshold = op.getScoreThreshold().convertToFloat();
  parameters.most = op.getMost(); // -1 is UINT32_MAX, any number
  parameters.kernel = static_cast<kernels::NmsKernel>(op.getKernel());
  parameters.overlapThreshold = op.getOverlapThreshold().convertToFloat();
  parameters.sigma = op.getSigma().convertToFloat();
  parameters.nmsScoreThreshold = op.getNmsScoreThreshold().convertToFloat();
  return place(op, kernels::kBoxNmsLimitKernel, parameters, placement);
}

LogicalResult placeGenerateProposals(nn::GenerateProposalsOp op, Placement &placement) {
  kernels::GenerateProposalsParameters parameters;
  parameters.batches = extentOf(op.getScores(), 0);
  parameters.height = extentOf(op.getScores(), 1);
  parameters.width = extentOf(op.getScores(), 2);
  parameters.anchors = extentOf(op.getScores(), 3);
  parameters.results = extentOf(op.getBestScores(), 0);
  parameters.strideY = op.getStrideY().convertToFloat();
  parameters.strideX = op.getStrideX().convertToFloat();
  parameters.mostBefore = op.getMostBefore();
  parameters.mostAfter = op.getMostAfter();
  parameters.overlapThreshold = op.getOverlapThreshold().convertToFloat();
  parameters.leastSize = op.getLeastSize().convertToFloat();
  parameters.scoreScale = scaleOf(op.getScores());
  parameters.offsetScale = scaleOf(op.getOffsets());
  parameters.anchorScale = scaleOf(op.getAnchors());
  parameters.imageScale = scaleOf(op.getImages());
  parameters.resultScale = scaleOf(op.getBestScores());
  parameters.boxScale = scaleOf(op.getBestBoxes());
  return place(op, kernels::kGenerateProposalsKernel, parameters, placement);
}

template <typename Op> LogicalResult placeRegions(Op op, kernels::RegionsParameters parameters, Placement &placement) {
  parameters.batches = extentOf(op.getImages(), 0);
  parameters.height = extentOf(op.getImages(), 1);
  parameters.width = extentOf(op.getImages(), 2);
  parameters.channels = extentOf(op.getImages(), 3);
  parameters.regions = extentOf(op.getRois(), 0);
  parameters.outputHeight = extentOf(op.getOutput(), 1);
  parameters.outputWidth = extentOf(op.getOutput(), 2);
  parameters.strideY = op.getStrideY().convertToFloat();
  parameters.strideX = op.getStrideX().convertToFloat();
  parameters.imageScale = scaleOf(op.getImages());
  parameters.resultScale = scaleOf(op.getOutput());
  parameters.regionScale = scaleOf(op.getRois());
  return place(op, kernels::kRegionsKernel, parameters, placement);
}

LogicalResult placeRoiPooling(nn::RoiPoolingOp op, Placement &placement) {
  return placeRegions(op, {.kind = kernels::RegionKind::Largest}, placement);
}

LogicalResult placeRoiAlign(nn::RoiAlignOp op, Placement &placement) {
  kernels::RegionsParameters parameters;
  parameters.kind = kernels::RegionKind::Mean;
  parameters.samplesY = static_cast<uint32_t>(op.getSamplesY());
  parameters.samplesX = static_cast<uint32_t>(op.getSamplesX());
  return placeRegions(op, parameters, placement);
}

} // namespace

void addDetectionPlacers(PlacerTable &table) {
  table.add(placeDetectionPostprocessing);
  table.add(placeBboxTransform);
  table.add(placeHeatmapMaxKeypoint);
  table.add(placeNonMaxSuppression);
  table.add(placeBoxWithNmsLimit);
  table.add(placeGenerateProposals);
  table.add(placeRoiPooling);
  table.add(placeRoiAlign);
}

} // namespace avocet::compiler
