//===- EmitPieces.h - Pieces as steps of a sequence -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_EMITPIECES_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_EMITPIECES_H

#include "Piece.h"

#include "Schedule/Core/Sequence.h"
#include "avocet/kernels/BlockChoice.h"

#include <functional>

namespace avocet::compiler::schedule {

/// The parts of the surrounding lowering that emitting pieces needs.
struct PieceContext {
  const Problem &problem;
  kernels::BlockChooser &chooser;
  Sequence &sequence;
  std::function<uint32_t(uint32_t tensor)> source;                    ///< buffer outside SRAM to read from
  std::function<std::vector<uint32_t>(uint32_t tensor)> destinations; ///< all buffers to write to, possibly none
};

/// Appends loads, commands and stores of each piece. Every operand has two buffers, used alternately. A box that is
/// already in SRAM is not loaded again.
void emitPieces(const PieceContext &context, uint32_t operation, const Pieces &pieces);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_EMITPIECES_H
