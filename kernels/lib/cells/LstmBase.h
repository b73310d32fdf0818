//===- LstmBase.h - Operands, rules and steps of LSTM cells ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CELLS_LSTMBASE_H
#define AVOCET_KERNELS_LIB_CELLS_LSTMBASE_H

#include "cells/Matrix.h"
#include "common/DspKernel.h"

#include <initializer_list>
#include <span>
#include <vector>

namespace avocet::kernels {

namespace lstm {
/// Indices of the inputs before the groups of LstmCellLayout, and of the outputs.
enum Input { kInput, kOutputState, kCellState };
enum Output { kGatesOut, kOutputStateOut, kCellStateOut, kOutput };
enum Gate { kInputGate, kForgetGate, kCellGate, kOutputGate };
} // namespace lstm

/// Element types of the operands.
struct LstmCellTypes {
  firmware::DataType sequence; ///< input, output, output states
  firmware::DataType weights;  ///< weights and projection
  firmware::DataType cell;     ///< cell states, gates, peepholes, layer norm
  firmware::DataType bias;     ///< biases, projection bias
};

/// States of one element of the batch.
template <typename T> struct LstmState {
  std::vector<T> output, cell;
};

/// The steps of all elements of a batch. M is a matrix of T. Operands are copied first, because outputs may overlap
/// them.
template <typename M, typename T> class LstmSteps {
public:
  virtual ~LstmSteps() = default;

  void run() {
    for (uint32_t batch = 0; batch < sequence_.batch; ++batch)
      runElement(batch);
  }

protected:
  using Row = std::vector<T>;
  using State = LstmState<T>;
  using Gate = lstm::Gate;

  LstmSteps(const firmware::DspCommand &command, uint32_t parts, StepOrder order, std::vector<M> operands)
      : command_(command), layout_(parts), operands_(std::move(operands)), parts_(parts),
        sequence_(command.inputs[lstm::kInput], order) {}

  /// Computes the next states; returns the gates in the order of the operands.
  virtual Row step(std::span<const T> x, State &state) const = 0;
  virtual void storeOutput(const firmware::FeatureMap &map, uint32_t row, std::span<const T> values) const = 0;
  virtual void storeCell(const firmware::FeatureMap &map, uint32_t row, std::span<const T> values) const = 0;

  bool has(LstmCellPart part) const { return parts_ & part; }

  /// The operand of a gate in a group that has one for each gate.
  const M &ofGate(uint32_t group, Gate gate) const { return operands_[group + gate + layout_.gates - 4]; }

  /// The cell gate has no peephole.
  std::span<const T> peephole(Gate gate) const {
    return operands_[layout_.peepholes + gate + layout_.gates - 4 - (gate == lstm::kOutputGate ? 1 : 0)].row(0);
  }

  /// One row of four gates, less the input gate if the cell has none.
  Row gatesInOrder(std::initializer_list<std::span<const T>> gates) const {
    Row row;
    for (std::span<const T> gate : std::span(gates).last(layout_.gates))
      row.insert(row.end(), gate.begin(), gate.end());
    return row;
  }

  const firmware::DspCommand &command_;
  const LstmCellLayout layout_;
  const std::vector<M> operands_;

private:
  void runElement(uint32_t batch) const {
    std::span<const T> output = operands_[lstm::kOutputState].row(batch), cell = operands_[lstm::kCellState].row(batch);
    State state{{output.begin(), output.end()}, {cell.begin(), cell.end()}};
    Row gates;
    for (uint32_t time = 0; time < sequence_.steps; ++time) {
      const uint32_t row = sequence_.row(time, batch);
      gates = step(operands_[lstm::kInput].row(row), state);
      storeOutput(command_.outputs[lstm::kOutput], row, state.output);
    }
    storeCell(command_.outputs[lstm::kGatesOut], batch, gates);
    storeOutput(command_.outputs[lstm::kOutputStateOut], batch, state.output);
    storeCell(command_.outputs[lstm::kCellStateOut], batch, state.cell);
  }

  const uint32_t parts_;
  const SequenceShape sequence_;
};

/// A kernel with the operands of lstmCell (Cells.h). Parts are elements of the batch, or the steps of a single one.
class LstmBase : public DspKernel {
protected:
  /// `opsPerGate`: lane operations on elements of type `lanes` for the functions of one element of a gate.
  constexpr LstmBase(firmware::DataType lanes, uint64_t opsPerGate) : lanes_(lanes), opsPerGate_(opsPerGate) {}

  virtual StepOrder orderOf(const firmware::DspCommand &command) const = 0;
  /// Bits of LstmCellPart.
  virtual uint32_t partsOfCell(const firmware::DspCommand &command) const = 0;

  OperandCount inputCount() const override;
  OperandCount outputCount() const override { return 4; }

  /// Ok if the bits are those of LstmCellPart and belong together.
  static Status checkParts(uint32_t parts);

  /// Ok if the command has the operands of these parts, with these types and the shapes that follow from its states
  /// and its input. Requires valid parts.
  static Status checkShapes(const firmware::DspCommand &command, uint32_t parts, StepOrder order,
                            const LstmCellTypes &types);

  DspWork work(const firmware::DspCommand &command) const override;
  uint32_t partsOf(const firmware::DspCommand &command) const override;
  firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t first, uint32_t count) const override;

private:
  firmware::DataType lanes_;
  uint64_t opsPerGate_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CELLS_LSTMBASE_H
