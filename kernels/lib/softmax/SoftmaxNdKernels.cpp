//===- SoftmaxNdKernels.cpp - Softmax along any axis ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/FixedLogarithm.h"
#include "common/FixedPoint.h"
#include "common/Kernels.h"
#include "common/LineSteps.h"
#include "softmax/SoftmaxLine.h"
#include "softmax/SoftmaxWork.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

/// The rule of lines (LineSteps.h) of int8_t and uint8_t. It has the states of the softmax.
template <typename T> class IntegerLogSoftmaxRule {
public:
  using State = typename IntegerSoftmaxRule<T>::State;
  static constexpr uint32_t kPasses = IntegerSoftmaxRule<T>::kPasses;

  /// `scale`: of the input, times beta. Positive and finite.
  explicit IntegerLogSoftmaxRule(float scale) : parameters_(prepareSoftmax(1, scale)) {}

  State first() const { return {}; }
  void fold(uint32_t pass, State &state, std::span<const T> section) const {
    IntegerSoftmaxRule<T>{parameters_}.fold(pass, state, section);
  }
  void finish(const State &state, std::span<T> section) const;

private:
  const SoftmaxParameters parameters_;
};

/// From Q5.26 to steps of 1/16.
static constexpr int kResultShift = 22;

template <typename T> void IntegerLogSoftmaxRule<T>::finish(const State &state, std::span<T> section) const {
  using Fixed = FixedPoint<int32_t>;
  constexpr int32_t kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  // The maximum itself contributes about one. A state that other commands left in memory may have no sum.
  const int32_t logSum = fixedLogarithm(std::max(state.sum, 1));
  for (T &x : section) {
    const int32_t difference = Fixed::subtract(x, state.largest);
    const int64_t scaled =
        multiplyByQuantizedMultiplier(difference, parameters_.multiplier, parameters_.shift) - int64_t(logSum);
    // A difference below Q5.26 is far below the smallest result.
    const auto fitting = static_cast<int32_t>(std::clamp<int64_t>(scaled, INT32_MIN, INT32_MAX));
    const int32_t result = Fixed::divideByPowerOfTwo(fitting, kResultShift) + kHighest;
    x = static_cast<T>(difference < parameters_.diffMin ? kLowest : std::clamp(result, kLowest, kHighest));
  }
}

template class IntegerLogSoftmaxRule<int8_t>;
template class IntegerLogSoftmaxRule<uint8_t>;

} // namespace

using namespace firmware;

namespace {

class SoftmaxNdKernel : public LineKernel<SoftmaxNdParameters> {
public:
  KernelId id() const override { return kSoftmaxNdKernel; }

protected:
  int32_t resultZeroPoint(DataType type, const SoftmaxNdParameters &parameters) const override {
    if (parameters.softmax.resultMultiplier != 0)
      return parameters.softmax.resultZero;
    return isFloat(type) ? 0 : softmaxZeroPoint(type);
  }

  Status checkLine(const DspCommand &command, const SoftmaxNdParameters &parameters) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type,
                  {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    return checkSoftmax(parameters.softmax, output, softmaxZeroPoint(output.type));
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto line = *unpackLineCommand<SoftmaxNdParameters>(command.parameters);
    line.step ? computeSections(command, line, sram) : computeLines(command, line.parameters, sram);
  }

  DspWork work(const DspCommand &command) const override {
    const auto line = *unpackLineCommand<SoftmaxNdParameters>(command.parameters);
    ExponentialLine instructions = softmaxInstructions(command.inputs[0].type, line.parameters.softmax);
    if (line.step)
      instructions.pass = line.step->pass;
    return exponentialWork(command, line.parameters.extents, instructions);
  }

private:
  static void computeLines(const DspCommand &command, const SoftmaxNdParameters &parameters, std::span<uint8_t> sram) {
    auto replace = [&](auto line) {
      softmaxLine(parameters.softmax, line.data(), line.data(), static_cast<uint32_t>(line.size()));
    };
    if (isFloat(command.inputs[0].type))
      return forEachFloatLine(command, parameters.extents, sram, replace);
    if (command.inputs[0].type == DataType::Int8)
      return forEachLine<int8_t>(command, parameters.extents, sram, replace);
    if (command.inputs[0].type == DataType::Int16)
      return forEachLine<int16_t>(command, parameters.extents, sram, replace);
    forEachLine<uint8_t>(command, parameters.extents, sram, replace);
  }

