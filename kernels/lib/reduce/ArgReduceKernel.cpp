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

/// The first position along the axis whose element no other one beats, from `axis` on in steps of `inner`.
template <typename T, typename Beats>
int32_t firstOf(const T *axis, const ArgReduceParameters &parameters, Beats &&beats) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < parameters.extent; ++i)
    if (beats(axis[uint64_t(i) * parameters.inner], axis[uint64_t(best) * parameters.inner]))
      best = i;
  return static_cast<int32_t>(best);
}

template <typename T, typename Beats>
void findFirst(const DspCommand &command, std::span<uint8_t> sram, Beats &&beats) {
  auto parameters = parametersOf<ArgReduceParameters>(command);
  FeatureMapView<T> input(command.inputs[0], sram);
  FeatureMapView<int32_t> output(command.outputs[0], sram);
  uint64_t slice = uint64_t(parameters.extent) * parameters.inner;
  for (uint32_t y = 0; y < output.height(); ++y)
    for (uint32_t c = 0; c < output.channels(); ++c)
      output.row(y)[c] = firstOf(input.row(y) + c / parameters.inner * slice + c % parameters.inner, parameters, beats);
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
    AVOCET_RETURN_IF_ERROR(checkEqual("input0.width", input.width, "one pixel", 1));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.width", output.width, "one pixel", 1));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<ArgReduceParameters>(command.parameters));
    if (parameters.smallest > 1)
      return ruleBroken("smallest", parameters.smallest, "0 or 1");
    if (parameters.extent == 0 || parameters.inner == 0 || output.channels % parameters.inner != 0)
      return ruleBroken("inner", parameters.inner, "a divisor of a row of output0, and extent 1 or more");
    return checkEqual("a row of input0", input.channels, "extent times a row of output0",
                      uint64_t(parameters.extent) * output.channels);
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
