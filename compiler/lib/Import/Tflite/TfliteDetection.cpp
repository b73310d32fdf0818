//===- TfliteDetection.cpp - Boxes of detected objects ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"
#include "avocet/compiler/Support/Refusal.h"

#include "flatbuffers/flexbuffers.h"

#include <cmath>
#include <cstdint>
#include <vector>

using namespace mlir;

namespace avocet::compiler {
namespace {

//===----------------------------------------------------------------------===//
// The custom operator TFLite_Detection_PostProcess
//===----------------------------------------------------------------------===//

/// Its options, a FlexBuffers map.
struct DetectionOptions {
  int64_t maxDetections = 0, maxClasses = 0, perClass = 0, classes = 0;
  bool regular = false;
  float scoreThreshold = 0, overlapThreshold = 0;
  std::array<float, 4> scales = {};
};

FailureOr<DetectionOptions> optionsOf(TfliteOperator &op) {
  ArrayRef<uint8_t> bytes = op.customOptions();
  const std::vector<uint8_t> aligned(bytes.begin(), bytes.end()); // the file does not align them
  if (aligned.empty() || !flexbuffers::VerifyBuffer(aligned.data(), aligned.size()))
    return op.malformed("has custom options that are not a FlexBuffer");
  const flexbuffers::Map map = flexbuffers::GetRoot(aligned.data(), aligned.size()).AsMap();
  const auto integer = [&](const char *key) { return map[key].AsInt64(); };
  const auto real = [&](const char *key) { return map[key].AsFloat(); };
  DetectionOptions options;
  options.maxDetections = integer("max_detections");
  options.maxClasses = integer("max_classes_per_detection");
  options.perClass = map["detections_per_class"].IsNull() ? 100 : integer("detections_per_class");
  options.classes = integer("num_classes");
  options.regular = map["use_regular_nms"].AsBool();
  options.scoreThreshold = real("nms_score_threshold");
  options.overlapThreshold = real("nms_iou_threshold");
  options.scales = {real("y_scale"), real("x_scale"), real("h_scale"), real("w_scale")};
  return options;
}

LogicalResult checkOptions(TfliteOperator &op, const DetectionOptions &options) {
  for (auto [name, count] :
       {std::pair("max_detections", options.maxDetections), std::pair("max_classes_per_detection", options.maxClasses),
        std::pair("detections_per_class", options.perClass), std::pair("num_classes", options.classes)})
    if (count < 1 || count > INT32_MAX)
      return op.malformed("has the option " + Twine(name) + " " + Twine(count) + ", must be 1 or more");
  for (float scale : options.scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return op.malformed("has the scale " + roundedText(scale) + ", must be positive");
  if (!(options.overlapThreshold > 0 && options.overlapThreshold <= 1))
    return op.malformed("has nms_iou_threshold " + roundedText(options.overlapThreshold) +
                        ", must be above 0 and at most 1");
  if (std::isnan(options.scoreThreshold))
    return op.malformed("has a nms_score_threshold that is not a number");
  return success();
}

/// Real values of an operand; UINT8 is dequantized as in TFLite's kernel.
Value realValue(TfliteOperator &op, uint32_t position, StringRef operand, size_t rank) {
  Value value = ofRank(op, op.value(position, operand), operand, rank);
  return !value || elementOf(value).isF32() ? value : createAs<nn::DequantizeOp>(op, op.builder().getF32Type(), value);
}

/// Binds a result of the kernel: as FLOAT32, which all four results are, and with zeros up to `rows` detections. Files
/// often declare these results without a shape.
LogicalResult finishDetection(TfliteOperator &op, Value value, int64_t rows, uint32_t position) {
  const Type declared = op.resultElement(position);
  if (!declared)
    return failure();
  value = castTo(op, value, op.builder().getF32Type());
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape.size() > 1 && shape[1] < rows) {
    Amounts amounts = {SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape.size(), 0)};
    amounts.high[1] = rows - shape[1];
    value = pad(op, value, amounts);
  }
  if (!value)
    return failure();
  if (!declared.isF32())
    return op.malformed("computes a result that is not of its declared type");
  return op.resultType(position, shapeOf(value)) ? op.finish(value, position) : failure();
}

/// One batch, with a number of classes that the options do not contradict.
LogicalResult checkShapes(TfliteOperator &op, Value scores, int64_t classes) {
  ArrayRef<int64_t> score = shapeOf(scores);
  if (score[0] != 1)
    return op.refuse("class predictions", "have one batch", std::to_string(score[0]));
  if (score[2] != classes && score[2] != classes + 1)
    return op.malformed("has scores of " + Twine(score[2]) + " classes, the option num_classes is " + Twine(classes));
  return success();
}

LogicalResult convertDetectionPostProcess(TfliteOperator &op) {
  if (op.numInputs() != 3 || op.numOutputs() != 4)
    return op.malformed("must have 3 operands and 4 results");
  FailureOr<DetectionOptions> options = optionsOf(op);
  if (failed(options) || failed(checkOptions(op, *options)))
    return failure();
  Value offsets = realValue(op, 0, "box encodings", 3), scores = realValue(op, 1, "class predictions", 3),
        anchors = realValue(op, 2, "anchors", 2);
  if (!offsets || !scores || !anchors || failed(checkShapes(op, scores, options->classes)))
    return failure();
  const int64_t rows = options->maxDetections * options->maxClasses;
  if (rows > INT32_MAX / 4)
    return op.refuse("result", "has fewer than 2^29 rows", std::to_string(rows));
  auto typeOf = [&](uint32_t, nn::ShapeRef shape, Type element) { return boundedType(op, shape, element); };
  auto detected = createWith<nn::DetectionPostprocessingOp>(
      op, typeOf, scores, offsets, anchors, options->scales, options->regular, options->maxDetections,
      options->maxClasses, options->perClass, APFloat(options->scoreThreshold), APFloat(options->overlapThreshold),
      /*background=*/shapeOf(scores)[2] > options->classes, /*firstLabel=*/0, /*tfliteRules=*/true);
  if (!detected)
    return failure();
  return success(succeeded(finishDetection(op, detected.getBoxes(), rows, 0)) &&
                 succeeded(finishDetection(op, detected.getClasses(), rows, 1)) &&
                 succeeded(finishDetection(op, detected.getBestScores(), rows, 2)) &&
                 succeeded(finishDetection(op, detected.getNumbers(), rows, 3)));
}

//===----------------------------------------------------------------------===//
// Non-maximum suppression
//===----------------------------------------------------------------------===//

/// A constant number.
FailureOr<float> scalar(TfliteOperator &op, uint32_t position, StringRef name) {
  FailureOr<double> value = op.number(position, name);
  if (failed(value))
    return failure();
  if (std::isnan(*value))
    return op.malformed("has a " + name + " that is not a number");
  return static_cast<float>(*value);
}

/// Version 5 has a sigma, and returns scores.
template <bool isV5> LogicalResult convertNonMaxSuppression(TfliteOperator &op) {
  Value boxes = op.value(0, "boxes"), scores = op.value(1, "scores");
  FailureOr<SmallVector<int64_t>> most = op.integers(2, "maximum number", 1);
  FailureOr<float> overlap = scalar(op, 3, "IoU threshold"), score = scalar(op, 4, "score threshold"),
                   sigma = isV5 ? scalar(op, 5, "sigma") : FailureOr<float>(0.0f);
  if (!boxes || !scores || failed(most) || failed(overlap) || failed(score) || failed(sigma))
    return failure();
  if (most->front() < 1 || most->front() > INT32_MAX)
    return op.refuse("maximum number", "is 1 or more", std::to_string(most->front()));
  auto typeOf = [&](uint32_t index, nn::ShapeRef shape, Type element) {
    if (isV5 || index != 1)
      return declaredType(op, isV5 || index == 0 ? index : 1, shape, element);
    return boundedType(op, shape, element);
  };
  auto selected = createWith<nn::NonMaxSuppressionOp>(op, typeOf, boxes, scores, most->front(), APFloat(*overlap),
                                                      APFloat(*score), APFloat(*sigma));
  if (!selected)
    return failure();
  return isV5 ? finishAll(op, selected.getResults()) : finishAll(op, {selected.getIndices(), selected.getNumber()});
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::NON_MAX_SUPPRESSION_V4, 5, 5, convertNonMaxSuppression<false>, 2, 2},
    {BuiltinOperator::NON_MAX_SUPPRESSION_V5, 6, 6, convertNonMaxSuppression<true>, 3, 3},
    {BuiltinOperator::CUSTOM, 0, kAnyNumber, convertDetectionPostProcess, 0, kAnyNumber,
     "TFLite_Detection_PostProcess"},
};

} // namespace

ArrayRef<TfliteConverter> tfliteDetectionConverters() { return kConverters; }

} // namespace avocet::compiler
