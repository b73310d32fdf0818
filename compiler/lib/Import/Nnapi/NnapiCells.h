//===- NnapiCells.h - Operands that recurrent layers share ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPICELLS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPICELLS_H

#include "NnapiGraph.h"

namespace avocet::compiler {

/// Positions of the operands that all LSTMs have in this order.
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

/// Reads the INT32 code of a cell's activation.
mlir::FailureOr<nn::CellActivation> cellActivation(NnapiOperation &op, uint32_t position);

/// Reads the tensors from which the result shapes follow; the input has the given rank.
mlir::LogicalResult readLstmStates(NnapiOperation &op, const LstmPositions &positions, size_t rank,
                                   LstmOperands &operands);
/// Reads all weights and biases; operands that belong together must all be present or all be omitted.
mlir::LogicalResult readLstmWeights(NnapiOperation &op, const LstmPositions &positions, LstmOperands &operands);

/// Reads activation and clips, from position `activation` on, and creates the LSTM. `types` are those of gates, output
/// state, cell state and output.
mlir::FailureOr<nn::LstmCellOp> createLstm(NnapiOperation &op, const LstmOperands &operands, uint32_t activation,
                                           mlir::ArrayRef<mlir::Type> types, bool batchMajor);

/// Sets of the optional parts of an LSTM: input gate, peepholes, normalization, projection and its bias.
inline constexpr uint32_t kLstmPartSets = 32;

/// Appends the operands of the parts, those of set `parts`, that an execution provides. Fails without a report if the
/// weights are no matrices.
mlir::LogicalResult addPresentParts(NnapiOperation &op, const LstmPositions &positions, uint32_t parts,
                                    NnapiPresent &present);

/// The positions that addPresentParts() may append.
constexpr uint64_t optionalOperands(const LstmPositions &positions) {
  uint64_t bits = uint64_t{15} << positions.layerNorm;
  for (uint32_t operand :
       {uint32_t(kLstmInputWeights), uint32_t(kLstmRecurrentWeights), kLstmPeepholes + 0u, kLstmPeepholes + 1u,
        kLstmPeepholes + 2u, uint32_t(kLstmBiases), uint32_t(kLstmProjection), uint32_t(kLstmProjectionBias)})
    bits |= uint64_t{1} << (positions.shift + operand);
  return bits;
}

/// The shape of an output: that of the input with another last extent.
llvm::SmallVector<int64_t> sequenceShape(mlir::Value input, int64_t outputs);

/// Binds as many of the values as the model has results.
mlir::LogicalResult finishAll(NnapiOperation &op, mlir::ArrayRef<mlir::Value> results);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPICELLS_H
