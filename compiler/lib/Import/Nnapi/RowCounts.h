//===- RowCounts.h - The number of rows that are valid ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_ROWCOUNTS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_ROWCOUNTS_H

#include "NnapiGraph.h"
#include "OpenRows.h"

namespace avocet::compiler {

/// The number of valid rows, i32 [1], computed from the results of the operation that selects the boxes.
mlir::Value rowCount(NnapiGraph &graph, const OpenRows &rows);

/// The scores of an operation's operand at a position, [rows, classes], with zeros in rows that are not valid: a score
/// of zero is never above a threshold. Unchanged if all rows are valid. Null after a refusal.
mlir::Value validScores(NnapiOperation &op, uint32_t position, mlir::Value scores);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_ROWCOUNTS_H
