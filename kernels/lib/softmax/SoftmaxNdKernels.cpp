//===- SoftmaxNdKernels.cpp - Softmax along any axis -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/Lines.h"
#include "softmax/SoftmaxLine.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

class SoftmaxNdKernel : public LineKernel<SoftmaxNdParameters> {
public:
  KernelId id() const override { return kSoftmaxNdKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type, {DataType::Int8, DataType::UInt8, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_ASSIGN_OR_RETURN(SoftmaxNdParameters parameters, unpackParameters<SoftmaxNdParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkLines(command, parameters.extents));
    return checkSoftmax(parameters.softmax, output, parameters.extents.axis);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<SoftmaxNdParameters>(command);
    auto replace = [&](auto line) {
      softmaxLine(parameters.softmax, line.data(), line.data(), static_cast<uint32_t>(line.size()));
    };
    if (isFloat(command.inputs[0].type))
      return forEachFloatLine(command, parameters.extents, sram, replace);
    if (command.inputs[0].type == DataType::Int8)
      return forEachLine<int8_t>(command, parameters.extents, sram, replace);
    forEachLine<uint8_t>(command, parameters.extents, sram, replace);
  }

  DspWork work(const DspCommand &command) const override {
    DataType type = command.inputs[0].type;
    return elementWork(command, softmaxOperations(type), softmaxType(type));
  }
};

class LogSoftmaxKernel : public LineKernel<LogSoftmaxParameters> {
public:
  KernelId id() const override { return kLogSoftmaxKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkFloatLines(command));
    AVOCET_ASSIGN_OR_RETURN(LogSoftmaxParameters parameters,
                            unpackParameters<LogSoftmaxParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkLines(command, parameters.extents));
    return checkFinite("beta", parameters.beta);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<LogSoftmaxParameters>(command);
    forEachFloatLine(command, parameters.extents, sram, [&](std::span<float> line) { replace(line, parameters.beta); });
  }

  // 20 operations: maximum, exponential and sum, a part of the logarithm, difference.
  DspWork work(const DspCommand &command) const override { return elementWork(command, 20, DataType::Float32); }

private:
  static void replace(std::span<float> line, float beta) {
    float largest = *std::max_element(line.begin(), line.end());
    float sum = 0;
    for (float &x : line) {
      x = (x - largest) * beta;
      sum += std::exp(x);
    }
    float logSum = std::log(sum);
    for (float &x : line)
      x -= logSum;
  }
};

} // namespace

const Kernel &softmaxNdKernel() {
  static const SoftmaxNdKernel kKernel;
  return kKernel;
}

const Kernel &logSoftmaxKernel() {
  static const LogSoftmaxKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
