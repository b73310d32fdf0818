//===- DynamicRowsKernels.cpp - Scales from the values, row by row --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Quantize.h"
#include "common/DynamicScale.h"
#include "common/ElementLoop.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "quantize/DynamicOperands.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// A map with one range in each row; the range is stored as two floats.
static_assert(sizeof(FloatRange) == 2 * sizeof(float) && alignof(FloatRange) <= 4);

Status checkRanges(const std::string &name, const FeatureMap &map) {
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {DataType::Float32}));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + ".width", map.width, "a range's", 1));
  return checkEqual(name + ".channels", map.channels, "a range's", 2);
}

DynamicScale scaleOf(const DspCommand &command, const FloatRange &range) {
  return {range, parametersOf<DynamicQuantizeParameters>(command).asymmetric != 0};
}

class RowRangeKernel : public AlignedKernel {
public:
  KernelId id() const override { return kRowRangeKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }
  MapAxis innermostAxis(const DspCommand &) const override { return MapAxis::Rows; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkRanges("output0", command.outputs[0]));
    AVOCET_RETURN_IF_ERROR(
        checkEqual("output0.height", command.outputs[0].height, "the input's", command.inputs[0].height));
    return checkEqual("parameters", command.parameters.size(), "this kernel's", 0);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    FeatureMapView<float> input(command.inputs[0], sram);
    FeatureMapView<FloatRange> ranges(command.outputs[0], sram);
    for (uint32_t y = 0; y < input.height(); ++y) {
      FloatRange range;
      for (uint32_t x = 0; x < input.width(); ++x)
        for (uint32_t c = 0; c < input.channels(); ++c)
          range.add(input.pixel(y, x)[c]);
      *ranges.row(y) = range;
    }
  }

  DspWork work(const DspCommand &command) const override { return rowWork(command, 2); }
};

class DynamicRecordKernel : public DspKernel {
public:
  KernelId id() const override { return kDynamicRecordKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkRanges("input0", command.inputs[0]));
    AVOCET_RETURN_IF_ERROR(checkRanges("output0", command.outputs[0]));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.height", command.outputs[0].height, "one range's", 1));
    AVOCET_RETURN_IF_ERROR(checkDynamicRecord("output1", command.outputs[1]));
    return checkDynamicParameters(command.parameters);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    FeatureMapView<FloatRange> ranges(command.inputs[0], sram);
    FloatRange whole;
    for (uint32_t y = 0; y < ranges.height(); ++y)
      whole.add(*ranges.row(y));
    *FeatureMapView<FloatRange>(command.outputs[0], sram).row(0) = whole;
    *FeatureMapView<DynamicRecord>(command.outputs[1], sram).row(0) = scaleOf(command, whole).record();
  }

  DspWork work(const DspCommand &command) const override {
    DspWork work = elementWork(command, 1, DataType::Float32);
    work.rows = 1; // a loop over the ranges
    return work;
  }
};

class DynamicValuesKernel : public AlignedKernel {
public:
  KernelId id() const override { return kDynamicValuesKernel; }

protected:
  OperandCount inputCount() const override { return 2; }
  OperandCount outputCount() const override { return 1; }
  /// Not channels: the range has channels of its own.
  MapAxis innermostAxis(const DspCommand &) const override { return MapAxis::Columns; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkRanges("input1", command.inputs[1]));
    AVOCET_RETURN_IF_ERROR(checkEqual("input1.height", command.inputs[1].height, "one range's", 1));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Int8}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    return checkDynamicParameters(command.parameters);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const FloatRange range = *FeatureMapView<FloatRange>(command.inputs[1], sram).row(0);
    const DynamicScale scale = scaleOf(command, range);
    forEachElement<float, int8_t>(command.inputs[0], command.outputs[0], sram,
                                  [&](float value) { return scale.quantized(value); });
  }

  DspWork work(const DspCommand &command) const override { return rowWork(command, 3); }
};

} // namespace

const Kernel &rowRangeKernel() {
  static const RowRangeKernel kKernel;
  return kKernel;
}

const Kernel &dynamicRecordKernel() {
  static const DynamicRecordKernel kKernel;
  return kKernel;
}

const Kernel &dynamicValuesKernel() {
  static const DynamicValuesKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
