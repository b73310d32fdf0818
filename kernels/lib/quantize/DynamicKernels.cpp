//===- DynamicKernels.cpp - Quantization with scales of the run ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Quantize.h"
#include "common/DspKernel.h"
#include "common/DynamicScale.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <algorithm>
#include <string>

namespace avocet::kernels {
namespace {

/// A map that holds one firmware::DynamicRecord.
inline Status checkDynamicRecord(const std::string &name, const firmware::FeatureMap &record) {
  constexpr uint64_t kBytes = sizeof(firmware::DynamicRecord);
  AVOCET_RETURN_IF_ERROR(checkType(name, record.type, {firmware::DataType::Int8}));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + " bytes", elementCount(record), "the record's", kBytes));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + ".channels", record.channels, "the record's", kBytes));
  if (record.address.offset % 4 != 0 || record.firstRow != 0)
    return ruleBroken(name + ".address", record.address.offset, "a multiple of 4, with firstRow 0");
  return Status::ok();
}

inline Status checkDynamicParameters(std::span<const uint32_t> words) {
  AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<DynamicQuantizeParameters>(words));
  return parameters.asymmetric <= 1 ? Status::ok() : ruleBroken("asymmetric", parameters.asymmetric, "0 or 1");
}

/// elementWork of a command on f32, with loops over whole rows where the pixels of the input are dense.
inline DspWork rowWork(const firmware::DspCommand &command, uint64_t ops) {
  const firmware::FeatureMap &input = command.inputs[0];
  DspWork work = elementWork(command, ops, firmware::DataType::Float32);
  if (hasDenseRows(input))
    work.rows = input.height;
  return work;
}

} // namespace

using namespace firmware;

namespace {

/// Between steps the range is stored in the place of the record.
static_assert(sizeof(FloatRange) == sizeof(DynamicRecord) && alignof(FloatRange) <= 4);

DynamicQuantizeStep stepOf(const DspCommand &command) {
  if (command.parameters.size() == parameterCount<DynamicQuantizeParameters>())
    return DynamicQuantizeStep::All;
  return static_cast<DynamicQuantizeStep>(command.parameters.back());
}

bool findsRange(DynamicQuantizeStep step) {
  return step == DynamicQuantizeStep::FirstRange || step == DynamicQuantizeStep::Range;
}

class DynamicQuantizeKernel : public DspKernel {
public:
  KernelId id() const override { return kDynamicQuantizeKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Int8}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    AVOCET_RETURN_IF_ERROR(checkDynamicRecord("output1", command.outputs[1]));
    std::span<const uint32_t> words = command.parameters;
    if (words.size() == 2) {
      if (words[1] == 0 || words[1] > static_cast<uint32_t>(DynamicQuantizeStep::LastValues))
        return ruleBroken("step", words[1], "1 to 4");
      words = words.first(1);
    }
    return checkDynamicParameters(words);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const DynamicQuantizeStep step = stepOf(command);
    FloatRange &kept = *FeatureMapView<FloatRange>(command.outputs[1], sram).row(0);
    if (findsRange(step)) {
      kept = joined(step == DynamicQuantizeStep::Range ? kept : FloatRange(), command.inputs[0], sram);
      return;
    }
    const FloatRange range =
        step == DynamicQuantizeStep::All ? joined(FloatRange(), command.inputs[0], sram) : FloatRange(kept);
    const DynamicScale scale(range, command.parameters[0] != 0);
    forEachElement<float, int8_t>(command.inputs[0], command.outputs[0], sram,
                                  [&](float value) { return scale.quantized(value); });
    if (step != DynamicQuantizeStep::Values)
      *FeatureMapView<DynamicRecord>(command.outputs[1], sram).row(0) = scale.record();
  }

  /// The range costs two of the five operations per element; a command for the range alone writes no values.
  DspWork work(const DspCommand &command) const override {
    const DynamicQuantizeStep step = stepOf(command);
    const uint64_t ops = step == DynamicQuantizeStep::All ? 5 : findsRange(step) ? 2 : 3;
    DspWork work = rowWork(command, ops);
    if (findsRange(step))
      work.bytesWritten = byteCount(command.outputs[1]);
    return work;
  }

  /// Two parts, the range and the values; each of them is divided along the axes of the map.
  uint32_t partsOf(const DspCommand &command) const override {
    if (stepOf(command) == DynamicQuantizeStep::All)
      return 2;
    const auto axis = outermostAxis(command.inputs[0], MapAxis::Channels);
    return axis ? extentOf(command.inputs[0], *axis) : 1;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    const DynamicQuantizeStep step = stepOf(command);
    DspCommand part = command;
    if (step == DynamicQuantizeStep::All) {
      if (count == 1)
        part.parameters.push_back(
            static_cast<uint32_t>(first == 0 ? DynamicQuantizeStep::FirstRange : DynamicQuantizeStep::LastValues));
      return part;
    }
    const auto axis = outermostAxis(command.inputs[0], MapAxis::Channels);
    if (!axis)
      return part;
    const bool isLast = first + count == extentOf(command.inputs[0], *axis);
    for (FeatureMap *map : {&part.inputs[0], &part.outputs[0]})
      *map = sliceOf(*map, *axis, first, count);
    part.parameters.back() = static_cast<uint32_t>(stepOfPart(step, first == 0, isLast));
    return part;
  }

private:
  static DynamicQuantizeStep stepOfPart(DynamicQuantizeStep whole, bool isFirst, bool isLast) {
    if (findsRange(whole))
      return isFirst ? whole : DynamicQuantizeStep::Range;
    return isLast ? whole : DynamicQuantizeStep::Values;
  }

  static FloatRange joined(FloatRange range, const FeatureMap &map, std::span<uint8_t> sram) {
    FeatureMapView<float> input(map, sram);
    for (uint32_t y = 0; y < input.height(); ++y)
      for (uint32_t x = 0; x < input.width(); ++x)
        for (uint32_t c = 0; c < input.channels(); ++c) {
          range.min = std::min(range.min, input.pixel(y, x)[c]);
          range.max = std::max(range.max, input.pixel(y, x)[c]);
        }
    return range;
  }
};

} // namespace

const Kernel &dynamicQuantizeKernel() {
  static const DynamicQuantizeKernel kKernel;
  return kKernel;
}

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
