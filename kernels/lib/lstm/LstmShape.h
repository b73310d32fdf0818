//===- LstmShape.h - Operands that both LSTM kernels share ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_LSTM_LSTMSHAPE_H
#define AVOCET_KERNELS_LIB_LSTM_LSTMSHAPE_H

#include "avocet/kernels/dsp/Lstm.h"
#include "common/CellWork.h"
#include "common/FeatureMapView.h"
#include "common/MapParts.h"

namespace avocet::kernels {

/// Element types of one LSTM form.
struct LstmTypes {
  firmware::DataType activation, weight, bias, cell;
};

/// Extents of one LSTM command.
struct LstmExtents {
  uint32_t steps, inputs, cells;
  explicit LstmExtents(const firmware::DspCommand &command)
      : steps(command.inputs[kLstmSequence].height), inputs(command.inputs[kLstmSequence].channels),
        cells(command.outputs[kLstmCellState].channels) {}
};

/// Parts are steps, because states are read and written in place.
class LstmKernel : public DspKernel {
public:
  /// `inputs`: number of inputs without the initial states.
  explicit LstmKernel(uint32_t inputs) : inputs_(inputs) {}

protected:
  OperandCount inputCount() const override { return {inputs_, inputs_ + kNumLstmStates}; }
  OperandCount outputCount() const override { return kNumLstmOutputs; }

  uint32_t partsOf(const firmware::DspCommand &command) const override { return LstmExtents(command).steps; }

  firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t first, uint32_t count) const override {
    firmware::DspCommand part = command;
    for (firmware::FeatureMap *map : {&part.inputs[kLstmSequence], &part.outputs[kLstmOutputSequence]})
      *map = sliceOf(*map, MapAxis::Rows, first, count);
    if (first != 0) // the states of the part before
      part.inputs.resize(inputs_);
    return part;
  }

  /// Copies the initial states, if there are any.
  void setStates(const firmware::DspCommand &command, std::span<uint8_t> sram) const;

private:
  static constexpr uint32_t kNumLstmStates = 2;
  uint32_t inputs_;
};

/// Checks types and shapes of all operands. Requires the right number of operands.
Status checkLstmOperands(const firmware::DspCommand &command, const LstmTypes &types);
/// The same for the kernels of steps, whose sums have the type of a bias.
Status checkLstmStepsOperands(const firmware::DspCommand &command, const LstmTypes &types);

/// The same for the hybrid kernel of steps.
Status checkHybridLstmOperands(const firmware::DspCommand &command);

/// Work of the whole sequence; `cellOps` counts the element-wise operations per cell and step. Integer products are of
/// 8-bit numbers: zero points are taken off the sums, with the sums of the weights, which take one more pass over them.
DspWork lstmWork(const firmware::DspCommand &command, uint64_t cellOps, firmware::DataType type);
/// The same for the kernels of steps, with a row of weights for each element that they read.
DspWork lstmStepsWork(const firmware::DspCommand &command, uint64_t cellOps, firmware::DataType type);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_LSTM_LSTMSHAPE_H
