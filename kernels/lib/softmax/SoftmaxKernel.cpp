//===- SoftmaxKernel.cpp - Softmax along the channels ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/FixedPoint.h"
#include "common/Kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

/// Integer bits of the scaled differences and of the sum of exponentials.
static constexpr int kDifferenceBits = 5;
static constexpr int kSumBits = 12;
static constexpr uint32_t kMaxIntegerChannels = (1u << kSumBits) - 1;

SoftmaxParameters prepareSoftmax(float beta, float inputScale) {
  double real = std::min(double(beta) * double(inputScale) * double(1 << (31 - kDifferenceBits)), 2147483647.0);
  Rescale rescale = quantizeMultiplier(real);
  SoftmaxParameters parameters;
  parameters.multiplier = rescale.multiplier;
  parameters.shift = rescale.shift;
  parameters.beta = beta;
  // The largest difference whose scaled form still fits.
  double radius = double((1 << kDifferenceBits) - 1) * double(int64_t(1) << (31 - kDifferenceBits));
  parameters.diffMin = -static_cast<int32_t>(std::floor(radius / std::ldexp(1.0, std::max(rescale.shift, 0))));
  return parameters;
}

static void softmaxPixel(const SoftmaxParameters &parameters, const float *input, float *output, uint32_t channels) {
  float largest = *std::max_element(input, input + channels);
  float sum = 0;
  for (uint32_t c = 0; c < channels; ++c) {
    output[c] = std::exp((input[c] - largest) * parameters.beta);
    sum += output[c];
  }
  for (uint32_t c = 0; c < channels; ++c)
    output[c] /= sum;
}

/// exp of one difference to the maximum in Q0.31; false when it is too small to count.
static bool exponential(const SoftmaxParameters &parameters, int32_t difference, int32_t &result) {
  if (difference < parameters.diffMin)
    return false;
  int32_t scaled = multiplyByQuantizedMultiplier(difference, parameters.multiplier, parameters.shift);
  result = FixedPoint<int32_t>::expOnNegative<kDifferenceBits>(scaled);
  return true;
}

template <typename T>
static void softmaxPixel(const SoftmaxParameters &parameters, const T *input, T *output, uint32_t channels) {
  using Fixed = FixedPoint<int32_t>;
  constexpr int32_t kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  int32_t largest = *std::max_element(input, input + channels);
  int32_t sum = 0, e = 0;
  for (uint32_t c = 0; c < channels; ++c)
    if (exponential(parameters, input[c] - largest, e))
      sum = Fixed::add(sum, Fixed::divideByPowerOfTwo(e, kSumBits));
  // The maximum itself contributes about one, so the sum is positive.
  int headroom = std::countl_zero(static_cast<uint32_t>(sum));
  auto fraction = static_cast<int32_t>((static_cast<uint32_t>(sum) << headroom) - (uint32_t(1) << 31));
  int32_t reciprocal = Fixed::oneOverOnePlus(fraction);
  int exponent = std::clamp(kSumBits - headroom + 31 - 8, 0, 31);
  for (uint32_t c = 0; c < channels; ++c) {
    int32_t value = 0;
    if (exponential(parameters, input[c] - largest, e))
      value = Fixed::divideByPowerOfTwo(Fixed::multiply(reciprocal, e), exponent);
    output[c] = static_cast<T>(std::clamp(value + kLowest, kLowest, kHighest));
  }
}

namespace {

class SoftmaxKernel : public DspKernel {
public:
  std::string_view name() const override { return "softmax"; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(checkType("input0", input.type, {DataType::Int8, DataType::UInt8, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", output, "input0", input));
    AVOCET_ASSIGN_OR_RETURN(SoftmaxParameters parameters, unpackParameters<SoftmaxParameters>(command.parameters));
    if (!isFloat(input.type))
      return checkInteger(input, output, parameters);
    if (!std::isfinite(parameters.beta))
      return invalidArgument("beta must be finite");
    return Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<SoftmaxParameters>(command);
    if (command.inputs[0].type == DataType::Float32)
      return computePixels<float>(parameters, command, sram);
    if (command.inputs[0].type == DataType::Int8)
      return computePixels<int8_t>(parameters, command, sram);
    computePixels<uint8_t>(parameters, command, sram);
  }

  DspWork work(const DspCommand &command) const override {
    // Maximum; exponential and sum; exponential and product again (integers) or division (floats).
    bool integers = !isFloat(command.inputs[0].type);
    return elementWork(command, integers ? 48 : 20, integers ? DataType::Int32 : DataType::Float32);
  }

private:
  static Status checkInteger(const FeatureMap &input, const FeatureMap &output, const SoftmaxParameters &parameters) {
    if (input.channels > kMaxIntegerChannels)
      return ruleBroken("input0.channels", input.channels, "at most " + std::to_string(kMaxIntegerChannels));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.zeroPoint - lowest value",
                                      static_cast<uint64_t>(output.zeroPoint - minValue(output.type)), "softmax's", 0));
    if (parameters.multiplier < 0 || parameters.shift < 0 || parameters.shift > 31)
      return ruleBroken("shift", parameters.shift, "0 to 31, with a multiplier that is not negative");
    if (parameters.diffMin > 0)
      return ruleBroken("diffMin", parameters.diffMin, "at most 0");
    return Status::ok();
  }

  template <typename T>
  static void computePixels(const SoftmaxParameters &parameters, const DspCommand &command, std::span<uint8_t> sram) {
    FeatureMapView<T> input(command.inputs[0], sram), output(command.outputs[0], sram);
    for (uint32_t y = 0; y < input.height(); ++y)
      for (uint32_t x = 0; x < input.width(); ++x)
        softmaxPixel(parameters, input.pixel(y, x), output.pixel(y, x), input.channels());
  }
};

} // namespace

const Kernel &softmaxKernel() {
  static const SoftmaxKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
