//===- IntegerLstmCellKernel.cpp - Integer LSTM with all its options ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/IntegerCells.h"
#include "cells/IntegerMatrix.h"
#include "common/IntegerGates.h"
#include "common/InverseSquareRoot.h"
#include "common/Kernels.h"

#include <cmath>

namespace avocet::kernels {

using namespace firmware;

static Result<IntegerLstmCellParameters::Gate> prepareGate(const IntegerLstmCellScales &scales, size_t gate,
                                                           int32_t cellExponent) {
  // Effective scales are computed in float, as the reference does.
  const IntegerLstmCellScales::Gate &real = scales.gates[gate];
  IntegerLstmCellParameters::Gate prepared;
  AVOCET_ASSIGN_OR_RETURN(prepared.input, rescaleOf(real.inputWeights * scales.input / real.sum, "input weights"));
  AVOCET_ASSIGN_OR_RETURN(prepared.recurrent,
                          rescaleOf(real.recurrentWeights * scales.outputState / real.sum, "recurrent weights"));
  AVOCET_ASSIGN_OR_RETURN(prepared.peephole,
                          rescaleOf(std::ldexp(real.peephole, cellExponent) / real.sum, "peepholes"));
  if (real.norm == 0)
    return prepared;
  AVOCET_ASSIGN_OR_RETURN(prepared.norm, rescaleOf(std::ldexp(double(real.norm), 12), "layer normalisation"));
  prepared.leastVariance = std::max(1, static_cast<int32_t>(10000 * real.norm));
  return prepared;
}

Result<IntegerLstmCellParameters> prepareIntegerLstmCell(const IntegerLstmCellScales &scales) {
  IntegerLstmCellParameters parameters;
  AVOCET_ASSIGN_OR_RETURN(parameters.cellExponent, cellExponentOf(scales.cellState));
  for (size_t gate = 0; gate < scales.gates.size(); ++gate)
    if (scales.gates[gate].sum > 0) {
      AVOCET_ASSIGN_OR_RETURN(parameters.gates[gate], prepareGate(scales, gate, parameters.cellExponent));
    }
  auto hidden = static_cast<float>(std::ldexp(1.0, -15) / scales.hidden * std::ldexp(1.0, -15));
  AVOCET_ASSIGN_OR_RETURN(parameters.hidden, rescaleOf(hidden, "the hidden state"));
  AVOCET_ASSIGN_OR_RETURN(parameters.projection,
                          rescaleOf(scales.projection * scales.hidden / scales.outputState, "the projection"));
  parameters.cellClip = storedClip(scales.cellClip, scales.cellState, -32768, 32767);
  parameters.projectionClip = storedClip(scales.projectionClip, scales.projectionClipScale, -128, 127);
  return parameters;
}

namespace {

/// Indices of the inputs before the groups, and of the outputs.
enum { kInput, kOutputState, kCellState };
enum { kGatesOut, kOutputStateOut, kCellStateOut, kOutput };
enum Gate { kInputGate, kForgetGate, kCellGate, kOutputGate };

using Row = std::vector<int32_t>;

/// Scales the values to mean 0 and variance 1, then by the weights, and adds the bias. Products wrap at 32 bits, and
/// the mean has 10 fractional bits, as in the reference.
void normalize(std::span<int32_t> values, std::span<const int32_t> weights, std::span<const int32_t> bias,
               const IntegerLstmCellParameters::Gate &gate) {
  constexpr int64_t kOne = 1 << 20;
  const auto count = static_cast<int64_t>(values.size());
  int64_t sum = 0, squares = 0;
  for (int32_t value : values) {
    sum += value;
    squares += int64_t(value) * value;
  }
  const auto mean = static_cast<int32_t>(sum * 1024 / count);
  auto variance = static_cast<int32_t>((squares * (kOne / count) - int64_t(mean) * mean) / kOne);
  const Rescale scale = inverseSquareRoot(variance < 1 ? gate.leastVariance : variance);
  for (size_t i = 0; i < values.size(); ++i) {
    const int32_t unit = multiplyByQuantizedMultiplier(1024 * values[i] - mean, scale.multiplier, scale.shift);
    const int64_t product = static_cast<int32_t>(static_cast<uint32_t>(unit) * static_cast<uint32_t>(weights[i]) +
                                                 static_cast<uint32_t>(bias[i]));
    const auto rounded = static_cast<uint32_t>((product > 0 ? product + 512 : product - 512) / 1024);
    values[i] = saturate16(scaled(rounded, gate.norm));
  }
}

/// States of one element of the batch; the output less its zero point.
struct State {
  Row output, cell;
};

/// The steps of all elements of a batch. Operands are copied first, because outputs may overlap them.
class IntegerLstmSteps {
public:
  IntegerLstmSteps(const DspCommand &command, std::span<uint8_t> sram)
      : command_(command), sram_(sram), parameters_(parametersOf<IntegerLstmCellParameters>(command)),
        layout_(parameters_.parts), sequence_(command.inputs[kInput], parameters_.order) {
    for (const FeatureMap &map : command.inputs)
      operands_.push_back(map.type == DataType::Int8    ? IntegerMatrix::load<int8_t>(map, sram)
                          : map.type == DataType::Int16 ? IntegerMatrix::load<int16_t>(map, sram)
                                                        : IntegerMatrix::load<int32_t>(map, sram));
  }

