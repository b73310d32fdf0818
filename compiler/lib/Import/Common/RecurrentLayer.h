//===- RecurrentLayer.h - Layers of recurrent cells -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layer runs a cell over the steps of a sequence, as a cell of the dialect or unrolled: then it is one product for
// the inputs of all steps, and formulas for each step.
//
// Weights and biases have the rows of all gates, in the order of ONNX: update, reset and hidden gate of a GRU; input,
// output, forget and cell gate of an LSTM.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_RECURRENTLAYER_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_RECURRENTLAYER_H

#include "Formula.h"

#include <functional>

namespace avocet::compiler {

enum class CellKind : int64_t { Simple = 1, Gru = 3, Lstm = 4 }; ///< with the number of gates

/// What all directions share.
struct RecurrentLayer {
  CellKind kind;
  mlir::Value x; ///< [steps, batch, features]
  int64_t hidden = 0;
  mlir::SmallVector<int64_t> lengths = {}; ///< of the sequences, at most all steps; empty: all steps
  float clip = 0;                          ///< of the values before functions; 0: none
  bool coupled = false;                    ///< the forget gate is 1 - input gate
  bool linearBeforeReset = false;          ///< of a GRU: the reset gate counts after the product

  int64_t gates() const { return static_cast<int64_t>(kind); }
  int64_t steps() const { return shapeOf(x)[0]; }
  int64_t batch() const { return shapeOf(x)[1]; }
};

struct RecurrentDirection {
  bool isReverse;
  mlir::Value weights, recurrent;            ///< [gates * hidden, features], [gates * hidden, hidden]
  mlir::Value bias = {}, recurrentBias = {}; ///< [gates * hidden]; both may be null
  mlir::Value peepholes = {};                ///< [3 * hidden] of input, output and forget gate; may be null
  mlir::Value output = {}, cell = {};        ///< states before the first step, [batch, hidden]
  /// Of gates, of the new values, and of the cell state in the order in which the kind of cell uses them.
  mlir::SmallVector<std::function<mlir::Value(Formula &f, mlir::Value x)>, 3> functions = {};
  /// The cell of the dialect that computes the same with these functions; none: no cell does.
  std::optional<nn::CellActivation> activation = {};
};

/// A null sequence: after a report.
struct RecurrentResults {
  mlir::Value sequence, output, cell; ///< [steps, batch, hidden], and the states after the last step
};

RecurrentResults runLayer(ImportedOperation &op, const RecurrentLayer &layer, const RecurrentDirection &direction);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_RECURRENTLAYER_H
