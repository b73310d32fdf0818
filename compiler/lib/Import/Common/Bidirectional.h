//===- Bidirectional.h - Recurrent layers in both directions ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bidirectional layer is two layers, one of which reads and writes its sequence from the end. With auxiliary weights
// both read the auxiliary input too: as further features, whose weights are further columns. Without them the backward
// layer reads the auxiliary input in place of the input.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_BIDIRECTIONAL_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_BIDIRECTIONAL_H

#include "Cells.h"

namespace avocet::compiler {

/// Positions of the operands of bidirectional LSTMs, in all formats. Only NNAPI has layer normalization.
inline constexpr LstmPositions kForwardLstm{0, 35, 36, 53}, kBackwardLstm{17, 37, 38, 57};
inline constexpr uint32_t kLstmAuxInput = 39, kLstmAuxForward = 40, kLstmAuxBackward = 44, kLstmAuxEnd = 48;

/// The same of bidirectional RNNs: weights, recurrent weights, bias and state of both directions, auxiliary operands.
inline constexpr uint32_t kRnnForward = 1, kRnnBackward = 5, kRnnAuxInput = 9, kRnnAuxForward = 10,
                          kRnnAuxBackward = 11;

/// Positions of the states, in the order in which the next states are returned.
inline constexpr uint32_t kLstmStates[] = {kForwardLstm.outputState, kForwardLstm.cellState, kBackwardLstm.outputState,
                                           kBackwardLstm.cellState};
inline constexpr uint32_t kRnnStates[] = {kRnnForward + 3, kRnnBackward + 3};

/// Return the states after the last step. `mergeOutputs`: the outputs of both directions are one tensor.
mlir::FailureOr<mlir::SmallVector<mlir::Value>> convertBidirectionalLstm(ImportedOperation &op, const CellForm &form,
                                                                         bool mergeOutputs, StateReader readState);
mlir::FailureOr<mlir::SmallVector<mlir::Value>> convertBidirectionalRnn(ImportedOperation &op, const CellForm &form,
                                                                        bool mergeOutputs, StateReader readState);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_BIDIRECTIONAL_H
