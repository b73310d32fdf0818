//===- ArgReduceKernel.cpp - Where the largest element is ----- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Reduce.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// The first position along the width whose element no other one beats.
template <typename T, typename Beats>
void findFirst(const DspCommand &command, std::span<uint8_t> sram, Beats &&beats) {
  FeatureMapView<T> input(command.inputs[0], sram);
  FeatureMapView<int32_t> output(command.outputs[0], sram);
  for (uint32_t y = 0; y < output.height(); ++y) {
    int32_t *positions = output.row(y);
    for (uint32_t c = 0; c < output.channels(); ++c) {
      uint32_t best = 0;
      for (uint32_t x = 1; x < input.width(); ++x)
        if (beats(input.pixel(y, x)[c], input.pixel(y, best)[c]))
          best = x;
      positions[c] = static_cast<int32_t>(best);
    }
  }
}

class ArgReduceKernel : public DspKernel {
public:
  std::string_view name() const override { return "argReduce"; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type,
                  {DataType::Int8, DataType::UInt8, DataType::Int32, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.height", output.height, "input0.height", input.height));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.width", output.width, "one pixel", 1));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.channels", output.channels, "input0.channels", input.channels));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<ArgReduceParameters>(command.parameters));
    return parameters.smallest <= 1 ? Status::ok() : ruleBroken("smallest", parameters.smallest, "0 or 1");
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    bool smallest = parametersOf<ArgReduceParameters>(command).smallest != 0;
    withElementType(command.inputs[0].type, [&](auto element) {
      using T = decltype(element);
      if (smallest)
        findFirst<T>(command, sram, [](T a, T b) { return a < b; });
      else
        findFirst<T>(command, sram, [](T a, T b) { return a > b; });
    });
  }

  DspWork work(const DspCommand &command) const override { return elementWork(command, 3, DataType::Int32); }
};

} // namespace

const Kernel &argReduceKernel() {
  static const ArgReduceKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
