//===- IntegerCells.h - Recurrent steps in integers -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels "integerLstmCell", "integerSvdf" and "quantized16BitLstm". Matrices, vectors, sequences and the order of
// operands are those of Cells.h.
//
// integerLstmCell   lstmCell in the 8x8->16 form of TFLite: sequences, output state, weights and projection i8, cell
//                   state, peepholes, layer norm and gates i16, biases i32. Sums of gates have 16 bits and are rounded
//                   and saturated after each product: with the weights, the recurrent weights, the peephole. They have
//                   3 integer bits when their function is computed, which is tanh for the cell gate and the logistic
//                   function for the others. Zero points: input, output state (equal to that of the output); weights
//                   have none. Without layer norm the bias belongs to the product with the weights, with it to the
//                   normalized sum.
//
// integerSvdf       svdf with i8 input, feature weights and output, time weights and state both i16 or both i8,
//                   i32 bias. The state may have a zero point.
//
// quantized16BitLstm
//   inputs   input u8 [batch, features], output state u8 [batch, cells], cell state i16 [batch, cells],
//            input weights u8: 4 x [cells, features], recurrent weights u8: 4 x [cells, cells], biases i32: 4 x [cells]
//   outputs  cell state, output u8 [batch, cells]
//
//     Every gate is rounded once to 3 integer bits, from the sum of its bias and all its products. Cell states have 4
//     integer bits, outputs scale 1/128 and zero point 128.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_INTEGERCELLS_H
#define AVOCET_KERNELS_DSP_INTEGERCELLS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/dsp/Cells.h"

#include <array>

namespace avocet::kernels {

inline constexpr KernelId kIntegerLstmCellKernel{"integerLstmCell", 50};
inline constexpr KernelId kQuantized16BitLstmKernel{"quantized16BitLstm", 51};
inline constexpr KernelId kIntegerSvdfKernel{"integerSvdf", 55};

/// Visits the two words of a rescale.
template <typename R, typename V> void visitRescale(R &rescale, V &&visit) {
  visit("multiplier", rescale.multiplier);
  visit("shift", rescale.shift);
}

/// Gates are in the order input, forget, cell, output; entries of gates or parts that a cell lacks are not read.
struct IntegerLstmCellParameters {
  struct Gate {
    firmware::Rescale input, recurrent; ///< products with weights to the scale of the gate's sum
    firmware::Rescale peephole;         ///< the same for the product with the cell state
    firmware::Rescale norm;             ///< normalized sums, times the coefficients, to 3 integer bits
    int32_t leastVariance = 1;          ///< replaces a variance of 0
  };

  uint32_t parts = 0; ///< bits of LstmCellPart
  StepOrder order = StepOrder::TimeMajor;
  std::array<Gate, 4> gates{};
  firmware::Rescale hidden; ///< output gate * tanh(cell) to the hidden state
  int32_t hiddenZeroPoint = 0;
  firmware::Rescale projection; ///< sums of the projection to the output
  int32_t cellExponent = -12;   ///< scale of the cell state is 2^cellExponent, -15 to -9
  int32_t cellClip = 0;         ///< clip of the stored cell state, 0: none
  int32_t projectionClip = 0;   ///< clip of the stored output, 0: none

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("parts", self.parts);
    visit("order", self.order);
    for (auto &gate : self.gates) {
      visitRescale(gate.input, visit);
      visitRescale(gate.recurrent, visit);
      visitRescale(gate.peephole, visit);
      visitRescale(gate.norm, visit);
      visit("leastVariance", gate.leastVariance);
    }
    visitRescale(self.hidden, visit);
    visit("hiddenZeroPoint", self.hiddenZeroPoint);
    visitRescale(self.projection, visit);
    visit("cellExponent", self.cellExponent);
    visit("cellClip", self.cellClip);
    visit("projectionClip", self.projectionClip);
  }
};

/// The real scales of a quantized LSTM cell; those of gates and parts that it lacks are 0.
struct IntegerLstmCellScales {
  struct Gate {
    float inputWeights = 0, recurrentWeights = 0, peephole = 0, norm = 0;
    float sum = 0; ///< before normalization
  };

  std::array<Gate, 4> gates{};
  float input = 0, outputState = 0, hidden = 0, projection = 0;
  float cellState = 0;                    ///< must be a power of two
  float cellClip = 0, projectionClip = 0; ///< real, 0: none
  float projectionClipScale = 0;          ///< of the stored clip
};

/// Sets everything except parts, order and the hidden zero point. InvalidArgument if the cell scale is no power of two
/// in 2^-15 .. 2^-9, or a scale is out of range.
Result<IntegerLstmCellParameters> prepareIntegerLstmCell(const IntegerLstmCellScales &scales);

struct Quantized16BitLstmParameters {
  firmware::Rescale gates; ///< sums of products to 3 integer bits

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visitRescale(self.gates, visit);
  }
};

struct IntegerSvdfParameters {
  uint32_t rank = 1;
  firmware::Rescale feature; ///< products with the feature weights to the state
  firmware::Rescale output;  ///< sums of products with the time weights to the output

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("rank", self.rank);
    visitRescale(self.feature, visit);
    visitRescale(self.output, visit);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_INTEGERCELLS_H
