//===- NnapiCells.h - Operands that recurrent layers share ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPICELLS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPICELLS_H

#include "NnapiGraph.h"

#include "Import/Common/Cells.h"

namespace avocet::compiler {

/// Reads the INT32 code of a cell's activation.
mlir::FailureOr<nn::CellActivation> cellActivation(NnapiOperation &op, uint32_t position);

/// Reads states as operands.
inline auto stateOperands(NnapiOperation &op) {
  return [&op](uint32_t position, llvm::StringRef operand) { return op.value(position, operand); };
}

/// Reads activation and clips, from position `activation` on.
mlir::FailureOr<CellForm> readLstmForm(NnapiOperation &op, uint32_t activation);

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

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPICELLS_H
