//===- Cells.h - Operands that recurrent layers share -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_CELLS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_CELLS_H

#include "Create.h"

namespace avocet::compiler {

/// Positions of the operands that all LSTMs have in this order, in all formats.
enum LstmOperand : uint32_t {
  kLstmInput = 0,
  kLstmInputWeights = 1,
  kLstmRecurrentWeights = 5,
  kLstmPeepholes = 9,
  kLstmBiases = 12,
  kLstmProjection = 16,
  kLstmProjectionBias = 17,
};

/// Where one LSTM of an operation has its operands.
struct LstmPositions {
  uint32_t shift; ///< added to the positions of weights and biases in LstmOperand
  uint32_t outputState, cellState, layerNorm;
};

struct LstmOperands {
  mlir::Value input, outputState, cellState;
  llvm::SmallVector<mlir::Value> inputWeights, recurrentWeights, peepholes, biases, projection, layerNorm;
};

/// What the attributes of a cell say.
struct CellForm {
  nn::CellActivation activation = nn::CellActivation::Tanh;
  float cellClip = 0, projectionClip = 0;
  bool batchMajor = false;
  bool asymmetric = false;                     ///< see nn.lstm_cell
  llvm::SmallVector<mlir::Type> intermediates; ///< of a quantized cell
};

/// Reads the state at a position: an operand, or zeros of a variable's type. Null after a refusal.
using StateReader = llvm::function_ref<mlir::Value(uint32_t position, llvm::StringRef operand)>;

/// Reads all operands. The input has the given rank; operands that belong together must all be present or all omitted.
mlir::FailureOr<LstmOperands> readLstm(ImportedOperation &op, const LstmPositions &positions, size_t rank,
                                       StateReader readState);

/// A cell with these results, in the order of the operation; null after a problem.
nn::LstmCellOp createLstm(ImportedOperation &op, const LstmOperands &operands, const CellForm &form,
                          ResultTypes typeOf);
/// The same with the element types of the states; gates of quantized cells have 16 bits.
nn::LstmCellOp createLstm(ImportedOperation &op, const LstmOperands &operands, const CellForm &form);

/// A cell with these weights for the input. Recurrent weights, bias and state are the operands from `recurrent` on.
/// Null after a problem.
nn::RnnCellOp createRnn(ImportedOperation &op, mlir::Value input, mlir::Value weights, uint32_t recurrent,
                        const CellForm &form, StateReader readState, ResultTypes typeOf);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_CELLS_H