  void run() {
    for (uint32_t batch = 0; batch < sequence_.batch; ++batch)
      runElement(batch);
  }

private:
  bool has(LstmCellPart part) const { return parameters_.parts & part; }
  std::span<const int32_t> vector(uint32_t group, Gate gate) const { return matrix(group, gate).row(0); }
  const IntegerMatrix &matrix(uint32_t group, Gate gate) const { return operands_[group + gate + layout_.gates - 4]; }
  /// The cell gate has no peephole.
  std::span<const int32_t> peephole(Gate gate) const {
    return operands_[layout_.peepholes + gate + layout_.gates - 4 - (gate == kOutputGate ? 1 : 0)].row(0);
  }

  Row gate(Gate which, std::span<const int32_t> x, const State &state) const {
    const IntegerLstmCellParameters::Gate &gate = parameters_.gates[which];
    std::span<const int32_t> bias = vector(layout_.biases, which);
    Row sums(state.cell.size());
    for (uint32_t c = 0; c < sums.size(); ++c) {
      const uint32_t start = has(kLstmLayerNorm) ? 0 : static_cast<uint32_t>(bias[c]);
      const int16_t part = saturate16(scaled(start + dot(matrix(layout_.inputWeights, which).row(c), x), gate.input));
      const uint32_t recurrent = dot(matrix(layout_.recurrentWeights, which).row(c), state.output);
      sums[c] = saturate16(int64_t(part) + scaled(recurrent, gate.recurrent));
      if (has(kLstmPeepholes) && which != kCellGate) {
        const auto product = static_cast<uint32_t>(peephole(which)[c] * state.cell[c]);
        sums[c] = saturate16(int64_t(sums[c]) + scaled(product, gate.peephole));
      }
    }
    if (has(kLstmLayerNorm))
      normalize(sums, vector(layout_.layerNorm, which), bias, gate);
    for (int32_t &sum : sums)
      sum = gateFunction(which == kCellGate, static_cast<int16_t>(sum));
    return sums;
  }

  Row coupledInputGate(const Row &forget) const {
    Row input;
    for (int32_t value : forget)
      input.push_back(static_cast<int16_t>(INT16_MAX - value));
    return input;
  }

  /// The stored output for the stored hidden state.
  Row projected(const Row &hidden) const {
    if (!has(kLstmProjection))
      return hidden;
    Row shifted;
    for (int32_t value : hidden)
      shifted.push_back(value - parameters_.hiddenZeroPoint);
    const int32_t zero = command_.outputs[kOutput].zeroPoint;
    Row output(command_.outputs[kOutput].channels);
    for (uint32_t o = 0; o < output.size(); ++o) {
      uint32_t sum = has(kLstmProjectionBias) ? static_cast<uint32_t>(operands_[layout_.projectionBias].row(0)[o]) : 0;
      sum += dot(operands_[layout_.projection].row(o), shifted);
      const int64_t stored = int64_t(scaled(sum, parameters_.projection)) + zero;
      output[o] = static_cast<int32_t>(std::clamp<int64_t>(stored, -128, 127));
      if (parameters_.projectionClip > 0)
        output[o] = std::clamp(output[o], -parameters_.projectionClip, parameters_.projectionClip);
    }
    return output;
  }

  /// Computes the next states; returns the gates in the order of the operands.
  Row step(std::span<const int32_t> x, State &state) const {
    const Row forget = gate(kForgetGate, x, state), update = gate(kCellGate, x, state);
    const Row input = has(kLstmInputGate) ? gate(kInputGate, x, state) : coupledInputGate(forget);
    const auto narrow = [](int32_t value) { return static_cast<int16_t>(value); };
    const int32_t exponent = parameters_.cellExponent;
    for (size_t c = 0; c < state.cell.size(); ++c)
      state.cell[c] = nextCell(narrow(forget[c]), narrow(state.cell[c]), narrow(input[c]), narrow(update[c]), exponent,
                               parameters_.cellClip);
    const Row output = gate(kOutputGate, x, state);
    Row hidden;
    for (size_t c = 0; c < state.cell.size(); ++c)
      hidden.push_back(hiddenOf(narrow(output[c]), narrow(state.cell[c]), exponent, parameters_.hidden,
                                parameters_.hiddenZeroPoint));
    state.output = projected(hidden);
    Row gates;
    for (const Row *row : {&input, &forget, &update, &output})
      if (row != &input || has(kLstmInputGate))
        gates.insert(gates.end(), row->begin(), row->end());
    return gates;
  }

