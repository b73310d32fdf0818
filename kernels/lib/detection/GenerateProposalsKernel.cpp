//===- GenerateProposalsKernel.cpp - Boxes from anchors at each pixel -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Suppression.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "detection/BoxTransform.h"
#include "detection/Reals.h"
#include "detection/Suppression.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

using Parameters = GenerateProposalsParameters;

uint32_t boxesOf(const Parameters &p) { return p.height * p.width * p.anchors; }

/// The boxes of one batch.
class Proposals {
public:
  Proposals(const Parameters &parameters, std::vector<float> scores, const float *offsets, const float *anchors,
            const float *image)
      : p_(parameters), scores_(std::move(scores)), boxes_(4 * scores_.size()) {
    for (uint32_t i = 0; i < scores_.size(); ++i) {
      const uint32_t anchor = i % p_.anchors, pixel = i / p_.anchors, row = pixel / p_.width;
      const float x = static_cast<float>(pixel % p_.width) * p_.strideX;
      const float y = static_cast<float>(row) * p_.strideY;
      const float *corners = anchors + size_t(4) * anchor;
      const float moved[4] = {corners[0] + x, corners[1] + y, corners[2] + x, corners[3] + y};
      transformBox(moved, offsets + size_t(4) * i, image, boxes_.data() + size_t(4) * i);
    }
    height_ = image[0], width_ = image[1];
  }

  std::vector<uint32_t> select() const {
    std::vector<uint32_t> candidates;
    for (uint32_t i = 0; i < scores_.size(); ++i)
      if (!std::isnan(scores_[i]))
        candidates.push_back(i);
    sortByScore(candidates, scores_);
    if (p_.mostBefore > 0)
      candidates.resize(std::min<size_t>(candidates.size(), p_.mostBefore));
    std::erase_if(candidates, [this](uint32_t i) { return !isUsable(box(i)); });
    return keepSeparate(candidates, p_.mostAfter > 0 ? p_.mostAfter : UINT32_MAX,
                        [this](uint32_t i, uint32_t j) { return overlapOf(box(i), box(j)) >= p_.overlapThreshold; });
  }

  float score(uint32_t i) const { return scores_[i]; }
  const float *box(uint32_t i) const { return boxes_.data() + size_t(4) * i; }

private:
  /// Whether the box is large enough and its center inside of the image.
  bool isUsable(const float *box) const {
    const float width = box[2] - box[0], height = box[3] - box[1];
    return width > p_.leastSize && height > p_.leastSize && box[0] + width / 2 < width_ &&
           box[1] + height / 2 < height_;
  }

  const Parameters &p_;
  std::vector<float> scores_, boxes_;
  float height_, width_;
};

class GenerateProposalsKernel : public DspKernel {
public:
  KernelId id() const override { return kGenerateProposalsKernel; }

protected:
  OperandCount inputCount() const override { return 4; }
  OperandCount outputCount() const override { return 3; }

  Status checkOperands(const DspCommand &command) const override {
    const auto &in = command.inputs, &out = command.outputs;
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<Parameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkPositive("strideY", p.strideY));
    AVOCET_RETURN_IF_ERROR(checkPositive("strideX", p.strideX));
    if (std::isnan(p.overlapThreshold) || std::isnan(p.leastSize))
      return invalidArgument("a threshold is not a number");
    AVOCET_RETURN_IF_ERROR(checkReals("input0", in[0], p.scoreScale, {p.batches, p.height, p.width, p.anchors}));
    AVOCET_RETURN_IF_ERROR(checkReals("input1", in[1], p.offsetScale, {p.batches, p.height, p.width, p.anchors, 4}));
    AVOCET_RETURN_IF_ERROR(checkReals("input2", in[2], p.anchorScale, {p.anchors, 4}));
    AVOCET_RETURN_IF_ERROR(checkReals("input3", in[3], p.imageScale, {p.batches, 2}));
    AVOCET_RETURN_IF_ERROR(checkReals("output0", out[0], p.resultScale, {p.results}));
    AVOCET_RETURN_IF_ERROR(checkReals("output1", out[1], p.boxScale, {p.results, 4}));
    return checkIndices("output2", out[2], {p.results});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto p = parametersOf<Parameters>(command);
    const auto &in = command.inputs;
    const std::vector<float> scores = readReals(in[0], p.scoreScale, sram),
                             offsets = readReals(in[1], p.offsetScale, sram),
                             anchors = readReals(in[2], p.anchorScale, sram),
                             images = readReals(in[3], p.imageScale, sram);
    std::vector<float> bestScores, boxes;
    std::vector<int32_t> batches;
    for (size_t batch = 0; batch < p.batches; ++batch) {
      const auto first = scores.begin() + static_cast<ptrdiff_t>(batch * boxesOf(p));
      const Proposals proposals(p, {first, first + boxesOf(p)}, offsets.data() + 4 * batch * boxesOf(p), anchors.data(),
                                images.data() + 2 * batch);
      for (uint32_t i : proposals.select()) {
        bestScores.push_back(proposals.score(i));
        boxes.insert(boxes.end(), proposals.box(i), proposals.box(i) + 4);
        batches.push_back(static_cast<int32_t>(batch));
      }
    }
    bestScores.resize(p.results);
    boxes.resize(size_t(4) * p.results);
    batches.resize(p.results);
    writeReals(command.outputs[0], p.resultScale, bestScores, sram);
    writeReals(command.outputs[1], p.boxScale, boxes, sram);
    std::ranges::copy(batches, denseData<int32_t>(command.outputs[2], sram));
  }

  /// 40 operations make a box, 12 compare it with a selected one.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<Parameters>(command);
    const uint64_t boxes = uint64_t(p.batches) * boxesOf(p);
    DspWork work = elementWork(command, 2, DataType::Float32);
    work.elementOps += boxes * 40 + 12 * boxes * std::min<uint64_t>(p.results, boxes);
    work.rows = boxes;
    return work;
  }
};

} // namespace

const Kernel &generateProposalsKernel() {
  static const GenerateProposalsKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
