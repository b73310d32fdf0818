//===- QuantizeKernels.cpp - Conversions between types and scales ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "common/DspKernel.h"
#include "common/ElementLoop.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

/// Nearest integer, halves away from zero; far values and NaN become defined integers that leave room for a zero point.
static int32_t roundToInteger(float value) {
  constexpr float kFar = 1.0e9f;
  if (std::isnan(value))
    return 0;
  return static_cast<int32_t>(std::clamp(std::round(value), -kFar, kFar));
}

template <typename T> static T saturate(int64_t value) {
  return static_cast<T>(std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

static Status checkScale(const DspCommand &command) {
  AVOCET_ASSIGN_OR_RETURN(QuantizeParameters parameters, unpackParameters<QuantizeParameters>(command.parameters));
  if (!std::isfinite(parameters.scale) || parameters.scale <= 0)
    return invalidArgument("scale must be finite and positive");
  return Status::ok();
}

namespace {

/// One input, one output, same shape.
class ConversionKernel : public AlignedKernel {
protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    return checkConversion(command);
  }
  virtual Status checkConversion(const DspCommand &command) const = 0;
};

class QuantizeKernel : public ConversionKernel {
public:
  std::string_view name() const override { return "quantize"; }

protected:
  Status checkConversion(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(
        checkType("output0", command.outputs[0].type, {DataType::Int8, DataType::UInt8, DataType::Int16}));
    return checkScale(command);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    if (command.inputs[0].type == DataType::Float16)
      return computeFrom<_Float16>(command, sram);
    computeFrom<float>(command, sram);
  }

  DspWork work(const DspCommand &command) const override { return elementWork(command, 3, DataType::Float32); }

private:
  template <typename In> static void computeFrom(const DspCommand &command, std::span<uint8_t> sram) {
    float scale = parametersOf<QuantizeParameters>(command).scale;
    int32_t zeroPoint = command.outputs[0].zeroPoint;
    withElementType(command.outputs[0].type, [&](auto element) {
      using Out = decltype(element);
      if constexpr (std::numeric_limits<Out>::is_integer)
        forEachElement<In, Out>(command.inputs[0], command.outputs[0], sram, [&](In value) {
          return saturate<Out>(int64_t(roundToInteger(static_cast<float>(value) / scale)) + zeroPoint);
        });
    });
  }
};

class DequantizeKernel : public ConversionKernel {
public:
  std::string_view name() const override { return "dequantize"; }

protected:
  Status checkConversion(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type,
                                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Float16, DataType::Float32}));
    return checkScale(command);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    if (command.outputs[0].type == DataType::Float16)
      return computeTo<_Float16>(command, sram);
    computeTo<float>(command, sram);
  }

  DspWork work(const DspCommand &command) const override { return elementWork(command, 2, DataType::Float32); }

private:
  template <typename Out> static void computeTo(const DspCommand &command, std::span<uint8_t> sram) {
    double scale = parametersOf<QuantizeParameters>(command).scale;
    int64_t zeroPoint = command.inputs[0].zeroPoint;
    withElementType(command.inputs[0].type, [&](auto element) {
      using In = decltype(element);
      forEachElement<In, Out>(command.inputs[0], command.outputs[0], sram, [&](In value) {
        return static_cast<Out>(
            static_cast<float>(scale * static_cast<double>(static_cast<int64_t>(value) - zeroPoint)));
      });
    });
  }
};

class RequantizeKernel : public ConversionKernel {
public:
  std::string_view name() const override { return "requantize"; }

protected:
  Status checkConversion(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type,
                                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(
        checkType("output0", command.outputs[0].type, {DataType::Int8, DataType::UInt8, DataType::Int16}));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<RequantizeParameters>(command.parameters));
    return checkRescale("parameters", {parameters.multiplier, parameters.shift});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    withElementType(command.inputs[0].type, [&](auto element) { computeFrom<decltype(element)>(command, sram); });
  }

  DspWork work(const DspCommand &command) const override { return elementWork(command, 6, DataType::Int32); }

private:
  template <typename In> static void computeFrom(const DspCommand &command, std::span<uint8_t> sram) {
    if constexpr (std::numeric_limits<In>::is_integer)
      withElementType(command.outputs[0].type, [&](auto element) {
        using Out = decltype(element);
        if constexpr (std::numeric_limits<Out>::is_integer)
          convert<In, Out>(command, sram);
      });
  }

  template <typename In, typename Out> static void convert(const DspCommand &command, std::span<uint8_t> sram) {
    auto parameters = parametersOf<RequantizeParameters>(command);
    auto inputZeroPoint = static_cast<uint32_t>(command.inputs[0].zeroPoint);
    int64_t outputZeroPoint = command.outputs[0].zeroPoint;
    forEachElement<In, Out>(command.inputs[0], command.outputs[0], sram, [&](In value) {
      auto centred = static_cast<int32_t>(static_cast<uint32_t>(value) - inputZeroPoint);
      return saturate<Out>(multiplyByQuantizedMultiplier(centred, parameters.multiplier, parameters.shift) +
                           outputZeroPoint);
    });
  }
};

