//===- InstanceNormalizeKernel.cpp - Lines of mean 0 and variance 1 --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/LineSteps.h"

#include <array>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Sums of the elements and of the squared differences to their mean.
struct InstanceNormalizeRule {
  struct State {
    float sum = 0, squares = 0;
  };
  static constexpr uint32_t kPasses = 2;

  InstanceNormalizeRule(const LineCommand<InstanceNormalizeParameters> &line)
      : parameters(line.parameters), count(static_cast<float>(line.length())) {}

  State first() const { return {}; }

  void fold(uint32_t pass, State &state, std::span<const float> section) const {
    const float mean = state.sum / count;
    for (float x : section)
      (pass == 0 ? state.sum : state.squares) += pass == 0 ? x : (x - mean) * (x - mean);
  }

  void finish(const State &state, std::span<float> section) const {
    const float mean = state.sum / count, deviation = std::sqrt(state.squares / count + parameters.epsilon);
    for (float &x : section)
      x = (x - mean) / deviation * parameters.gamma + parameters.beta;
  }

  const InstanceNormalizeParameters &parameters;
  const float count;
};

class InstanceNormalizeKernel : public LineKernel<InstanceNormalizeParameters> {
public:
  KernelId id() const override { return kInstanceNormalizeKernel; }

protected:
  Status checkLine(const DspCommand &command, const InstanceNormalizeParameters &parameters) const override {
    AVOCET_RETURN_IF_ERROR(checkFloatLines(command));
    AVOCET_RETURN_IF_ERROR(checkFinite("gamma", parameters.gamma));
    AVOCET_RETURN_IF_ERROR(checkFinite("beta", parameters.beta));
    return checkFinite("epsilon", parameters.epsilon);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto line = *unpackLineCommand<InstanceNormalizeParameters>(command.parameters);
    runFloatLines(command, line, sram, InstanceNormalizeRule(line));
  }

  // Sum; difference, square and sum; difference, product and sum.
  DspWork work(const DspCommand &command) const override {
    const auto line = *unpackLineCommand<InstanceNormalizeParameters>(command.parameters);
    return elementWork(command, line.step ? std::array{1, 3, 3}[line.step->pass] : 7, DataType::Float32);
  }
};

} // namespace

const Kernel &instanceNormalizeKernel() {
  static const InstanceNormalizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
