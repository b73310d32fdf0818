//===- OnnxDetection.cpp - Boxes that do not overlap ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many boxes are selected depends on data, so boxes and scores must be known, as inputs are whose values a run has.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Suppression.h"
#include "OnnxGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

FailureOr<Suppression> suppressionOf(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> most = SmallVector<int64_t>{0};
  FailureOr<float> overlap = 0.0f, score = 0.0f;
  if (op.hasInput(2))
    most = op.integers(2, "max_output_boxes_per_class", 1);
  if (op.hasInput(3))
    overlap = op.scalar(3, "iou_threshold");
  if (op.hasInput(4))
    score = op.scalar(4, "score_threshold");
  if (failed(most) || failed(overlap) || failed(score))
    return failure();
  return Suppression{most->front(), *overlap, op.hasInput(4) ? std::optional(*score) : std::nullopt};
}

LogicalResult convertNonMaxSuppression(OnnxOperation &op) {
  Value boxes = ofRank(op, op.value(0, "boxes"), "boxes", 3), scores = ofRank(op, op.value(1, "scores"), "scores", 3);
  const bool hasCenter = op.flag("center_point_box");
  FailureOr<Suppression> suppression = suppressionOf(op);
  if (!boxes || !scores || failed(suppression))
    return failure();
  const int64_t batches = shapeOf(boxes)[0], count = shapeOf(boxes)[1], classes = shapeOf(scores)[1];
  if (shapeOf(boxes)[2] != 4 || shapeOf(scores)[0] != batches || shapeOf(scores)[2] != count)
    return op.malformed("has boxes " + nn::textOf(shapeOf(boxes)) + " and scores " + nn::textOf(shapeOf(scores)));
  FailureOr<SmallVector<float>> corners = op.floats(0, "boxes"), values = op.floats(1, "scores");
  if (failed(corners) || failed(values))
    return failure();
  constexpr int64_t kMostPairs = 1 << 28; // that are compared: a small file must not ask for any amount of work
  const int64_t pairs = tensorOf(scores).getNumElements() * std::clamp<int64_t>(suppression->most, 1, count);
  if (pairs > kMostPairs)
    return op.refuse("boxes", "number of pairs", Twine(pairs), Twine(kMostPairs));
  SmallVector<int64_t> selected;
  for (int64_t batch = 0; batch < batches; ++batch) {
    SmallVector<Box> all;
    for (int64_t i = 0; i < count; ++i)
      all.push_back(Box::of(ArrayRef<float>(*corners).slice((batch * count + i) * 4, 4), hasCenter));
    for (int64_t kind = 0; kind < classes; ++kind)
      for (int64_t box :
           suppression->selected(all, ArrayRef<float>(*values).slice((batch * classes + kind) * count, count)))
        selected.append({batch, kind, box});
  }
  const auto rows = static_cast<int64_t>(selected.size()) / 3;
  if (rows == 0)
    return op.finishEmpty(RankedTensorType::get({0, 3}, op.builder().getI64Type()));
  return op.finish(int64Constant(op, {rows, 3}, selected));
}

constexpr OnnxConverter kConverters[] = {
    {"NonMaxSuppression", 10, 2, 5, convertNonMaxSuppression},
};

} // namespace

ArrayRef<OnnxConverter> onnxDetectionConverters() { return kConverters; }

} // namespace avocet::compiler
