//===- DetectionPostprocessKernel.cpp - Results of a detector -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Detection.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/SlicedKernel.h"
#include "detection/Reals.h"
#include "detection/Suppression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace avocet::kernels {

using namespace firmware;

namespace {

using Parameters = DetectionPostprocessParameters;

/// Scores and boxes of one image.
class Detector {
public:
  /// `labels`: of each score, before firstLabel; null: the number of its class.
  Detector(const Parameters &parameters, const float *scores, const int32_t *labels, const float *offsets,
           const float *anchors)
      : p_(parameters), scores_(scores), labels_(labels), boxes_(size_t(4) * parameters.anchors) {
    for (size_t i = 0; i < p_.anchors; ++i)
      decode(offsets + i * p_.coordinates, anchors + i * 4, boxes_.data() + i * 4);
  }

  struct Result {
    uint32_t anchor, position; ///< position of the score
    uint32_t label;
  };

  /// Each class by itself, then the best of all classes.
  std::vector<Result> regular() const {
    std::vector<Result> results;
    for (uint32_t c = p_.background; c < p_.classes; ++c) {
      const auto scoreInClass = [&](size_t anchor) { return scoreOf(anchor, c); };
      for (uint32_t anchor : separate(scoreInClass, p_.maxPerClass))
        results.push_back(resultOf(anchor, c));
    }
    std::sort(results.begin(), results.end(), [this](const Result &a, const Result &b) {
      return std::tuple(-score(a), a.label, a.anchor) < std::tuple(-score(b), b.label, b.anchor);
    });
    results.resize(std::min<size_t>(results.size(), p_.maxDetections));
    return results;
  }

  /// The anchors with the best scores in any class.
  std::vector<uint32_t> best() const {
    return separate([this](size_t anchor) { return scoreOf(anchor, classesOf(anchor, 1).front()); }, p_.maxDetections);
  }

  /// The best classes of an anchor.
  std::vector<Result> resultsOf(uint32_t anchor) const {
    std::vector<Result> results;
    for (uint32_t c : classesOf(anchor, p_.maxClasses))
      results.push_back(resultOf(anchor, c));
    return results;
  }

  float score(const Result &result) const { return scores_[result.position]; }
  const float *box(const Result &result) const { return boxes_.data() + size_t(4) * result.anchor; }

private:
  /// In double, as TFLite's reference.
  void decode(const float *offset, const float *anchor, float *box) const {
    const auto center = [&](int axis, float scale) {
      return static_cast<float>(double(offset[axis]) / scale * anchor[axis + 2] + anchor[axis]);
    };
    const auto half = [&](int axis, float scale) {
      return static_cast<float>(0.5 * std::exp(double(offset[axis]) / scale) * anchor[axis]);
    };
    const float y = center(0, p_.scaleY), x = center(1, p_.scaleX), h = half(2, p_.scaleH), w = half(3, p_.scaleW);
    box[0] = y - h, box[1] = x - w, box[2] = y + h, box[3] = x + w;
  }

  float scoreOf(size_t anchor, uint32_t c) const { return scores_[anchor * p_.classes + c]; }

  Result resultOf(uint32_t anchor, uint32_t c) const {
    const uint32_t position = anchor * p_.classes + c;
    const uint32_t label = labels_ ? static_cast<uint32_t>(labels_[position]) : c - p_.background;
    return {anchor, position, label + p_.firstLabel};
  }

  std::vector<uint32_t> classesOf(size_t anchor, uint32_t most) const {
    std::vector<uint32_t> classes(p_.classes - p_.background);
    std::iota(classes.begin(), classes.end(), p_.background);
    const auto count = std::min<ptrdiff_t>(most, static_cast<ptrdiff_t>(classes.size()));
    std::partial_sort(classes.begin(), classes.begin() + count, classes.end(), [&](uint32_t i, uint32_t j) {
      const float a = rank(scoreOf(anchor, i)), b = rank(scoreOf(anchor, j));
      return a != b ? a > b : i < j;
    });
    classes.resize(static_cast<size_t>(count));
    return classes;
  }

