//===- Quantized16BitLstmKernel.cpp - One step in 8 and 16 bits -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/IntegerCells.h"
#include "cells/IntegerMatrix.h"
#include "common/IntegerGates.h"
#include "common/Kernels.h"

#include <array>

namespace avocet::kernels {

using namespace firmware;
using Fixed = FixedPoint<int16_t>;

namespace {

constexpr uint32_t kGates = 4;
enum {
  kInput,
  kOutputState,
  kCellState,
  kWeights,
  kRecurrent = kWeights + 4,
  kBiases = kRecurrent + 4,
  kNumInputs = 15
};
enum { kCellStateOut, kOutput, kNumOutputs };
enum { kInputGate, kForgetGate, kCellGate, kOutputGate };

/// The zero point of outputs, and the integer bits of cell states.
constexpr int32_t kOutputZero = 128;
constexpr int kCellIntegerBits = 4;

/// One cell: gates in 3 integer bits become the next state and the output.
struct Cell {
  int16_t state;
  int32_t output;

  Cell(const std::array<int16_t, kGates> &sums, int16_t before) {
    const auto gate = [&](uint32_t which) { return gateFunction(which == kCellGate, sums[which]); };
    // The product is rounded twice: to Q0.15 and then to the format of the state.
    const int16_t update =
        Fixed::divideByPowerOfTwo(Fixed::multiply(gate(kInputGate), gate(kCellGate)), kCellIntegerBits);
    state = saturate16(int32_t(update) + Fixed::multiply(gate(kForgetGate), before));
    const int16_t limited = Fixed::multiplyByPowerOfTwo(state, kCellIntegerBits - kGateIntegerBits);
    const int16_t product = Fixed::multiply(gate(kOutputGate), Fixed::tanh<kGateIntegerBits>(limited));
    output = kOutputZero + std::clamp<int32_t>(Fixed::divideByPowerOfTwo(product, 8), -128, 127);
  }
};

class Quantized16BitLstmKernel : public DspKernel {
public:
  KernelId id() const override { return kQuantized16BitLstmKernel; }

protected:
  OperandCount inputCount() const override { return kNumInputs; }
  OperandCount outputCount() const override { return kNumOutputs; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<Quantized16BitLstmParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkRescale("rescale of gates", parameters.gates));
    const uint32_t batch = command.inputs[kInput].width, features = command.inputs[kInput].channels;
    const uint32_t cells = command.inputs[kCellState].channels;
    const auto input = [&](uint32_t index, DataType type, uint64_t rows, uint64_t columns) {
      return checkMatrix("input" + std::to_string(index), command.inputs[index], type, rows, columns);
    };
    AVOCET_RETURN_IF_ERROR(input(kInput, DataType::UInt8, batch, features));
    AVOCET_RETURN_IF_ERROR(input(kOutputState, DataType::UInt8, batch, cells));
    AVOCET_RETURN_IF_ERROR(input(kCellState, DataType::Int16, batch, cells));
    for (uint32_t gate = 0; gate < kGates; ++gate) {
      AVOCET_RETURN_IF_ERROR(input(kWeights + gate, DataType::UInt8, cells, features));
      AVOCET_RETURN_IF_ERROR(input(kRecurrent + gate, DataType::UInt8, cells, cells));
      AVOCET_RETURN_IF_ERROR(input(kBiases + gate, DataType::Int32, 1, cells));
    }
    AVOCET_RETURN_IF_ERROR(checkMatrix("output0", command.outputs[kCellStateOut], DataType::Int16, batch, cells));
    return checkMatrix("output1", command.outputs[kOutput], DataType::UInt8, batch, cells);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const Rescale rescale = parametersOf<Quantized16BitLstmParameters>(command).gates;
    // Copies, because outputs may overlap the operands.
    std::vector<IntegerMatrix> operands;
    for (const FeatureMap &map : command.inputs)
      operands.push_back(map.type == DataType::UInt8   ? IntegerMatrix::load<uint8_t>(map, sram)
                         : map.type == DataType::Int16 ? IntegerMatrix::load<int16_t>(map, sram)
                                                       : IntegerMatrix::load<int32_t>(map, sram));
    for (uint32_t batch = 0; batch < command.inputs[kInput].width; ++batch) {
      std::vector<int32_t> states, outputs;
      for (uint32_t c = 0; c < command.inputs[kCellState].channels; ++c) {
        std::array<int16_t, kGates> sums;
        for (uint32_t gate = 0; gate < kGates; ++gate) {
          uint32_t sum = static_cast<uint32_t>(operands[kBiases + gate].row(0)[c]);
          sum += dot(operands[kWeights + gate].row(c), operands[kInput].row(batch));
          sum += dot(operands[kRecurrent + gate].row(c), operands[kOutputState].row(batch));
          sums[gate] = saturate16(scaled(sum, rescale));
        }
        const Cell cell(sums, static_cast<int16_t>(operands[kCellState].row(batch)[c]));
        states.push_back(cell.state);
        outputs.push_back(cell.output);
      }
      storeIntegers<int16_t>(command.outputs[kCellStateOut], sram, batch, states);
      storeIntegers<uint8_t>(command.outputs[kOutput], sram, batch, outputs);
    }
  }

  DspWork work(const DspCommand &command) const override {
    DspWork work = elementWork(command, 0, DataType::Int16);
    for (const FeatureMap &map : std::span(command.inputs).subspan(kWeights))
      addProducts(map, command.inputs[kInput].width, work);
    work.elementOps += kIntegerCellOps * elementCount(command.outputs[kOutput]);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override { return command.inputs[kInput].width; }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    for (FeatureMap *map : {&part.inputs[kInput], &part.inputs[kOutputState], &part.inputs[kCellState],
                            &part.outputs[kCellStateOut], &part.outputs[kOutput]})
      *map = sliceOf(*map, MapAxis::Columns, first, count);
    return part;
  }
};

} // namespace

const Kernel &quantized16BitLstmKernel() {
  static const Quantized16BitLstmKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
