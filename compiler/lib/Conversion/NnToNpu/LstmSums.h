//===- LstmSums.h - Products of an LSTM without its state -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LSTMSUMS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LSTMSUMS_H

#include "Placement.h"

#include "avocet/kernels/dsp/Lstm.h"

namespace avocet::compiler {

/// The products of an LSTM's inputs, plus the biases: they need no state, so the array computes them for all steps at
/// once. Weights and biases are constants of the network, by gate.
struct LstmSums {
  mlir::Operation *op;
  mlir::Value input; ///< storage: [steps, 1, features]
  int32_t inputZeroPoint;
  mlir::ValueRange weights, recurrentWeights, biases;
  std::array<firmware::Rescale, kernels::kNumLstmGates> rescales; ///< of integers: to the scale of the gates' sums
};

/// Whether the array takes the products, and half of the SRAM holds all of them beside the recurrent weights.
bool arrayTakesSums(const LstmSums &sums, Placement &placement);

/// inputs[0] of the kernels of steps (kernels/dsp/Lstm.h). Requires arrayTakesSums().
mlir::Value placeSums(const LstmSums &sums, Placement &placement);
/// inputs[1] of the kernels of steps.
mlir::Value placeRecurrentColumns(const LstmSums &sums, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LSTMSUMS_H
