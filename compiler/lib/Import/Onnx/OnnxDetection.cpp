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
#include "OnnxGraph.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Two coordinates along each axis.
struct Box {
  float low[2], high[2];

  /// Of two opposite corners [y, x, y, x], or of a center and extents [x, y, width, height].
  static Box of(ArrayRef<float> numbers, bool hasCenter) {
    Box box;
    for (size_t axis : {0, 1}) {
      const size_t first = hasCenter ? 1 - axis : axis;
      const float a = numbers[first], b = numbers[first + 2];
      box.low[axis] = hasCenter ? a - b / 2 : std::min(a, b);
      box.high[axis] = hasCenter ? a + b / 2 : std::max(a, b);
    }
    return box;
  }

  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }

  /// Whether the common part of both, divided by their union, is above the threshold.
  bool overlaps(const Box &other, float threshold) const {
    float common = 1;
    for (size_t axis : {0, 1})
      common *= std::max(std::min(high[axis], other.high[axis]) - std::max(low[axis], other.low[axis]), 0.0f);
    return common > 0 && area() > 0 && other.area() > 0 && common / (area() + other.area() - common) > threshold;
  }
};

struct Suppression {
  int64_t most;
  float overlap;
  std::optional<float> score; ///< others are not above it

  /// The boxes that are selected, best first.
  SmallVector<int64_t> operator()(ArrayRef<Box> boxes, ArrayRef<float> scores) const {
    SmallVector<int64_t> order(boxes.size()), selected;
    std::iota(order.begin(), order.end(), 0);
    llvm::erase_if(order, [&](int64_t i) { return std::isnan(scores[i]) || (score && !(scores[i] > *score)); });
    llvm::sort(order, [&](int64_t a, int64_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
    for (int64_t box : order) {
      if (static_cast<int64_t>(selected.size()) >= most)
        break;
      if (llvm::none_of(selected, [&](int64_t other) { return boxes[box].overlaps(boxes[other], overlap); }))
        selected.push_back(box);
    }
    return selected;
  }
};

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
      for (int64_t box : (*suppression)(all, ArrayRef<float>(*values).slice((batch * classes + kind) * count, count)))
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