  /// The score for comparisons, which a NaN would make inconsistent.
  static float rank(float score) { return std::isnan(score) ? -std::numeric_limits<float>::infinity() : score; }

  template <typename ScoreOf> std::vector<uint32_t> separate(ScoreOf &&scoreOf, uint32_t most) const {
    std::vector<float> scores(p_.anchors);
    std::vector<uint32_t> candidates;
    for (uint32_t i = 0; i < p_.anchors; ++i) {
      scores[i] = scoreOf(i);
      if (scores[i] > p_.scoreThreshold || (p_.tfliteRules && scores[i] == p_.scoreThreshold))
        candidates.push_back(i);
    }
    sortByScore(candidates, scores);
    return keepSeparate(candidates, most, [this](uint32_t i, uint32_t j) {
      const float overlap = overlapOf(boxes_.data() + size_t(4) * i, boxes_.data() + size_t(4) * j);
      return overlap > p_.overlapThreshold || (!p_.tfliteRules && overlap == p_.overlapThreshold);
    });
  }

  const Parameters &p_;
  const float *scores_;
  const int32_t *labels_;
  std::vector<float> boxes_;
};

/// The four results of all images, before they are stored.
struct Outputs {
  explicit Outputs(const Parameters &p, uint64_t results)
      : scores(p.batches * results), boxes(4 * p.batches * results), labels(p.batches * results), numbers(p.batches) {}

  void put(size_t at, const Detector &detector, const Detector::Result &result) {
    scores[at] = detector.score(result);
    std::copy_n(detector.box(result), 4, boxes.begin() + static_cast<ptrdiff_t>(4 * at));
    labels[at] = static_cast<int32_t>(result.label);
  }

  std::vector<float> scores, boxes;
  std::vector<int32_t> labels, numbers;
};

uint64_t resultsPerImage(const Parameters &p) { return uint64_t(p.maxDetections) * (p.regular ? 1 : p.maxClasses); }

/// With TFLite's rules, each box has room for maxClasses results.
void putBest(const Parameters &p, const Detector &detector, uint32_t batch, Outputs &outputs) {
  size_t next = batch * resultsPerImage(p);
  for (uint32_t anchor : detector.best()) {
    const std::vector<Detector::Result> results = detector.resultsOf(anchor);
    for (size_t i = 0; i < results.size(); ++i)
      outputs.put(next + i, detector, results[i]);
    next += p.tfliteRules ? p.maxClasses : results.size();
    outputs.numbers[batch] += static_cast<int32_t>(p.tfliteRules ? 1 : results.size());
  }
}

void putRegular(const Parameters &p, const Detector &detector, uint32_t batch, Outputs &outputs) {
  const std::vector<Detector::Result> results = detector.regular();
  for (size_t i = 0; i < results.size(); ++i)
    outputs.put(batch * resultsPerImage(p) + i, detector, results[i]);
  outputs.numbers[batch] = static_cast<int32_t>(results.size());
}

Status checkFlag(std::string_view name, uint32_t value) {
  return value <= 1 ? Status::ok() : ruleBroken(name, value, "0 or 1");
}

Status checkParameters(const Parameters &p) {
  AVOCET_RETURN_IF_ERROR(checkPositive("scaleY", p.scaleY));
  AVOCET_RETURN_IF_ERROR(checkPositive("scaleX", p.scaleX));
  AVOCET_RETURN_IF_ERROR(checkPositive("scaleH", p.scaleH));
  AVOCET_RETURN_IF_ERROR(checkPositive("scaleW", p.scaleW));
  AVOCET_RETURN_IF_ERROR(checkFlag("regular", p.regular));
  AVOCET_RETURN_IF_ERROR(checkFlag("background", p.background));
  AVOCET_RETURN_IF_ERROR(checkFlag("firstLabel", p.firstLabel));
  AVOCET_RETURN_IF_ERROR(checkFlag("tfliteRules", p.tfliteRules));
  if (std::isnan(p.scoreThreshold) || std::isnan(p.overlapThreshold))
    return invalidArgument("a threshold is not a number");
  if (p.coordinates < 4)
    return ruleBroken("coordinates", p.coordinates, "4 or more");
  return p.classes > p.background ? Status::ok() : ruleBroken("classes", p.classes, "more than the background");
}

Status checkLabels(const Parameters &p, const FeatureMap &labels) {
  if (p.regular || p.background)
    return invalidArgument("labels need the fields regular = 0 and background = 0");
  return checkIndices("input3", labels, {p.batches, p.anchors, p.classes});
}

class DetectionPostprocessKernel : public SlicedKernel<Parameters, &Parameters::batches> {
public:
  KernelId id() const override { return kDetectionPostprocessKernel; }

protected:
  bool isShared(size_t input) const override { return input == 2; }
  OperandCount inputCount() const override { return {3, 4}; }
  OperandCount outputCount() const override { return 4; }

