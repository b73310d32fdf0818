//===- NonMaxSuppressionKernel.cpp - Boxes by score -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Suppression.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "detection/Reals.h"
#include "detection/Suppression.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

using Parameters = NonMaxSuppressionParameters;

struct Candidate {
  uint32_t box;
  float score;
  size_t compared = 0; ///< selected boxes that have changed its score already
};

struct Selected {
  std::vector<int32_t> indices;
  std::vector<float> scores;
};

class Selection {
public:
  Selection(const Parameters &parameters, std::vector<float> boxes, const std::vector<float> &scores)
      : p_(parameters), boxes_(std::move(boxes)) {
    for (uint32_t i = 0; i < p_.boxes; ++i) {
      sortCorners(boxes_.data() + size_t(4) * i);
      if (scores[i] > p_.scoreThreshold)
        candidates_.push_back({i, scores[i]});
    }
  }

  Selected run() {
    const size_t most = std::min<size_t>(candidates_.size(), p_.results);
    while (selected_.indices.size() < most && !candidates_.empty())
      tryBest();
    return std::move(selected_);
  }

private:
  static void sortCorners(float *box) {
    for (int axis : {0, 1})
      if (box[axis] > box[axis + 2])
        std::swap(box[axis], box[axis + 2]);
  }

  /// Selects the best candidate if no box selected since its last comparison changes its score. TFLite's reference
  /// keeps a selected box as a candidate: one without an area overlaps nothing, and is selected again.
  void tryBest() {
    const auto best =
        std::max_element(candidates_.begin(), candidates_.end(), [](const Candidate &a, const Candidate &b) {
          return a.score < b.score || (a.score == b.score && a.box > b.box);
        });
    const float before = best->score;
    const bool isExcluded = !compare(*best);
    best->compared = selected_.indices.size();
    if (!isExcluded && best->score == before) {
      selected_.indices.push_back(static_cast<int32_t>(best->box));
      selected_.scores.push_back(before);
    }
    if (isExcluded || !(best->score > p_.scoreThreshold))
      candidates_.erase(best);
  }

  /// Reduces the score of the candidate; false if a selected box excludes it.
  bool compare(Candidate &candidate) const {
    for (size_t i = selected_.indices.size(); i-- > candidate.compared;) {
      const float overlap = overlapOf(boxes_.data() + size_t(4) * candidate.box,
                                      boxes_.data() + size_t(4) * static_cast<uint32_t>(selected_.indices[i]));
      if (overlap >= p_.overlapThreshold)
        return false;
      if (p_.sigma > 0)
        candidate.score *= std::exp(-0.5f / p_.sigma * overlap * overlap);
      if (candidate.score <= p_.scoreThreshold)
        break;
    }
    return true;
  }

  const Parameters &p_;
  std::vector<float> boxes_;
  std::vector<Candidate> candidates_;
  Selected selected_;
};

class NonMaxSuppressionKernel : public DspKernel {
public:
  KernelId id() const override { return kNonMaxSuppressionKernel; }

protected:
  OperandCount inputCount() const override { return 2; }
  OperandCount outputCount() const override { return 3; }

  Status checkOperands(const DspCommand &command) const override {
    const auto &in = command.inputs, &out = command.outputs;
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<Parameters>(command.parameters));
    if (std::isnan(p.overlapThreshold) || std::isnan(p.scoreThreshold) || !(p.sigma >= 0))
      return invalidArgument("a threshold is not a number, or sigma is negative");
    for (DataType type : {in[0].type, in[1].type, out[1].type})
      AVOCET_RETURN_IF_ERROR(checkType("a real operand", type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input0", in[0], {p.boxes, 4}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input1", in[1], {p.boxes}));
    AVOCET_RETURN_IF_ERROR(checkIndices("output0", out[0], {p.results}));
    AVOCET_RETURN_IF_ERROR(checkDenseCount("output1", out[1], {p.results}));
    return checkIndices("output2", out[2], {1});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto p = parametersOf<Parameters>(command);
    Selected selected =
        Selection(p, readReals(command.inputs[0], 1, sram), readReals(command.inputs[1], 1, sram)).run();
    *denseData<int32_t>(command.outputs[2], sram) = static_cast<int32_t>(selected.indices.size());
    selected.indices.resize(p.results);
    selected.scores.resize(p.results);
    std::ranges::copy(selected.indices, denseData<int32_t>(command.outputs[0], sram));
    writeReals(command.outputs[1], 1, selected.scores, sram);
  }

  /// 12 operations compare a box with a selected one.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<Parameters>(command);
    DspWork work = elementWork(command, 2, DataType::Float32);
    work.elementOps += 12ull * p.boxes * std::min(p.results, p.boxes);
    work.rows = p.boxes;
    return work;
  }
};

} // namespace

const Kernel &nonMaxSuppressionKernel() {
  static const NonMaxSuppressionKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
