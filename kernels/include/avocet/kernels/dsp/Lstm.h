//===- Lstm.h - Recurrent cells over a sequence --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels "integerLstm", "floatLstm", "integerLstmSteps", "floatLstmSteps" and "hybridLstmSteps": an LSTM without
// peepholes, projection and layer normalization, over a whole sequence in one command. Batch is 1; a batched network
// issues one command per batch item.
//
// Per step: each gate g is activation(Wg * x + Rg * h + biasg), with tanh for the cell gate and the logistic function
// for the others; cell = forget * cell + input * cellGate, clipped; h = output * tanh(cell).
//
// Operands, in this order; T steps, I inputs, C cells; matrices are row-major, shape (height, width, channels):
//   inputs[0]      sequence             T x 1 x I   (row t is step t)
//   inputs[1..4]   input weights        C x 1 x I   of the input, forget, cell and output gate
//   inputs[5..8]   recurrent weights    C x 1 x C   of the input, forget, cell and output gate
//   inputs[9..12]  biases               1 x 1 x C   of the input, forget, cell and output gate
//   inputs[13]     hidden state         1 x 1 x C   optional, together with inputs[14]: copied to outputs[1] and
//   inputs[14]     cell state           1 x 1 x C   outputs[2] before the first step
//   outputs[0]     sequence             T x 1 x C   (hidden state after step t)
//   outputs[1]     hidden state         1 x 1 x C   read and written: set before the first step, e.g. by a Fill
//   outputs[2]     cell state           1 x 1 x C   read and written
// outputs[1] and outputs[2] carry the state from one command to the next, so that a long sequence can be split.
// All rows are contiguous (pixelStride is irrelevant with width 1).
//
// "floatLstm"    all operands f32; parameters FloatLstmParameters.
// "integerLstm"  TFLite's 8x8->16 form: sequences, weights and hidden state i8, biases i32, cell state i16 with scale
//                2^cellExponent and zero point 0. Zero points: inputs[0].zeroPoint, outputs[1].zeroPoint (hidden state,
//                equal to outputs[0]'s and inputs[13]'s); weights have none. Gate sums are Q3.12, gate values Q0.15,
//                logistic and tanh in 16-bit fixed point. Parameters IntegerLstmParameters.
//
// "floatLstmSteps" and "integerLstmSteps" get the products of the inputs, which need no state, from another command,
// such as one of the MAC array for all steps. Operands:
//   inputs[0]      sums                 T x 1 x 4C  Wg * x + biasg, gate by gate; i16 (Q3.12, saturated) or f32
//   inputs[1]      recurrent weights    C x 1 x 4C  row h: the weights of hidden state h, gate by gate; i8 or f32
//   inputs[2]      hidden state         1 x 1 x C   optional, together with inputs[3], as inputs[13] and inputs[14]
//   inputs[3]      cell state           1 x 1 x C
// Outputs, types and results are those of the other two kernels, bit for bit. Parameters FloatLstmParameters and
// IntegerLstmStepsParameters.
//
// "hybridLstmSteps" has f32 sequences and states and i8 weights with zero point 0, whose products with a vector are
// those of HybridCells.h. Operands:
//   inputs[0]      sequence             T x 1 x I
//   inputs[1]      weights              I + C x 1 x 4C  row i: the weights of input i, then of hidden state i - I, gate
//                                       by gate; i8
//   inputs[2]      biases               1 x 1 x 4C  gate by gate
//   inputs[3]      hidden state         1 x 1 x C   optional, together with inputs[4], as inputs[13] and inputs[14]
//   inputs[4]      cell state           1 x 1 x C
// Outputs as above. Results are those of "hybridLstmCell" with the same operands, bit for bit. Parameters
// HybridLstmStepsParameters.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_LSTM_H
#define AVOCET_KERNELS_DSP_LSTM_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <array>
#include <cstdint>
#include <string>

