//===- IntegerSvdfKernel.cpp - Filters over features and time, integers ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "cells/IntegerMatrix.h"
#include "common/IntegerGates.h"
#include "common/Kernels.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Operands by meaning; the bias may be absent.
struct Operands {
  explicit Operands(const DspCommand &command)
      : input(command.inputs[0]), features(command.inputs[1]), time(command.inputs[2]),
        bias(command.inputs.size() == 5 ? &command.inputs[3] : nullptr), state(command.inputs.back()),
        stateOut(command.outputs[0]), output(command.outputs[1]) {}

  const FeatureMap &input, &features, &time, *bias, &state, &stateOut, &output;
};

/// The steps of all elements of a batch. Operands are copied first, because outputs may overlap them.
class IntegerSvdf {
public:
  IntegerSvdf(const DspCommand &command, std::span<uint8_t> sram)
      : sram_(sram), parameters_(parametersOf<IntegerSvdfParameters>(command)), operands_(command),
        input_(IntegerMatrix::load<int8_t>(operands_.input, sram)),
        features_(IntegerMatrix::load<int8_t>(operands_.features, sram)),
        time_(IntegerMatrix::load<int16_t>(operands_.time, sram)),
        states_(IntegerMatrix::load<int16_t>(operands_.state, sram)), bias_(operands_.output.channels) {
    if (operands_.bias)
      std::ranges::copy(IntegerMatrix::load<int32_t>(*operands_.bias, sram).row(0), bias_.begin());
  }

  void run() {
    for (uint32_t batch = 0; batch < operands_.input.width; ++batch) {
      std::vector<int32_t> state(states_.row(batch).begin(), states_.row(batch).end());
      storeIntegers<int8_t>(operands_.output, sram_, batch, unitAnswers(filterAnswers(input_.row(batch), state)));
      moveWindows(state);
      storeIntegers<int16_t>(operands_.stateOut, sram_, batch, state);
    }
  }

private:
  uint32_t memory() const { return operands_.time.channels; }

  /// Stores the newest activation in each filter's window; returns the output of each filter.
  std::vector<uint32_t> filterAnswers(std::span<const int32_t> input, std::span<int32_t> state) const {
    std::vector<uint32_t> answers;
    for (uint32_t filter = 0; filter < operands_.features.width; ++filter) {
      std::span<int32_t> window = state.subspan(uint64_t(filter) * memory(), memory());
      window.back() = saturate16(scaled(dot(features_.row(filter), input), parameters_.feature));
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

  void moveWindows(std::span<int32_t> state) const {
    for (size_t first = 0; first < state.size(); first += memory()) {
      std::shift_left(state.begin() + first, state.begin() + first + memory(), 1);
      state[first + memory() - 1] = 0;
    }
  }

  std::span<uint8_t> sram_;
  IntegerSvdfParameters parameters_;
  Operands operands_;
  IntegerMatrix input_, features_, time_, states_;
  std::vector<int32_t> bias_;
};

class IntegerSvdfKernel : public DspKernel {
public:
  KernelId id() const override { return kIntegerSvdfKernel; }

protected:
  OperandCount inputCount() const override { return {4, 5}; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerSvdfParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkRescale("feature rescale", parameters.feature));
    AVOCET_RETURN_IF_ERROR(checkRescale("output rescale", parameters.output));
    constexpr DataType kI8 = DataType::Int8, kI16 = DataType::Int16;
    Operands o(command);
    const uint32_t batch = o.input.width, filters = o.features.width, memory = o.time.channels;
    if (parameters.rank == 0 || filters % parameters.rank != 0)
      return ruleBroken("rank", parameters.rank, "a divisor of the " + std::to_string(filters) + " filters");
    const uint64_t states = uint64_t(filters) * memory, units = filters / parameters.rank;
    AVOCET_RETURN_IF_ERROR(checkMatrix("input", o.input, kI8, batch, o.input.channels));
    AVOCET_RETURN_IF_ERROR(checkMatrix("feature weights", o.features, kI8, filters, o.input.channels));
    AVOCET_RETURN_IF_ERROR(checkMatrix("time weights", o.time, kI16, filters, memory));
    AVOCET_RETURN_IF_ERROR(checkMatrix("state", o.state, kI16, batch, states));
    AVOCET_RETURN_IF_ERROR(checkMatrix("output state", o.stateOut, kI16, batch, states));
    if (o.bias)
      AVOCET_RETURN_IF_ERROR(checkMatrix("bias", *o.bias, DataType::Int32, 1, units));
    return checkMatrix("output", o.output, kI8, batch, units);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override { IntegerSvdf(command, sram).run(); }

  // Each weight counts once for each element of the batch, as a product and a sum; then sums, rescales and moves.
  DspWork work(const DspCommand &command) const override {
    Operands operands(command);
    DspWork work = elementWork(command, 0, DataType::Int16);
    const uint64_t weights = elementCount(operands.features) + elementCount(operands.time);
    work.elementOps =
        2 * weights * operands.input.width + elementCount(operands.state) + 10 * elementCount(operands.output);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override { return command.inputs[0].width; }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    for (FeatureMap *map : {&part.inputs.front(), &part.inputs.back(), &part.outputs[0], &part.outputs[1]})
      *map = sliceOf(*map, MapAxis::Columns, first, count);
    return part;
  }
};

} // namespace

const Kernel &integerSvdfKernel() {
  static const IntegerSvdfKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