  static void computeSections(const DspCommand &command, const LineCommand<SoftmaxNdParameters> &line,
                              std::span<uint8_t> sram) {
    const SoftmaxParameters &softmax = line.parameters.softmax;
    if (isFloat(command.inputs[0].type))
      return runFloatLines(command, line, sram, FloatSoftmaxRule{softmax});
    if (command.inputs[0].type == DataType::Int8)
      return runLines<int8_t>(command, line, sram, IntegerSoftmaxRule<int8_t>{softmax});
    if (command.inputs[0].type == DataType::Int16)
      return runLines<int16_t>(command, line, sram, WideSoftmaxRule{softmax});
    runLines<uint8_t>(command, line, sram, IntegerSoftmaxRule<uint8_t>{softmax});
  }
};

struct LogSoftmaxRule {
  struct State {
    float largest = -std::numeric_limits<float>::infinity(), sum = 0;
  };
  static constexpr uint32_t kPasses = 2;

  State first() const { return {}; }

  void fold(uint32_t pass, State &state, std::span<const float> section) const {
    for (float x : section)
      if (pass > 0)
        state.sum += std::exp((x - state.largest) * beta);
      else
        state.largest = std::max(state.largest, x);
  }

  void finish(const State &state, std::span<float> section) const {
    const float logSum = std::log(state.sum);
    for (float &x : section)
      x = (x - state.largest) * beta - logSum;
  }

  const float beta;
};

class LogSoftmaxKernel : public LineKernel<LogSoftmaxParameters> {
public:
  KernelId id() const override { return kLogSoftmaxKernel; }

protected:
  int32_t resultZeroPoint(DataType type, const LogSoftmaxParameters &) const override {
    return isFloat(type) ? 0 : maxValue(type);
  }

  Status checkLine(const DspCommand &command, const LogSoftmaxParameters &parameters) const override {
    AVOCET_RETURN_IF_ERROR(checkFinite("beta", parameters.beta));
    return isByte(command.inputs[0].type) ? checkBytes(command, parameters) : checkFloatLines(command);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto line = *unpackLineCommand<LogSoftmaxParameters>(command.parameters);
    const float beta = line.parameters.beta;
    if (command.inputs[0].type == DataType::Int8)
      return runLines<int8_t>(command, line, sram, IntegerLogSoftmaxRule<int8_t>(beta));
    if (command.inputs[0].type == DataType::UInt8)
      return runLines<uint8_t>(command, line, sram, IntegerLogSoftmaxRule<uint8_t>(beta));
    runFloatLines(command, line, sram, LogSoftmaxRule{beta});
  }

  DspWork work(const DspCommand &command) const override {
    const auto line = *unpackLineCommand<LogSoftmaxParameters>(command.parameters);
    const int32_t diffMin = isByte(command.inputs[0].type) ? prepareSoftmax(1, line.parameters.beta).diffMin : 0;
    ExponentialLine instructions = logSoftmaxInstructions(command.inputs[0].type, diffMin);
    if (line.step)
      instructions.pass = line.step->pass;
    return exponentialWork(command, line.parameters.extents, instructions);
  }

private:
  static bool isByte(DataType type) { return type == DataType::Int8 || type == DataType::UInt8; }

  Status checkBytes(const DspCommand &command, const LogSoftmaxParameters &parameters) const {
    const FeatureMap &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {command.inputs[0].type}));
    AVOCET_RETURN_IF_ERROR(
        checkEqual("output0.zeroPoint", output.zeroPoint, "log softmax's", resultZeroPoint(output.type, parameters)));
    return parameters.beta > 0 ? Status::ok() : invalidArgument("beta of integers must be positive");
  }
};

} // namespace

const Kernel &softmaxNdKernel() {
  static const SoftmaxNdKernel kKernel;
  return kKernel;
}

const Kernel &logSoftmaxKernel() {
  static const LogSoftmaxKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
