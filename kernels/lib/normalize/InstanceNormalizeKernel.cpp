//===- InstanceNormalizeKernel.cpp - Lines of mean 0 and variance 1 --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/Lines.h"

#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

class InstanceNormalizeKernel : public LineKernel<InstanceNormalizeParameters> {
public:
  KernelId id() const override { return kInstanceNormalizeKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkFloatLines(command));
    AVOCET_ASSIGN_OR_RETURN(InstanceNormalizeParameters parameters,
                            unpackParameters<InstanceNormalizeParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkLines(command, parameters.extents));
    AVOCET_RETURN_IF_ERROR(checkFinite("gamma", parameters.gamma));
    AVOCET_RETURN_IF_ERROR(checkFinite("beta", parameters.beta));
    return checkFinite("epsilon", parameters.epsilon);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<InstanceNormalizeParameters>(command);
    forEachFloatLine(command, parameters.extents, sram, [&](std::span<float> line) { replace(line, parameters); });
  }

  // 7 operations: sum; difference, square and sum; difference, product and sum.
  DspWork work(const DspCommand &command) const override { return elementWork(command, 7, DataType::Float32); }

private:
  static void replace(std::span<float> line, const InstanceNormalizeParameters &parameters) {
    const auto count = static_cast<float>(line.size());
    float sum = 0, squares = 0;
    for (float x : line)
      sum += x;
    const float mean = sum / count;
    for (float x : line)
      squares += (x - mean) * (x - mean);
    const float deviation = std::sqrt(squares / count + parameters.epsilon);
    for (float &x : line)
      x = (x - mean) / deviation * parameters.gamma + parameters.beta;
  }
};

} // namespace

const Kernel &instanceNormalizeKernel() {
  static const InstanceNormalizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