  void runElement(uint32_t batch) {
    std::span<const int32_t> output = operands_[kOutputState].row(batch), cell = operands_[kCellState].row(batch);
    State state{{output.begin(), output.end()}, {cell.begin(), cell.end()}};
    const int32_t zero = command_.outputs[kOutput].zeroPoint;
    Row gates;
    for (uint32_t time = 0; time < sequence_.steps; ++time) {
      const uint32_t row = sequence_.row(time, batch);
      gates = step(operands_[kInput].row(row), state);
      storeIntegers<int8_t>(command_.outputs[kOutput], sram_, row, state.output);
      if (time + 1 == sequence_.steps)
        storeIntegers<int8_t>(command_.outputs[kOutputStateOut], sram_, batch, state.output);
      for (int32_t &value : state.output)
        value -= zero;
    }
    storeIntegers<int16_t>(command_.outputs[kGatesOut], sram_, batch, gates);
    storeIntegers<int16_t>(command_.outputs[kCellStateOut], sram_, batch, state.cell);
  }

  const DspCommand &command_;
  std::span<uint8_t> sram_;
  IntegerLstmCellParameters parameters_;
  LstmCellLayout layout_;
  SequenceShape sequence_;
  std::vector<IntegerMatrix> operands_;
};

/// Shapes of the operands, from those of the states and the input.
class IntegerLstmRules {
public:
  IntegerLstmRules(const DspCommand &command, const IntegerLstmCellParameters &parameters)
      : command_(command), parameters_(parameters), layout_(parameters.parts),
        batch_(SequenceShape(command.inputs[kInput], parameters.order).batch),
        features_(command.inputs[kInput].channels), outputs_(command.inputs[kOutputState].channels),
        cells_(command.inputs[kCellState].channels) {}

  Status check() const {
    if (command_.inputs.size() != layout_.count)
      return ruleBroken("input operands", command_.inputs.size(), std::to_string(layout_.count) + " for these parts");
    if (!(parameters_.parts & kLstmProjection))
      AVOCET_RETURN_IF_ERROR(checkEqual("input1.channels", outputs_, "the number of cells", cells_));
    AVOCET_RETURN_IF_ERROR(checkSequence());
    AVOCET_RETURN_IF_ERROR(checkStates());
    return checkWeights();
  }

private:
  static constexpr DataType kI8 = DataType::Int8, kI16 = DataType::Int16, kI32 = DataType::Int32;

  Status group(DataType type, uint32_t first, uint32_t end, uint64_t rows, uint64_t columns) const {
    for (uint32_t index = first; index < end; ++index)
      AVOCET_RETURN_IF_ERROR(checkMatrix("input" + std::to_string(index), command_.inputs[index], type, rows, columns));
    return Status::ok();
  }
  Status output(uint32_t index, DataType type, uint64_t columns) const {
    return checkMatrix("output" + std::to_string(index), command_.outputs[index], type, batch_, columns);
  }

  Status checkSequence() const {
    const FeatureMap &input = command_.inputs[kInput], &output = command_.outputs[kOutput];
    AVOCET_RETURN_IF_ERROR(checkType("input0", input.type, {kI8}));
    AVOCET_RETURN_IF_ERROR(checkType("output", output.type, {kI8}));
    AVOCET_RETURN_IF_ERROR(checkEqual("output.height", output.height, "input0.height", input.height));
    AVOCET_RETURN_IF_ERROR(checkEqual("output.width", output.width, "input0.width", input.width));
    return checkEqual("output.channels", output.channels, "the number of outputs", outputs_);
  }

  Status checkStates() const {
    AVOCET_RETURN_IF_ERROR(group(kI8, kOutputState, kCellState, batch_, outputs_));
    AVOCET_RETURN_IF_ERROR(group(kI16, kCellState, layout_.inputWeights, batch_, cells_));
    AVOCET_RETURN_IF_ERROR(output(kGatesOut, kI16, uint64_t(layout_.gates) * cells_));
    AVOCET_RETURN_IF_ERROR(output(kOutputStateOut, kI8, outputs_));
    return output(kCellStateOut, kI16, cells_);
  }

