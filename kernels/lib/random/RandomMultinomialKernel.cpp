//===- RandomMultinomialKernel.cpp - Random classes -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Random.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "random/Philox.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

enum { kLogits, kSeeds, kNumInputs };

/// Ok if the map is a matrix of this type and shape: one row of pixels.
Status checkMatrix(std::string_view name, const FeatureMap &map, DataType type, uint32_t rows, uint32_t columns) {
  const std::string prefix(name);
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {type}));
  AVOCET_RETURN_IF_ERROR(checkEqual(prefix + ".height", map.height, "that of a matrix", 1));
  AVOCET_RETURN_IF_ERROR(checkEqual(prefix + ".width", map.width, "the number of rows", rows));
  return checkEqual(prefix + ".channels", map.channels, "the number of columns", columns);
}

/// A row of floats; f16 becomes f32.
std::vector<float> rowOf(const FeatureMap &map, std::span<uint8_t> sram, uint32_t row) {
  const uint8_t *element = FeatureMapView<uint8_t>(map, sram).pixel(0, row);
  std::vector<float> values;
  for (uint32_t c = 0; c < map.channels; ++c, element += sizeOf(map.type))
    values.push_back(loadFloat(map.type, element));
  return values;
}

/// Sums of the classes' shares, each up to and including the class.
std::vector<double> sharesUpTo(std::span<const float> logits) {
  float largest = std::numeric_limits<float>::lowest();
  for (float logit : logits)
    if (std::isfinite(logit))
      largest = std::max(largest, logit);
  std::vector<double> sums;
  double sum = 0;
  for (float logit : logits) {
    if (std::isfinite(logit))
      sum += std::exp(double(logit) - double(largest));
    sums.push_back(sum);
  }
  return sums;
}

class RandomMultinomialKernel : public DspKernel {
public:
  KernelId id() const override { return kRandomMultinomialKernel; }

protected:
  OperandCount inputCount() const override { return kNumInputs; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(unpackParameters<RandomMultinomialParameters>(command.parameters).status());
    const FeatureMap &logits = command.inputs[kLogits], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(checkType("logits", logits.type, {DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkMatrix("logits", logits, logits.type, logits.width, logits.channels));
    AVOCET_RETURN_IF_ERROR(checkMatrix("seeds", command.inputs[kSeeds], DataType::Int32, 1, 2));
    return checkMatrix("output", output, DataType::Int32, logits.width, output.channels);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const FeatureMap &output = command.outputs[0];
    const int32_t *seeds = FeatureMapView<int32_t>(command.inputs[kSeeds], sram).row(0);
    const Philox random(static_cast<uint64_t>(int64_t{seeds[0]}), static_cast<uint64_t>(int64_t{seeds[1]}));
    const FeatureMap &logits = command.inputs[kLogits];
    const uint64_t firstRow = parametersOf<RandomMultinomialParameters>(command).firstRow;
    for (uint32_t row = 0; row < logits.width; ++row) {
      const std::vector<double> sums = sharesUpTo(rowOf(logits, sram, row));
      int32_t *samples = FeatureMapView<int32_t>(output, sram).pixel(0, row);
      for (uint32_t i = 0; i < output.channels; ++i) {
        const double share = random.real((firstRow + row) * output.channels + i) * sums.back();
        // Without any finite logit no class exceeds the share: the last one then.
        auto found = std::min(std::ranges::upper_bound(sums, share), sums.end() - 1);
        samples[i] = static_cast<int32_t>(found - sums.begin());
      }
    }
  }

  // The exponential of each logit, about 80 for a random number, and a search.
  DspWork work(const DspCommand &command) const override {
    DspWork work = elementWork(command, 20, DataType::Float32);
    work.elementOps += elementCount(command.outputs[0]) * (80 + command.inputs[kLogits].channels / 8);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override { return command.inputs[kLogits].width; }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    for (FeatureMap *map : {&part.inputs[kLogits], &part.outputs[0]})
      *map = sliceOf(*map, MapAxis::Columns, first, count);
    part.parameters[0] += first;
    return part;
  }
};

} // namespace

const Kernel &randomMultinomialKernel() {
  static const RandomMultinomialKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