  Status checkOperands(const DspCommand &command) const override {
    const auto &in = command.inputs, &out = command.outputs;
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<Parameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkParameters(p));
    const DataType type = in[0].type;
    AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float32, DataType::Float16}));
    for (DataType other : {in[1].type, in[2].type, out[0].type, out[1].type})
      AVOCET_RETURN_IF_ERROR(checkType("a real operand", other, {type}));
    if (in.size() == 4)
      AVOCET_RETURN_IF_ERROR(checkLabels(p, in[3]));
    const uint64_t classes = p.regular ? 1 : p.maxClasses;
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input0", in[0], {p.batches, p.anchors, p.classes}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input1", in[1], {p.batches, p.anchors, p.coordinates}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input2", in[2], {p.anchors, 4}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("output0", out[0], {p.batches, p.maxDetections, classes}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("output1", out[1], {p.batches, p.maxDetections, classes, 4}));
    AVOCET_RETURN_IF_ERROR(checkIndices("output2", out[2], {p.batches, p.maxDetections, classes}));
    return checkIndices("output3", out[3], {p.batches});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto p = parametersOf<Parameters>(command);
    const std::vector<float> scores = readReals(command.inputs[0], 1, sram),
                             offsets = readReals(command.inputs[1], 1, sram),
                             anchors = readReals(command.inputs[2], 1, sram);
    const int32_t *labels = command.inputs.size() == 4 ? denseData<int32_t>(command.inputs[3], sram) : nullptr;
    Outputs outputs(p, resultsPerImage(p));
    for (uint32_t batch = 0; batch < p.batches; ++batch) {
      const size_t first = size_t(batch) * p.anchors;
      const Detector detector(p, scores.data() + first * p.classes, labels ? labels + first * p.classes : nullptr,
                              offsets.data() + first * p.coordinates, anchors.data());
      (p.regular ? putRegular : putBest)(p, detector, batch, outputs);
    }
    writeReals(command.outputs[0], 1, outputs.scores, sram);
    writeReals(command.outputs[1], 1, outputs.boxes, sram);
    std::ranges::copy(outputs.labels, denseData<int32_t>(command.outputs[2], sram));
    std::ranges::copy(outputs.numbers, denseData<int32_t>(command.outputs[3], sram));
  }

  /// 40 operations decode a box; a comparison with each result takes 12 operations, for each class if regular.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<Parameters>(command);
    const uint64_t boxes = uint64_t(p.batches) * p.anchors;
    const uint64_t kept = std::min<uint64_t>(p.regular ? p.maxPerClass : p.maxDetections, p.anchors);
    DspWork work = elementWork(command, 2, DataType::Float32);
    work.elementOps += boxes * 40 + boxes * kept * 12 * (p.regular ? p.classes : 1);
    work.rows = boxes;
    return work;
  }
};

} // namespace

const Kernel &detectionPostprocessKernel() {
  static const DetectionPostprocessKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
