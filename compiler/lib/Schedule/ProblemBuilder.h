//===- ProblemBuilder.h - A placed function as a problem --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_PROBLEMBUILDER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_PROBLEMBUILDER_H

#include "Schedule/Core/Problem.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace avocet::compiler::schedule {

/// A problem, with the attributes and operations of its indices.
struct PlacedProblem {
  Problem problem;
  std::vector<mlir::ElementsAttr> constants; ///< by Problem::constants
  std::vector<mlir::Operation *> operations; ///< by Problem::operations
};

/// Requires verifyPlaced() to have passed.
mlir::FailureOr<PlacedProblem> buildProblem(mlir::func::FuncOp function,
                                            std::shared_ptr<const firmware::Target> target);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_PROBLEMBUILDER_H
