//===- EmitPieces.h - Pieces as steps of a sequence -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_PIECES_EMITPIECES_H
#define AVOCET_COMPILER_LIB_SCHEDULE_PIECES_EMITPIECES_H

#include "Piece.h"

#include "avocet/compiler/Schedule/Sequence.h"
#include "avocet/kernels/BlockChoice.h"

#include <functional>

namespace avocet::compiler::schedule {

/// What the emission of pieces needs of the lowering around it.
struct PieceContext {
  const Problem &problem;
  kernels::BlockChooser &chooser;
  Sequence &sequence;
  std::function<uint32_t(uint32_t tensor)> source;                    ///< buffer outside SRAM that is read
  std::function<std::vector<uint32_t>(uint32_t tensor)> destinations; ///< all that are written, perhaps none
};

/// Appends loads, commands and stores of each piece. Every operand has two buffers, which take turns; what a piece
/// needs that is there already is not loaded again.
void emitPieces(const PieceContext &context, uint32_t operation, const Pieces &pieces);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_PIECES_EMITPIECES_H