namespace avocet::kernels {

inline constexpr KernelId kIntegerLstmKernel{"integerLstm", 8};
inline constexpr KernelId kFloatLstmKernel{"floatLstm", 9};
inline constexpr KernelId kIntegerLstmStepsKernel{"integerLstmSteps", 81};
inline constexpr KernelId kFloatLstmStepsKernel{"floatLstmSteps", 82};
inline constexpr KernelId kHybridLstmStepsKernel{"hybridLstmSteps", 86};

/// Order of the gates in operands and parameters.
enum class LstmGate : uint32_t { Input = 0, Forget = 1, Cell = 2, Output = 3 };
inline constexpr uint32_t kNumLstmGates = 4;

/// Operand indices.
inline constexpr uint32_t kLstmSequence = 0;
inline constexpr uint32_t kLstmInputWeights = 1;
inline constexpr uint32_t kLstmRecurrentWeights = 5;
inline constexpr uint32_t kLstmBiases = 9;
inline constexpr uint32_t kNumLstmInputs = 13; ///< without the optional states
inline constexpr uint32_t kLstmOutputSequence = 0;
inline constexpr uint32_t kLstmHiddenState = 1;
inline constexpr uint32_t kLstmCellState = 2;
inline constexpr uint32_t kNumLstmOutputs = 3;

/// Operand indices of the kernels of steps; the outputs are the same.
inline constexpr uint32_t kLstmSums = 0;
inline constexpr uint32_t kLstmRecurrentColumns = 1;
inline constexpr uint32_t kNumLstmStepsInputs = 2; ///< without the optional states

/// Of the hybrid kernel of steps.
inline constexpr uint32_t kHybridLstmColumns = 1;
inline constexpr uint32_t kHybridLstmBiases = 2;
inline constexpr uint32_t kNumHybridLstmInputs = 3; ///< without the optional states

struct FloatLstmParameters {
  float cellClip = 0.0f; ///< cell state is clipped to [-cellClip, cellClip]; 0: no clip

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("cellClip", self.cellClip);
  }
};

struct HybridLstmStepsParameters {
  float cellClip = 0.0f;                                       ///< as in FloatLstmParameters
  uint32_t asymmetric = 0;                                     ///< 1: vectors are rounded around a zero point
  std::array<float, kNumLstmGates> input = {}, recurrent = {}; ///< scales of the weights by gate, positive

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("cellClip", self.cellClip);
    visit("asymmetric", self.asymmetric);
    for (auto *scales : {&self.input, &self.recurrent})
      for (auto &scale : *scales)
        visit("scale", scale);
  }
};

struct IntegerLstmStepsParameters {
  std::array<firmware::Rescale, kNumLstmGates> recurrent{}; ///< Rg * h to Q3.12, by gate
  firmware::Rescale hidden;                                 ///< output gate * tanh(cell), Q0.30, to the hidden state
  int32_t cellExponent = -12;                               ///< scale of the cell state is 2^cellExponent, -15 to -9
  int32_t cellClip = 0;                                     ///< clip of the stored cell state, 0: no clip

  template <typename V> static void visitRescale(auto &rescale, V &&visit) {
    visit("multiplier", rescale.multiplier);
    visit("shift", rescale.shift);
  }

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    for (auto &r : self.recurrent)
      visitRescale(r, visit);
    visitRescale(self.hidden, visit);
    visit("cellExponent", self.cellExponent);
    visit("cellClip", self.cellClip);
  }
};

struct IntegerLstmParameters : IntegerLstmStepsParameters {
  std::array<firmware::Rescale, kNumLstmGates> input{}; ///< Wg * x to Q3.12, by gate

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    for (auto &r : self.input)
      visitRescale(r, visit);
    IntegerLstmStepsParameters::visitFields(self, visit);
  }
};

/// The real scales of a quantized LSTM in the graph.
struct IntegerLstmScales {
  float input = 0;              ///< sequence
  float hiddenState = 0;        ///< state tensor
  float hiddenIntermediate = 0; ///< output gate * tanh(cell) (equal to hiddenState without projection)
  float cellState = 0;          ///< must be a power of two
  float cellClip = 0;           ///< real, 0: none
  std::array<float, kNumLstmGates> inputWeights{};
  std::array<float, kNumLstmGates> recurrentWeights{};
};

/// InvalidArgument if the cell scale is no power of two in 2^-15 .. 2^-9, or a scale is out of range.
Result<IntegerLstmParameters> prepareIntegerLstm(const IntegerLstmScales &scales);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_LSTM_H
