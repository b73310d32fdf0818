//===- Cells.h - One step of a recurrent layer ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels "lstmCell", "rnnCell" and "svdf": steps of a recurrent layer, from the states before them to those after
// them. All operands are f32, or all are f16 (then sums are in f32, states between steps too, and results are rounded
// once). A matrix of r rows and c columns is a map of height 1, width r and c channels; a vector is a matrix of one
// row. Every row of a state belongs to one element of the batch.
//
// `input` and `output` of lstmCell and rnnCell are sequences: maps whose height is the number of steps and whose width
// is the batch, or the other way round (StepOrder). One step is a sequence of one, so [batch, features] is one.
//
// lstmCell   omitted parts (LstmCellPart) are not among the inputs; a group has one operand for each gate, in the order
//            input, forget, cell, output, without the input gate if that is coupled to the forget gate
//   inputs   input [steps, batch, features], output state [batch, outputs], cell state [batch, cells],
//            input weights: gates x [cells, features], recurrent weights: gates x [cells, outputs],
//            peepholes: gates less the cell gate x [cells], biases: gates x [cells],
//            projection [outputs, cells], projection bias [outputs], layer norm: gates x [cells]
//   outputs  gates [batch, gates * cells] after their activations in the last step, output state, cell state, output
//            (the output state of every step)
//
//     g = sigmoid(norm(W x + R h + p * c) * n + b) for input i, forget f and output o; act() in place of sigmoid, and
//         no peephole, for the cell gate z; the output gate's peephole reads the new cell state
//     c = clip(f * c + i * z), i = 1 - f where coupled
//     h = clip(P (o * act(c)) + bp), or o * act(c) without projection
//
//   norm() makes mean 0 and variance 1 over a gate's cells; without it n is 1. Without projection outputs = cells.
//
// rnnCell
//   inputs   input [steps, batch, features], weights [units, features], recurrent weights [units, units],
//            bias [units], state [batch, units]
//   outputs  state [batch, units] and output [steps, batch, units], both act(W x + R h + b)
//
// svdf       filters = units * rank; the filters of one unit follow each other
//   inputs   input [batch, features], feature weights [filters, features], time weights [filters, memory],
//            bias [units] (may be absent), state [batch, filters * memory]
//   outputs  state, output [batch, units]
//
//     The state of a filter is a window of `memory` activations, the newest last. The newest is W x. The output of a
//     filter is the dot product of its window and its time weights, that of a unit is act(sum of its filters + bias).
//     Then each window moves up by one, and its last place is cleared.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_CELLS_H
#define AVOCET_KERNELS_DSP_CELLS_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kLstmCellKernel{"lstmCell", 44};
inline constexpr KernelId kRnnCellKernel{"rnnCell", 45};
inline constexpr KernelId kSvdfKernel{"svdf", 46};

/// Numbers are those of the networks API.
enum class CellActivation : uint32_t { None = 0, Relu = 1, ReluN1To1 = 2, Relu6 = 3, Tanh = 4, Sigmoid = 6 };

/// Which axis of a sequence is the outer one.
enum class StepOrder : uint32_t { TimeMajor = 0, BatchMajor = 1 };

/// Bits of LstmCellParameters::parts.
enum LstmCellPart : uint32_t {
  kLstmInputGate = 1, ///< not set: the input gate is coupled to the forget gate
  kLstmPeepholes = 2,
  kLstmProjection = 4,
  kLstmProjectionBias = 8, ///< only with projection
  kLstmLayerNorm = 16,
  kLstmAllParts = 31
};

struct LstmCellParameters {
  uint32_t parts = 0;
  CellActivation activation = CellActivation::Tanh;
  float cellClip = 0;       ///< positive: largest magnitude of the cell state
  float projectionClip = 0; ///< the same for the projected output
  StepOrder order = StepOrder::TimeMajor;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("parts", self.parts);
    visit("activation", self.activation);
    visit("cellClip", self.cellClip);
    visit("projectionClip", self.projectionClip);
    visit("order", self.order);
  }
};

/// The index of the first operand of each group of an LSTM cell.
struct LstmCellLayout {
  explicit LstmCellLayout(uint32_t parts);

  uint32_t gates; ///< 3 or 4
  uint32_t inputWeights = 3, recurrentWeights, peepholes, biases, projection, projectionBias, layerNorm, count;
};

struct RnnCellParameters {
  CellActivation activation = CellActivation::None;
  StepOrder order = StepOrder::TimeMajor;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("activation", self.activation);
    visit("order", self.order);
  }
};

struct SvdfParameters {
  uint32_t rank = 1;
  CellActivation activation = CellActivation::None;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("rank", self.rank);
    visit("activation", self.activation);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_CELLS_H
