//===- LocalResponseKernel.cpp - Normalization by neighbors --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/LineSteps.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

class LocalResponseKernel : public LineKernel<LocalResponseParameters> {
public:
  KernelId id() const override { return kLocalResponseKernel; }

protected:
  Status checkLine(const DspCommand &command, const LocalResponseParameters &parameters) const override {
    AVOCET_RETURN_IF_ERROR(checkFloatLines(command));
    AVOCET_RETURN_IF_ERROR(checkFinite("bias", parameters.bias));
    AVOCET_RETURN_IF_ERROR(checkFinite("alpha", parameters.alpha));
    return checkFinite("beta", parameters.beta);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<LocalResponseParameters>(command);
    // sums[i]: squares of the elements before i. The sum of a window is a difference of two of them, for every radius.
    // They are doubles because a difference of floats would lose precision.
    std::vector<double> sums(uint64_t(parameters.extents.axis) + 1);
    forEachFloatLine(command, parameters.extents, sram,
                     [&](std::span<float> line) { replace(line, parameters, sums); });
  }

  // Square and sum, scale and bias, a power as logarithm and exponential, product.
  DspWork work(const DspCommand &command) const override { return elementWork(command, 40, DataType::Float32); }

private:
  static void replace(std::span<float> line, const LocalResponseParameters &parameters, std::vector<double> &sums) {
    for (size_t i = 0; i < line.size(); ++i)
      sums[i + 1] = sums[i] + double(line[i]) * double(line[i]);
    for (size_t i = 0; i < line.size(); ++i) {
      size_t first = i - std::min<size_t>(i, parameters.radius);
      size_t end = std::min(line.size(), i + parameters.radius + 1);
      auto sum = static_cast<float>(sums[end] - sums[first]);
      line[i] *= std::pow(parameters.bias + parameters.alpha * sum, -parameters.beta);
    }
  }
};

} // namespace

const Kernel &localResponseKernel() {
  static const LocalResponseKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
