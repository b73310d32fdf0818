//===- InPlace.h - Results in the places of operands ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element-wise operation, or a convolution with a residual addition, may write its result over an operand: the array
// reads an element of the operand before it writes the same element of the result. Both tensors then share one buffer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_INPLACE_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_INPLACE_H

#include "TensorUses.h"
#include "avocet/compiler/Schedule/Core/RowFlow.h"

#include <array>

namespace avocet::compiler::schedule {

/// Tensors; kNone after the last.
using InPlaceOperands = std::array<uint32_t, 2>;

/// The operands of an operation whose place its result may take, if both are whole in SRAM: tensors of the result's
/// shape that the operation reads element by element, and only once.
InPlaceOperands inPlaceOperands(const Problem &problem, uint32_t operation);

/// Whether nothing needs the tensor after the operation. Required of operands that are in SRAM, not of a copy of one in
/// DRAM.
bool isLastUse(const Problem &problem, const TensorUses &uses, uint32_t tensor, uint32_t operation);

/// Whether the other operations of a cascade have read each row of the tensor before the operation overwrites it. The
/// order of tiles does not depend on residencies, so the answer for a flow holds for all residencies of its borders.
bool isReadBefore(const Problem &problem, const RowFlow &flow, uint32_t tensor, uint32_t operation);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_INPLACE_H