/// Smallest and largest element; 0 and 0 for NaNs alone.
struct FloatRange {
  float min = std::numeric_limits<float>::max();
  float max = std::numeric_limits<float>::lowest();
};

class DynamicQuantizeKernel : public DspKernel {
public:
  std::string_view name() const override { return "dynamicQuantize"; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &record = command.outputs[1];
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Int8}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    AVOCET_RETURN_IF_ERROR(checkType("output1", record.type, {DataType::Int8}));
    AVOCET_RETURN_IF_ERROR(checkEqual("output1 bytes", elementCount(record), "the record's", sizeof(DynamicRecord)));
    AVOCET_RETURN_IF_ERROR(checkEqual("output1.channels", record.channels, "the record's", sizeof(DynamicRecord)));
    if (record.address % 4 != 0 || record.firstRow != 0)
      return ruleBroken("output1.address", record.address, "a multiple of 4, with firstRow 0");
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<DynamicQuantizeParameters>(command.parameters));
    return parameters.asymmetric <= 1 ? Status::ok() : ruleBroken("asymmetric", parameters.asymmetric, "0 or 1");
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    FloatRange range = rangeOf(command.inputs[0], sram);
    bool asymmetric = parametersOf<DynamicQuantizeParameters>(command).asymmetric != 0;
    float inverse = 0;
    DynamicRecord record = asymmetric ? asymmetricRecord(range, inverse) : symmetricRecord(range, inverse);
    int32_t lowest = asymmetric ? -128 : -127;
    forEachElement<float, int8_t>(command.inputs[0], command.outputs[0], sram, [&](float value) {
      int32_t rounded = roundToInteger(static_cast<float>(record.zeroPoint) + value * inverse);
      return static_cast<int8_t>(std::clamp(rounded, lowest, 127));
    });
    *FeatureMapView<DynamicRecord>(command.outputs[1], sram).row(0) = record;
  }

  DspWork work(const DspCommand &command) const override { return elementWork(command, 5, DataType::Float32); }

private:
  static FloatRange rangeOf(const FeatureMap &map, std::span<uint8_t> sram) {
    FloatRange range;
    FeatureMapView<float> input(map, sram);
    for (uint32_t y = 0; y < input.height(); ++y)
      for (uint32_t x = 0; x < input.width(); ++x)
        for (uint32_t c = 0; c < input.channels(); ++c) {
          range.min = std::min(range.min, input.pixel(y, x)[c]);
          range.max = std::max(range.max, input.pixel(y, x)[c]);
        }
    return range.min <= range.max ? range : FloatRange{0, 0};
  }

  static DynamicRecord symmetricRecord(const FloatRange &range, float &inverse) {
    float magnitude = std::max(std::abs(range.min), std::abs(range.max));
    inverse = magnitude == 0 ? 0 : 127 / magnitude;
    return {magnitude == 0 ? 1 : magnitude / 127, 0};
  }

  static DynamicRecord asymmetricRecord(const FloatRange &range, float &inverse) {
    double low = std::min(0.0f, range.min), high = std::max(0.0f, range.max);
    inverse = 0;
    if (low == high)
      return {1, 0};
    double scale = (high - low) / 255;
    // The end of the range with the smaller rounding error decides the zero point.
    double fromLow = -128 - low / scale, fromHigh = 127 - high / scale;
    bool lowIsBetter = 128 + std::abs(low / scale) < 127 + std::abs(high / scale);
    double zeroPoint = std::clamp(std::round(lowIsBetter ? fromLow : fromHigh), -128.0, 127.0);
    inverse = 1.0f / static_cast<float>(scale);
    return {static_cast<float>(scale), std::isnan(zeroPoint) ? 0 : static_cast<int32_t>(zeroPoint)};
  }
};

} // namespace

const Kernel &quantizeKernel() {
  static const QuantizeKernel kKernel;
  return kKernel;
}

const Kernel &dequantizeKernel() {
  static const DequantizeKernel kKernel;
  return kKernel;
}

const Kernel &requantizeKernel() {
  static const RequantizeKernel kKernel;
  return kKernel;
}

const Kernel &dynamicQuantizeKernel() {
  static const DynamicQuantizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
