//===- RequantizeKernel.cpp - Integers of one scale to another ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/RescaleRow.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace avocet::kernels {

using namespace firmware;

namespace {

template <typename T> T saturate(int64_t value) {
  return static_cast<T>(std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// Whether each channel has a multiplier of its own.
bool hasRecords(const DspCommand &command) { return command.inputs.size() == 2; }

/// The zero points, the clamp and the rounding of a command with results of type Out, without its multiplier.
template <typename Out> RowRescale rescaleOf(const DspCommand &command, const RequantizeParameters &parameters) {
  RowRescale rescale;
  rescale.zeroInput = command.inputs[0].zeroPoint;
  rescale.zeroOutput = command.outputs[0].zeroPoint;
  rescale.low = saturate<Out>(parameters.min);
  rescale.high = saturate<Out>(parameters.max);
  rescale.rounding = parameters.rounding;
  return rescale;
}

/// One element; sums of 64 bits are rounded once.
template <typename In> int32_t rescaled(const RowRescale &rescale, In x) {
  if constexpr (sizeof(In) < sizeof(int64_t))
    return rescale(x);
  const int64_t scaled = multiplyByQuantizedMultiplier64(x, rescale.above.multiplier, rescale.above.shift);
  return static_cast<int32_t>(std::clamp<int64_t>(scaled + rescale.zeroOutput, rescale.low, rescale.high));
}

template <typename In, typename Out>
void rescaleAlike(const DspCommand &command, const RequantizeParameters &parameters, std::span<uint8_t> sram) {
  RowRescale rescale = rescaleOf<Out>(command, parameters);
  rescale.above = {parameters.multiplier, parameters.shift};
  rescale.below = parameters.hasSlope != 0 ? Rescale{parameters.slope, parameters.slopeShift} : rescale.above;
  forEachRun<In, Out>(command.inputs[0], command.outputs[0], sram, [&](const In *from, Out *to, size_t count) {
    if constexpr (std::is_same_v<In, int64_t>)
      std::transform(from, from + count, to, [&](In x) { return static_cast<Out>(rescaled(rescale, x)); });
    else
      rescaleRow(rescale, from, to, count);
  });
}

template <typename In, typename Out>
void rescaleChannels(const DspCommand &command, const RequantizeParameters &parameters, std::span<uint8_t> sram) {
  const FeatureMap &output = command.outputs[0];
  FeatureMapView<In> in(command.inputs[0], sram);
  FeatureMapView<int64_t> records(command.inputs[1], sram);
  FeatureMapView<Out> out(output, sram);
  RowRescale rescale = rescaleOf<Out>(command, parameters);
  for (uint32_t y = 0; y < output.height; ++y)
    for (uint32_t x = 0; x < output.width; ++x) {
      const int64_t *record = records.pixel(records.height() == 1 ? 0 : y, records.width() == 1 ? 0 : x);
      for (uint32_t c = 0; c < output.channels; ++c) {
        rescale.above = rescale.below = unpackRescale(record[c]);
        out.pixel(y, x)[c] = static_cast<Out>(rescaled(rescale, in.pixel(y, x)[c]));
      }
    }
}

/// Calls f with an object of the C++ type of an integer.
template <typename F> void withInteger(DataType type, F &&f) {
  withNumberType(type, [&](auto element) {
    if constexpr (std::numeric_limits<decltype(element)>::is_integer)
      f(element);
  });
}

class RequantizeKernel : public AlignedKernel {
public:
  KernelId id() const override { return kRequantizeKernel; }

protected:
  OperandCount inputCount() const override { return {1, 2}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    AVOCET_RETURN_IF_ERROR(checkIntegers("input0", command.inputs[0]));
    AVOCET_RETURN_IF_ERROR(checkIntegers("output0", command.outputs[0]));
    if (command.outputs[0].type == DataType::Int64)
      return invalidArgument("output0 must have at most 32 bits");
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<RequantizeParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkRounding("rounding", parameters.rounding));
    AVOCET_RETURN_IF_ERROR(hasRecords(command) ? checkRecords(command, parameters)
                                               : checkMultiplier(command, parameters));
    return checkClamp({parameters.min, parameters.max}, command.outputs[0].type);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto parameters = parametersOf<RequantizeParameters>(command);
    withInteger(command.inputs[0].type, [&](auto from) {
      withInteger(command.outputs[0].type, [&](auto to) {
        using In = decltype(from);
        using Out = decltype(to);
        if constexpr (!std::is_same_v<Out, int64_t>)
          hasRecords(command) ? rescaleChannels<In, Out>(command, parameters, sram)
                              : rescaleAlike<In, Out>(command, parameters, sram);
      });
    });
  }

  DspWork work(const DspCommand &command) const override {
    return pointwiseWork(command, 6, command.inputs[0].type == DataType::Int64 ? DataType::Int64 : DataType::Int32);
  }

private:
  static Status checkIntegers(std::string_view name, const FeatureMap &map) {
    AVOCET_RETURN_IF_ERROR(checkType(
        name, map.type,
        {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16, DataType::Int32, DataType::Int64}));
    const bool isWide = map.type == DataType::Int64 || (map.type == DataType::Int32 && name == "output0");
    if (isWide && map.zeroPoint != 0)
      return ruleBroken(std::string(name) + ".zeroPoint", map.zeroPoint, "0 for i32 and i64");
    return Status::ok();
  }

  static Status checkMultiplier(const DspCommand &command, const RequantizeParameters &parameters) {
    const bool isWide = command.inputs[0].type == DataType::Int64;
    AVOCET_RETURN_IF_ERROR(
        checkRescale("parameters", {parameters.multiplier, parameters.shift}, isWide ? kLeastWideShift : kLeastShift));
    if (parameters.hasSlope > (isWide ? 0 : 1))
      return ruleBroken("hasSlope", parameters.hasSlope, isWide ? "0 for i64" : "0 or 1");
    const int32_t magnitude = parameters.slope < 0 ? -std::max(parameters.slope, -INT32_MAX) : parameters.slope;
    return checkRescale("slope", {magnitude, parameters.slopeShift});
  }

  /// Records come from memory: results are defined for any contents.
  static Status checkRecords(const DspCommand &command, const RequantizeParameters &parameters) {
    const FeatureMap &records = command.inputs[1];
    AVOCET_RETURN_IF_ERROR(checkType("input1", records.type, {DataType::Int64}));
    const FeatureMap &output = command.outputs[0];
    if ((records.height != 1 && records.height != output.height) ||
        (records.width != 1 && records.width != output.width))
      return invalidArgument("input1 must have one row of one pixel, or the shape of output0");
    AVOCET_RETURN_IF_ERROR(checkEqual("input1.channels", records.channels, "output0.channels", output.channels));
    if (parameters.multiplier != 0 || parameters.shift != 0 || parameters.hasSlope != 0 || parameters.slope != 0 ||
        parameters.slopeShift != 0)
      return invalidArgument("multipliers of the parameters must be 0 with those of input1");
    return Status::ok();
  }
};

} // namespace

const Kernel &requantizeKernel() {
  static const RequantizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
