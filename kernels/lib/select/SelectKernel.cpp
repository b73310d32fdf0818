//===- SelectKernel.cpp - One of two elements ----------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Select.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// T is an integer of the elements' size.
template <typename T> void selectElements(const DspCommand &command, std::span<uint8_t> sram) {
  FeatureMapView<uint8_t> condition(command.inputs[0], sram);
  FeatureMapView<T> a(command.inputs[1], sram), b(command.inputs[2], sram), output(command.outputs[0], sram);
  for (uint32_t y = 0; y < output.height(); ++y)
    for (uint32_t x = 0; x < output.width(); ++x) {
      const uint8_t *isA = condition.pixel(y, x);
      const T *fromA = a.pixel(y, x), *fromB = b.pixel(y, x);
      T *to = output.pixel(y, x);
      for (uint32_t c = 0; c < output.channels(); ++c)
        to[c] = isA[c] != 0 ? fromA[c] : fromB[c];
    }
}

class SelectKernel : public AlignedKernel {
public:
  KernelId id() const override { return kSelectKernel; }

protected:
  OperandCount inputCount() const override { return 3; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(checkEqual("parameters", command.parameters.size(), "none", 0));
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Bool8}));
    AVOCET_RETURN_IF_ERROR(checkType("input1", command.inputs[1].type, {output.type}));
    AVOCET_RETURN_IF_ERROR(checkType("input2", command.inputs[2].type, {output.type}));
    for (uint32_t i = 0; i < 3; ++i)
      AVOCET_RETURN_IF_ERROR(checkSameShape("input" + std::to_string(i), command.inputs[i], "output0", output));
    return Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    switch (sizeOf(command.outputs[0].type)) {
    case 1:
      return selectElements<uint8_t>(command, sram);
    case 2:
      return selectElements<uint16_t>(command, sram);
    case 4:
      return selectElements<uint32_t>(command, sram);
    default:
      return selectElements<uint64_t>(command, sram);
    }
  }

  DspWork work(const DspCommand &command) const override { return pointwiseWork(command, 1, command.outputs[0].type); }
};

} // namespace

const Kernel &selectKernel() {
  static const SelectKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
