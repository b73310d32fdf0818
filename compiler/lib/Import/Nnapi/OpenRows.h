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
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/StringRef.h"

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace avocet::compiler {

class NnapiGraph;
class NnapiOperation;

/// The number of valid rows of a tensor, as a sum.
struct OpenRows {
  /// `factor` rows for each box that operation `source` of the main subgraph selects; or for each row of its operand
  /// `source`, all of which are valid, and whose number the model does not declare.
  struct Part {
    bool isOperand;
    uint32_t source;
    int64_t factor;
    auto operator<=>(const Part &) const = default;
  };

  std::vector<Part> parts; ///< in order, one of each source; the first is of an operation
  int64_t fixed = 0;       ///< rows besides these

  auto operator<=>(const OpenRows &) const = default;
  /// The rows of this tensor, then those of another one.
  OpenRows &operator+=(const OpenRows &other);
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

/// The number of valid rows of a tensor with open rows, i32 [1], computed once from the results of the operations that
/// select the boxes.
mlir::Value rowCount(NnapiGraph &graph, const OpenRows &rows);

/// A concatenation of the inputs along the rows, which are the first operands of the operation: with its valid rows
/// first, in their order. Unchanged if they are. Null after a refusal.
mlir::Value validRowsFirst(NnapiOperation &op, mlir::ValueRange inputs, mlir::Value joined);

/// The scores of an operation's operand at a position, [rows, classes], with zeros in rows that are not valid: a score
/// of zero is never above a threshold. Unchanged if all rows are valid. Null after a refusal.
mlir::Value validScores(NnapiOperation &op, uint32_t position, mlir::Value scores);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENROWS_H
