//===- SplitRows.h - Operations with repeated rows, row by row --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SPLITROWS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SPLITROWS_H

#include "Placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace avocet::compiler {

/// Splits groups of element-wise operations of the array that read an operand in each of their rows, as rotary
/// embeddings do, whose rows are the tokens of a head: one group for each row, whose pixels become rows. Then stripes
/// of a row stay on chip from one operation to the next. Split are those whose rows are too large for that.
void splitRows(mlir::func::FuncOp placed, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_SPLITROWS_H
