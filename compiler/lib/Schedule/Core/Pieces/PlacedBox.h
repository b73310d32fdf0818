//===- PlacedBox.h - Boxes of parts of tensors ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_PLACEDBOX_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_PLACEDBOX_H

#include "Piece.h"

namespace avocet::compiler::schedule {

/// The copies between a box of an operand, dense in SRAM, and the operand's place in its tensor; one if the operand is
/// dense. Sources or destinations are relative to the start of the tensor.
std::vector<firmware::DmaCommand> copiesOf(const Operand &operand, const Box &box, bool isLoad);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PIECES_PLACEDBOX_H
