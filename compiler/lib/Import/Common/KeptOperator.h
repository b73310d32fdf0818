//===- KeptOperator.h - Stand-ins for refused operators ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is divided keeps the operators of the file that no operation of the dialect can express, each as a
// stand-in: an unrealized conversion cast with these attributes, the operands and the results.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_KEPTOPERATOR_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_KEPTOPERATOR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace avocet::compiler {

/// What an importer does with an operator that it refuses. Keep: the function contains a stand-in for each one of the
/// main graph, and is not verified. Operations that other rules forbid may be in it, unused.
enum class RefusedOperators { Fail, Keep };

struct KeptOperator {
  std::string kind;   ///< in the file
  int64_t number = 0; ///< in the main graph
  /// What an application that computes the operator calls it; empty: the operator is none that applications define.
  std::string customName;
  std::string attributes; ///< bytes, in a form that only the application reads
  std::string obstacle;   ///< why an application cannot compute it; empty: it can
};

/// The obstacle of operators with operands that a call cannot have.
inline constexpr char kOperandObstacle[] = "an operand is left out, or has a type that devices do not have";

/// At the insertion point. A result of unknown type has index elements, which every operation refuses.
mlir::Operation *keepOperator(mlir::OpBuilder &builder, mlir::Location location, const KeptOperator &kept,
                              mlir::TypeRange results, mlir::ValueRange operands);

/// Nothing for other operations.
std::optional<KeptOperator> keptOperator(mlir::Operation *op);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_KEPTOPERATOR_H
