//===- OpenRows.h - Tensors whose rows depend on data -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that select boxes have as many results as the data gives. A program computes with the largest possible
// number of rows (axis 0), of which the first are valid, and returns the number of valid ones. Every operation on such
// a tensor must compute each row of its result from the same row of its operands; others are refused.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENROWS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENROWS_H

#include "NnapiFile.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace avocet::compiler {

class NnapiGraph;
class NnapiOperation;

/// The valid rows of a tensor: `factor` for each box that operation `source` of the main subgraph selects.
struct OpenRows {
  uint32_t source = 0;
  int64_t factor = 1;
  bool operator==(const OpenRows &) const = default;
};

/// What OpenRowMap::problem() breaks, for refusals.
inline constexpr llvm::StringLiteral kOpenRowsRule =
    "each row of the result comes from one row of the inputs, since the number of rows depends on data";

/// The rows of the operation's results if the model declares them: those of the first result that does.
std::optional<int64_t> declaredRowsOf(const nnapi::Subgraph &graph, const nnapi::Operation &operation);

/// The operands of the main subgraph that have open rows.
class OpenRowMap {
public:
  explicit OpenRowMap(const NnapiFile &file);

  /// Null if the number of rows does not depend on data.
  const OpenRows *of(uint32_t operand) const { return rows_[operand] ? &*rows_[operand] : nullptr; }
  /// Why the device cannot compute an operation of the main subgraph on open rows; empty if it can.
  const std::string &problem(uint32_t operation) const { return problems_[operation]; }

private:
  friend class OpenRowStep;

  const NnapiFile &file_;
  std::vector<std::optional<OpenRows>> rows_; ///< by operand
  std::vector<std::string> problems_;         ///< by operation
};

/// The number of valid rows, i32 [1], computed from the results of the operation that selects the boxes.
mlir::Value rowCount(NnapiGraph &graph, const OpenRows &rows);

/// The scores of an operation's operand at a position, [rows, classes], with zeros in rows that are not valid: a score
/// of zero is never above a threshold. Unchanged if all rows are valid. Null after a refusal.
mlir::Value validScores(NnapiOperation &op, uint32_t position, mlir::Value scores);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENROWS_H
