//===- OpenRows.h - Tensors whose rows depend on data -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that select boxes have as many results as the data gives. A program computes with the largest possible
// number of rows (axis 0), of which the first are valid, and returns the number of valid ones. Every operation on such
// a tensor must compute each row of its result from the same row of its operands; others are refused, but for
// CONCATENATION along the rows, which moves valid rows together.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENROWS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENROWS_H

#include "NnapiFile.h"
#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"

#include <compare>
#include <optional>
#include <vector>

namespace avocet::compiler {

class NnapiGraph;
class NnapiOperation;
struct NnapiImport;

/// The number of valid rows of a tensor, as a sum.
struct OpenRows {
  /// `factor` rows for each box that operation `source` of the main subgraph selects.
  struct Part {
    uint32_t source;
    int64_t factor;
    auto operator<=>(const Part &) const = default;
  };

  std::vector<Part> parts; ///< in order, one of each source; at least one
  int64_t fixed = 0;       ///< rows besides these

  auto operator<=>(const OpenRows &) const = default;
  /// The rows of this tensor, then those of another one.
  OpenRows &operator+=(const OpenRows &other);
};

/// Values of the main function that have open rows.
using OpenRowMap = llvm::DenseMap<mlir::Value, OpenRows>;

/// Null if the number of rows does not depend on data.
const OpenRows *openRowsOf(const NnapiImport &import, mlir::Value value);

/// The rows of the operation's results if the model declares them: those of the first result that does.
std::optional<int64_t> declaredRowsOf(const nnapi::Subgraph &graph, const nnapi::Operation &operation);

/// Most outputs of the main subgraph that can have open rows.
uint64_t mostOpenOutputs(const NnapiFile &file);

/// Notes the rows of what the converter of an operation of the main subgraph has created. Fails after a refusal if the
/// device cannot compute it on open rows.
mlir::LogicalResult trackOpenRows(NnapiOperation &op);

/// The number of valid rows of a tensor with open rows, i32 [1], computed once from the results of the operations that
/// select the boxes.
mlir::Value rowCount(NnapiGraph &graph, const OpenRows &rows);

/// A concatenation of the inputs along the rows, which are the first operands of the operation: with its valid rows
/// first, in their order. Unchanged if they are. Null after a refusal.
mlir::Value validRowsFirst(NnapiOperation &op, mlir::ValueRange inputs, mlir::Value joined);

/// Scores [rows, classes], with zeros in rows that are not valid: a score of zero is never above a threshold. Unchanged
/// if all rows are valid. Null after a refusal.
mlir::Value validScores(NnapiOperation &op, mlir::Value scores);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENROWS_H
