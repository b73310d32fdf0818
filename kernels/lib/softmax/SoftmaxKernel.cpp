//===- SoftmaxKernel.cpp - Softmax along the channels ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Softmax.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "softmax/SoftmaxLine.h"
#include "softmax/SoftmaxWork.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

class SoftmaxKernel : public AlignedKernel {
public:
  KernelId id() const override { return kSoftmaxKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }
  MapAxis innermostAxis(const DspCommand &) const override { return MapAxis::Columns; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type, {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float32}));
    const bool widens = input.type == DataType::Int8 && output.type == DataType::Int16;
    if (!widens)
      AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", output, "input0", input));
    AVOCET_ASSIGN_OR_RETURN(SoftmaxParameters parameters, unpackParameters<SoftmaxParameters>(command.parameters));
    return checkSoftmax(parameters, output, widens ? kWidenedSoftmaxZero : softmaxZeroPoint(output.type));
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<SoftmaxParameters>(command);
    if (command.inputs[0].type == DataType::Float32)
      return computePixels<float>(parameters, command, sram);
    if (command.inputs[0].type != command.outputs[0].type)
      return computePixels<int8_t, int16_t>(parameters, command, sram);
    if (command.inputs[0].type == DataType::Int8)
      return computePixels<int8_t>(parameters, command, sram);
    if (command.inputs[0].type == DataType::Int16)
      return computePixels<int16_t>(parameters, command, sram);
    computePixels<uint8_t>(parameters, command, sram);
  }

  DspWork work(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0];
    ExponentialLine line = softmaxInstructions(input.type, parametersOf<SoftmaxParameters>(command));
    if (command.outputs[0].type != input.type)
      line.lineEntries = 0; // more differences give 16-bit results
    return exponentialWork(command, {0, input.channels, 1}, line);
  }

private:
  template <typename In, typename Out = In>
  static void computePixels(const SoftmaxParameters &parameters, const DspCommand &command, std::span<uint8_t> sram) {
    FeatureMapView<In> input(command.inputs[0], sram);
    FeatureMapView<Out> output(command.outputs[0], sram);
    for (uint32_t y = 0; y < input.height(); ++y)
      for (uint32_t x = 0; x < input.width(); ++x)
        softmaxLine(parameters, input.pixel(y, x), output.pixel(y, x), input.channels());
  }
};

} // namespace

const Kernel &softmaxKernel() {
  static const SoftmaxKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
