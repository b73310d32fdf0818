//===- RmsNormalizeKernel.cpp - Lines with a mean square of 1 ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/LineSteps.h"
#include "normalize/SumOfSquares.h"

#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

struct RmsNormalizeRule : SumOfSquares {
  RmsNormalizeRule(const LineCommand<RmsNormalizeParameters> &line)
      : epsilon(line.parameters.epsilon), count(static_cast<float>(line.length())) {}

  void finish(const State &state, std::span<float> section) const {
    const float root = std::sqrt(state.sum / count + epsilon);
    for (float &x : section)
      x /= root;
  }

  const float epsilon, count;
};

class RmsNormalizeKernel : public LineKernel<RmsNormalizeParameters> {
public:
  KernelId id() const override { return kRmsNormalizeKernel; }

protected:
  Status checkLine(const DspCommand &command, const RmsNormalizeParameters &parameters) const override {
    AVOCET_RETURN_IF_ERROR(checkFloatLines(command));
    AVOCET_RETURN_IF_ERROR(checkFinite("epsilon", parameters.epsilon));
    return parameters.epsilon < 0 ? invalidArgument("epsilon must not be negative") : Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto line = *unpackLineCommand<RmsNormalizeParameters>(command.parameters);
    runFloatLines(command, line, sram, RmsNormalizeRule(line));
  }

  // Square and sum; quotient.
  DspWork work(const DspCommand &command) const override {
    const auto line = *unpackLineCommand<RmsNormalizeParameters>(command.parameters);
    return elementWork(command, line.step ? 2 : 4, DataType::Float32);
  }
};

} // namespace

const Kernel &rmsNormalizeKernel() {
  static const RmsNormalizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
