//===- IntegerSvdfKernel.cpp - Filters over features and time, integers ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "cells/IntegerMatrix.h"
#include "cells/SvdfBase.h"
#include "common/IntegerGates.h"
#include "common/Kernels.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// The steps of all elements of a batch. Operands are copied first, because outputs may overlap them. Time weights and
/// state are of type S.
template <typename S> class IntegerSvdf {
public:
  IntegerSvdf(const DspCommand &command, std::span<uint8_t> sram)
      : sram_(sram), parameters_(parametersOf<IntegerSvdfParameters>(command)), operands_(command),
        input_(IntegerMatrix::load<int8_t>(operands_.input, sram)),
        features_(IntegerMatrix::load<int8_t>(operands_.features, sram)),
        time_(IntegerMatrix::load<S>(operands_.time, sram)), states_(IntegerMatrix::load<S>(operands_.state, sram)),
        bias_(operands_.output.channels) {
    if (operands_.bias)
      std::ranges::copy(IntegerMatrix::load<int32_t>(*operands_.bias, sram).row(0), bias_.begin());
  }

  void run() {
    for (uint32_t batch = 0; batch < operands_.input.width; ++batch) {
      std::vector<int32_t> state(states_.row(batch).begin(), states_.row(batch).end());
      storeIntegers<int8_t>(operands_.output, sram_, batch, unitAnswers(filterAnswers(input_.row(batch), state)));
      moveWindows(std::span(state), memory());
      for (int32_t &activation : state)
        activation += operands_.stateOut.zeroPoint;
      storeIntegers<S>(operands_.stateOut, sram_, batch, state);
    }
  }

private:
  uint32_t memory() const { return operands_.time.channels; }

  /// An activation less the zero point. The reference saturates before it adds the zero point, so that the sum wraps.
  int32_t activation(int32_t scaled) const {
    using Limits = std::numeric_limits<S>;
    const int32_t zeroPoint = operands_.state.zeroPoint;
    return static_cast<S>(std::clamp<int32_t>(scaled, Limits::min(), Limits::max()) + zeroPoint) - zeroPoint;
  }

  /// Stores the newest activation in each filter's window; returns the output of each filter.
  std::vector<uint32_t> filterAnswers(std::span<const int32_t> input, std::span<int32_t> state) const {
    std::vector<uint32_t> answers;
    for (uint32_t filter = 0; filter < operands_.features.width; ++filter) {
      std::span<int32_t> window = state.subspan(uint64_t(filter) * memory(), memory());
      window.back() = activation(scaled(dot(features_.row(filter), input), parameters_.feature));
      answers.push_back(dot(time_.row(filter), window));
    }
    return answers;
  }

  std::vector<int32_t> unitAnswers(std::span<const uint32_t> filters) const {
    std::vector<int32_t> units;
    for (size_t first = 0; first < filters.size(); first += parameters_.rank) {
      auto sum = static_cast<uint32_t>(bias_[units.size()]);
      for (uint32_t answer : filters.subspan(first, parameters_.rank))
        sum += answer;
      const int64_t stored = int64_t(scaled(sum, parameters_.output)) + operands_.output.zeroPoint;
      units.push_back(static_cast<int32_t>(std::clamp<int64_t>(stored, -128, 127)));
    }
    return units;
  }

  std::span<uint8_t> sram_;
  IntegerSvdfParameters parameters_;
  SvdfOperands operands_;
  IntegerMatrix input_, features_, time_, states_;
  std::vector<int32_t> bias_;
};

class IntegerSvdfKernel : public SvdfBase {
public:
  IntegerSvdfKernel() : SvdfBase(DataType::Int16, 10) {}

  KernelId id() const override { return kIntegerSvdfKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerSvdfParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkRescale("feature rescale", parameters.feature));
    AVOCET_RETURN_IF_ERROR(checkRescale("output rescale", parameters.output));
    const SvdfOperands operands(command);
    const DataType kept = operands.state.type == DataType::Int8 ? DataType::Int8 : DataType::Int16;
    if (operands.stateOut.zeroPoint != operands.state.zeroPoint)
      return ruleBroken("output state.zeroPoint", operands.stateOut.zeroPoint, "that of the state");
    return checkShapes(operands, parameters.rank,
                       {.input = DataType::Int8, .features = DataType::Int8, .time = kept, .bias = DataType::Int32});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    if (command.inputs.back().type == DataType::Int8)
      IntegerSvdf<int8_t>(command, sram).run();
    else
      IntegerSvdf<int16_t>(command, sram).run();
  }
};

} // namespace

const Kernel &integerSvdfKernel() {
  static const IntegerSvdfKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
