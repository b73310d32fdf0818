//===- MeanKernel.cpp - Mean over rows, columns and channels --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Mean.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/NdShape.h"
#include "common/ReductionWork.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

MeanParameters prepareMean(float inputScale, float outputScale, uint64_t count) {
  Rescale rescale = prepareRequantize(inputScale, outputScale);
  if (rescale.shift >= kSaturatingShift)
    return {rescale.multiplier, rescale.shift};
  // The multiplier includes the division by count, with as many extra bits as count has: at most 32, and so few that
  // the right shift stays at most 31.
  int bits = std::min({63 - std::countl_zero(std::max<uint64_t>(count, 1)), 32, 31 + rescale.shift});
  MeanParameters parameters;
  parameters.multiplier = static_cast<int32_t>((int64_t(rescale.multiplier) << bits) / static_cast<int64_t>(count));
  parameters.shift = rescale.shift - bits;
  return parameters;
}

namespace {

/// Sums in S of elements of type T, one per output element, then one rounding.
template <typename T, typename S> class Mean {
public:
  Mean(const DspCommand &command, std::span<uint8_t> sram)
      : input_(command.inputs[0], sram), output_(command.outputs[0], sram),
        parameters_(parametersOf<MeanParameters>(command)), sums_(elementCount(command.outputs[0])) {}

  void run() {
    for (uint32_t y = 0; y < input_.height(); ++y)
      for (uint32_t x = 0; x < input_.width(); ++x)
        accumulate(input_.pixel(y, x), sums_.data() + sumIndex(keptRow(y), keptColumn(x)));
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < output_.width(); ++x)
        store(sums_.data() + sumIndex(y, x), output_.pixel(y, x));
  }

private:
  uint32_t keptRow(uint32_t y) const { return output_.height() == 1 ? 0 : y; }
  uint32_t keptColumn(uint32_t x) const { return output_.width() == 1 ? 0 : x; }
  uint64_t sumIndex(uint32_t y, uint32_t x) const { return (uint64_t(y) * output_.width() + x) * output_.channels(); }

  void accumulate(const T *pixel, S *sums) const {
    uint32_t step = output_.channels() == 1 ? 0 : 1;
    for (uint32_t c = 0; c < input_.channels(); ++c)
      sums[c * step] += static_cast<S>(pixel[c]);
  }

  void store(const S *sums, T *pixel) const {
    uint64_t count = elementCount(input_.map()) / elementCount(output_.map());
    for (uint32_t c = 0; c < output_.channels(); ++c)
      pixel[c] = finish(sums[c], count);
  }

  T finish(S sum, uint64_t count) const {
    if constexpr (std::numeric_limits<T>::is_integer) {
      auto centered = static_cast<int32_t>(sum - int64_t(input_.map().zeroPoint) * static_cast<int64_t>(count));
      int64_t scaled = multiplyRounded(centered, {parameters_.multiplier, parameters_.shift}, parameters_.rounding);
      return static_cast<T>(std::clamp<int64_t>(scaled + output_.map().zeroPoint, std::numeric_limits<T>::min(),
                                                std::numeric_limits<T>::max()));
    } else {
      return sum / static_cast<T>(count);
    }
  }

  FeatureMapView<T> input_, output_;
  MeanParameters parameters_;
  std::vector<S> sums_;
};

class MeanKernel : public AlignedKernel {
public:
  KernelId id() const override { return kMeanKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type, {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_RETURN_IF_ERROR(checkExtent("height", output.height, input.height));
    AVOCET_RETURN_IF_ERROR(checkExtent("width", output.width, input.width));
    AVOCET_RETURN_IF_ERROR(checkExtent("channels", output.channels, input.channels));
    AVOCET_ASSIGN_OR_RETURN(MeanParameters parameters, unpackParameters<MeanParameters>(command.parameters));
    if (isFloat(input.type))
      return checkEqual("rounding", static_cast<uint32_t>(parameters.rounding), "that of floats", 0);
    AVOCET_RETURN_IF_ERROR(checkRounding("rounding", parameters.rounding));
    return checkRescale("parameters", {parameters.multiplier, parameters.shift});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    if (command.inputs[0].type == DataType::Float32)
      return Mean<float, float>(command, sram).run();
    if (command.inputs[0].type == DataType::Int8)
      return Mean<int8_t, int64_t>(command, sram).run();
    if (command.inputs[0].type == DataType::Int16)
      return Mean<int16_t, int64_t>(command, sram).run();
    Mean<uint8_t, int64_t>(command, sram).run();
  }

  DspWork work(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    const DataType sums = isFloat(input.type)             ? DataType::Float32
                          : input.type == DataType::Int16 ? DataType::Int32
                                                          : DataType::Int16;
    const bool isDense = checkDense("input0", input).isOk();
    const bool keepsColumns = input.width == output.width, keepsChannels = input.channels == output.channels;
    if (!isDense && keepsColumns == keepsChannels) // the elements of a row do not follow each other
      return elementWork(command, 1, sums);
    return reductionWork(
        command,
        {{input.height, input.height != output.height},
         {input.width, input.width != output.width},
         {input.channels, input.channels != output.channels}},
        {.type = sums, .inAnyOrder = !isFloat(input.type), .isDense = isDense, .sumsBytes = sizeOf(input.type) == 1});
  }

private:
  static Status checkExtent(std::string_view axis, uint32_t output, uint32_t input) {
    if (output == 1 || output == input)
      return Status::ok();
    return ruleBroken("output0." + std::string(axis), output, "1 or the input's, " + std::to_string(input));
  }
};

} // namespace

const Kernel &meanKernel() {
  static const MeanKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
