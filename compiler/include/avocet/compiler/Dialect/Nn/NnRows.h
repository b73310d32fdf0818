//===- NnRows.h - Rows of results from rows of operands ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are the parts of a tensor along axis 0. Where their number depends on data, a network computes with the largest
// number, of which the first rows are valid. Each function here is the rule of a family by which rows of results come
// from rows of operands; the field `rows` of a TableGen record calls it (NnBase.td).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNROWS_H
#define AVOCET_COMPILER_DIALECT_NN_NNROWS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <initializer_list>
#include <optional>

namespace avocet::compiler::nn {

/// Which operands have rows whose number depends on data. It is the same number for all of them, at least one.
using OpenOperands = llvm::ArrayRef<bool>;

/// `made` rows of each result come from `read` rows of each open operand, in order; the fraction is reduced.
struct RowRatio {
  int64_t made = 1, read = 1;
};

/// Functions return nullopt if rows do not remain separate.
using RowRule = std::optional<RowRatio>;

/// Each row from the same row of exactly these operands.
RowRule keepRows(OpenOperands open, std::initializer_list<size_t> operands);

/// The same of the first operand, if the operation works along other axes.
RowRule keepRowsBeside(OpenOperands open, llvm::ArrayRef<int64_t> axes);

/// The same of all operands, which broadcast: others than the open ones have one row for all.
RowRule keepBroadcastRows(mlir::Operation *op, OpenOperands open);

/// Elements keep their order; each row becomes whole rows, or whole rows become one.
RowRule regroupRows(mlir::Value input, mlir::Value result, OpenOperands open);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNROWS_H
