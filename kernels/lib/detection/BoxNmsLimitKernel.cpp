//===- BoxNmsLimitKernel.cpp - The best boxes of each class ---------------===//
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
#include <cstring>

namespace avocet::kernels {

using namespace firmware;

namespace {

using Parameters = BoxNmsLimitParameters;

/// Selects entries (box and class) of one batch after the other.
class Limiter {
public:
  Limiter(const Parameters &parameters, std::vector<float> scores, std::vector<float> boxes)
      : p_(parameters), scores_(std::move(scores)), boxes_(std::move(boxes)) {}

  /// Entries of boxes [first, end), sorted by class and score.
  void addBatch(uint32_t first, uint32_t end) {
    std::vector<uint32_t> batch;
    for (uint32_t c = 1; c < p_.classes; ++c)
      addClass(first, end, c, batch);
    sortByScore(batch, scores_);
    batch.resize(std::min<size_t>(batch.size(), p_.most));
    std::sort(batch.begin(), batch.end(), [this](uint32_t i, uint32_t j) {
      if (i % p_.classes != j % p_.classes)
        return i % p_.classes < j % p_.classes;
      return scores_[i] != scores_[j] ? scores_[i] > scores_[j] : i < j;
    });
    selected_.insert(selected_.end(), batch.begin(), batch.end());
  }

  const std::vector<uint32_t> &selected() const { return selected_; }
  float score(uint32_t entry) const { return scores_[entry]; }

private:
  void addClass(uint32_t first, uint32_t end, uint32_t c, std::vector<uint32_t> &batch) {
    std::vector<uint32_t> rest;
    for (uint32_t box = first; box < end; ++box)
      if (scores_[box * p_.classes + c] > p_.scoreThreshold)
        rest.push_back(box * p_.classes + c);
    for (uint32_t count = 0; count < p_.most && !rest.empty(); ++count) {
      const auto best = std::max_element(rest.begin(), rest.end(),
                                         [this](uint32_t i, uint32_t j) { return scores_[i] < scores_[j]; });
      const uint32_t entry = *best;
      rest.erase(best);
      batch.push_back(entry);
      std::erase_if(rest, [&](uint32_t other) {
        scores_[other] *= weight(overlapOf(boxes_.data() + size_t(4) * entry, boxes_.data() + size_t(4) * other));
        return !(scores_[other] >= p_.nmsScoreThreshold);
      });
    }
  }

  float weight(float overlap) const {
    if (p_.kernel == NmsKernel::Gaussian)
      return std::exp(-1.0f * overlap * overlap / p_.sigma);
    if (overlap < p_.overlapThreshold)
      return 1;
    return p_.kernel == NmsKernel::Linear ? 1 - overlap : 0;
  }

  const Parameters &p_;
  std::vector<float> scores_, boxes_;
  std::vector<uint32_t> selected_;
};

class BoxNmsLimitKernel : public DspKernel {
public:
  KernelId id() const override { return kBoxNmsLimitKernel; }

protected:
  OperandCount inputCount() const override { return 3; }
  OperandCount outputCount() const override { return 4; }

  Status checkOperands(const DspCommand &command) const override {
    const auto &in = command.inputs, &out = command.outputs;
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<Parameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkFigures(p));
    AVOCET_RETURN_IF_ERROR(checkType("output0", out[0].type, {in[0].type}));
    AVOCET_RETURN_IF_ERROR(checkType("output1", out[1].type, {in[1].type}));
    AVOCET_RETURN_IF_ERROR(checkReals("input0", in[0], p.scoreScale, {p.boxes, p.classes}));
    AVOCET_RETURN_IF_ERROR(checkReals("input1", in[1], p.boxScale, {p.boxes, p.classes, 4}));
    AVOCET_RETURN_IF_ERROR(checkIndices("input2", in[2], {p.boxes}));
    AVOCET_RETURN_IF_ERROR(checkReals("output0", out[0], p.scoreScale, {p.results}));
    AVOCET_RETURN_IF_ERROR(checkReals("output1", out[1], p.boxScale, {p.results, 4}));
    AVOCET_RETURN_IF_ERROR(checkIndices("output2", out[2], {p.results}));
    return checkIndices("output3", out[3], {p.results});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto p = parametersOf<Parameters>(command);
    Limiter limiter(p, readReals(command.inputs[0], p.scoreScale, sram),
                    readReals(command.inputs[1], p.boxScale, sram));
    const auto *batches = denseData<int32_t>(command.inputs[2], sram);
    for (uint32_t first = 0, end = 0; first < p.boxes; first = end) {
      while (end < p.boxes && batches[end] == batches[first])
        ++end;
      limiter.addBatch(first, end);
    }
    store(p, limiter, command, sram);
  }

  /// 12 operations compare two boxes.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<Parameters>(command);
    DspWork work = elementWork(command, 2, DataType::Float32);
    work.elementOps += 12ull * p.boxes * p.classes * std::min(p.most, p.boxes);
    work.rows = uint64_t(p.boxes) * p.classes;
    return work;
  }

private:
  static Status checkFigures(const Parameters &p) {
    if (p.classes < 2)
      return ruleBroken("classes", p.classes, "2 or more");
    if (static_cast<uint32_t>(p.kernel) > static_cast<uint32_t>(NmsKernel::Gaussian))
      return ruleBroken("kernel", static_cast<uint32_t>(p.kernel), "0, 1 or 2");
    if (std::isnan(p.scoreThreshold) || std::isnan(p.overlapThreshold) || std::isnan(p.nmsScoreThreshold))
      return invalidArgument("a threshold is not a number");
    return checkPositive("sigma", p.sigma);
  }

  /// Boxes keep their stored bits.
  static void store(const Parameters &p, const Limiter &limiter, const DspCommand &command, std::span<uint8_t> sram) {
    const uint64_t boxBytes = uint64_t(4) * sizeOf(command.inputs[1].type);
    const auto *boxes = denseData<uint8_t>(command.inputs[1], sram);
    const auto *batches = denseData<int32_t>(command.inputs[2], sram);
    auto *outputBoxes = denseData<uint8_t>(command.outputs[1], sram);
    const uint64_t count = std::min<uint64_t>(limiter.selected().size(), p.results);
    std::vector<float> scores(p.results), noBox(size_t(4) * p.results);
    std::vector<int32_t> classes(p.results), owners(p.results);
    writeReals(command.outputs[1], p.boxScale, noBox, sram);
    for (uint64_t i = 0; i < count; ++i) {
      const uint32_t entry = limiter.selected()[i];
      scores[i] = limiter.score(entry);
      classes[i] = static_cast<int32_t>(entry % p.classes);
      owners[i] = batches[entry / p.classes];
      std::memcpy(outputBoxes + i * boxBytes, boxes + entry * boxBytes, boxBytes);
    }
    writeReals(command.outputs[0], p.scoreScale, scores, sram);
    std::ranges::copy(classes, denseData<int32_t>(command.outputs[2], sram));
    std::ranges::copy(owners, denseData<int32_t>(command.outputs[3], sram));
  }
};

} // namespace

const Kernel &boxNmsLimitKernel() {
  static const BoxNmsLimitKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