  Status checkWeights() const {
    AVOCET_RETURN_IF_ERROR(group(kI8, layout_.inputWeights, layout_.recurrentWeights, cells_, features_));
    AVOCET_RETURN_IF_ERROR(group(kI8, layout_.recurrentWeights, layout_.peepholes, cells_, outputs_));
    AVOCET_RETURN_IF_ERROR(group(kI16, layout_.peepholes, layout_.biases, 1, cells_));
    AVOCET_RETURN_IF_ERROR(group(kI32, layout_.biases, layout_.projection, 1, cells_));
    AVOCET_RETURN_IF_ERROR(group(kI8, layout_.projection, layout_.projectionBias, outputs_, cells_));
    AVOCET_RETURN_IF_ERROR(group(kI32, layout_.projectionBias, layout_.layerNorm, 1, outputs_));
    return group(kI16, layout_.layerNorm, layout_.count, 1, cells_);
  }

  const DspCommand &command_;
  const IntegerLstmCellParameters &parameters_;
  LstmCellLayout layout_;
  uint32_t batch_, features_, outputs_, cells_;
};

Status checkParameters(const IntegerLstmCellParameters &parameters) {
  if (parameters.parts > kLstmAllParts)
    return ruleBroken("parts", parameters.parts, "bits of LstmCellPart");
  if ((parameters.parts & kLstmProjectionBias) && !(parameters.parts & kLstmProjection))
    return ruleBroken("parts", parameters.parts, "without a projection bias where there is no projection");
  if (parameters.order != StepOrder::TimeMajor && parameters.order != StepOrder::BatchMajor)
    return ruleBroken("order", static_cast<uint32_t>(parameters.order), "0 or 1");
  for (const auto &gate : parameters.gates) {
    for (const Rescale &rescale : {gate.input, gate.recurrent, gate.peephole, gate.norm})
      AVOCET_RETURN_IF_ERROR(checkRescale("rescale of a gate", rescale));
    if (gate.leastVariance < 1)
      return ruleBroken("leastVariance", gate.leastVariance, "1 or more");
  }
  AVOCET_RETURN_IF_ERROR(checkRescale("hidden rescale", parameters.hidden));
  AVOCET_RETURN_IF_ERROR(checkRescale("projection rescale", parameters.projection));
  if (parameters.hiddenZeroPoint < -128 || parameters.hiddenZeroPoint > 127)
    return ruleBroken("hiddenZeroPoint", parameters.hiddenZeroPoint, "-128 to 127");
  if (parameters.projectionClip < 0 || parameters.projectionClip > 127)
    return ruleBroken("projectionClip", parameters.projectionClip, "0 to 127");
  return checkCellFormat(parameters.cellExponent, parameters.cellClip);
}

class IntegerLstmCellKernel : public DspKernel {
public:
  KernelId id() const override { return kIntegerLstmCellKernel; }

protected:
  OperandCount inputCount() const override { return {LstmCellLayout(0).count, LstmCellLayout(kLstmAllParts).count}; }
  OperandCount outputCount() const override { return 4; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerLstmCellParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkParameters(parameters));
    return IntegerLstmRules(command, parameters).check();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    IntegerLstmSteps(command, sram).run();
  }

  // Each weight counts once for each step of each element, as a product and a sum; about 40 for the functions of a
  // gate.
  DspWork work(const DspCommand &command) const override {
    const uint64_t steps = uint64_t(command.inputs[kInput].height) * command.inputs[kInput].width;
    DspWork work = elementWork(command, 0, DataType::Int16);
    for (const FeatureMap &map : std::span(command.inputs).subspan(kCellState + 1))
      work.elementOps += 2 * elementCount(map);
    work.elementOps = (work.elementOps + 40 * command.outputs[kGatesOut].channels) * steps;
    return work;
  }

  static StepOrder orderOf(const DspCommand &command) { return parametersOf<IntegerLstmCellParameters>(command).order; }

  /// Elements of the batch, or the steps of a single one: states are stored as they are computed.
  uint32_t partsOf(const DspCommand &command) const override {
    const SequenceShape sequence(command.inputs[kInput], orderOf(command));
    return sequence.batch > 1 ? sequence.batch : sequence.steps;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part =
        sequencePart(command, orderOf(command),
                     {kInput, kOutput, {{kOutputState, kOutputStateOut}, {kCellState, kCellStateOut}}}, first, count);
    if (SequenceShape(command.inputs[kInput], orderOf(command)).batch > 1)
      part.outputs[kGatesOut] = sliceOf(command.outputs[kGatesOut], MapAxis::Columns, first, count);
    return part;
  }
};

} // namespace

const Kernel &integerLstmCellKernel() {
  static const IntegerLstmCellKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
