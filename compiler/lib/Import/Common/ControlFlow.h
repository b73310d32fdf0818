//===- ControlFlow.h - Branches and loops of all importers ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An importer imports each subgraph of an IF or WHILE into a region; these functions build the operation from them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_CONTROLFLOW_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_CONTROLFLOW_H

#include "GraphOperation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace avocet::compiler {

/// Of a loop that compilation unrolls: above it the IR would take too much memory.
inline constexpr int64_t kMostIterations = 1 << 12;

/// Whether the value is a boolean of one element.
bool isCondition(mlir::Value value);

/// Imports a subgraph into a region and returns its outputs, which the region yields. The region has its block, with
/// the arguments; `import` creates the operations at the insertion point.
mlir::FailureOr<mlir::SmallVector<mlir::Value>>
importRegion(ImportedOperation &op, mlir::Region &region,
             llvm::function_ref<mlir::FailureOr<mlir::SmallVector<mlir::Value>>()> import);

/// Fails unless the values of a subgraph have the types that the operation declares for its results.
mlir::LogicalResult checkResults(ImportedOperation &op, mlir::ValueRange values);
/// The same, and binds them as the results.
mlir::LogicalResult finishSubgraph(ImportedOperation &op, mlir::ValueRange values);

/// nn.if from the regions of its branches, first that of true. Null after a refusal: the branches yield other types.
nn::IfOp createIf(ImportedOperation &op, mlir::Value condition, mlir::Region &thenBranch, mlir::Region &elseBranch);
/// The same from what `import` creates for each truth of the condition, in kept regions. Null after a report.
nn::IfOp importIf(GraphOperation &op, mlir::Value condition,
                  llvm::function_ref<mlir::FailureOr<mlir::SmallVector<mlir::Value>>(bool isTrue)> import);

/// nn.while from the regions of condition and body. Null after a report: the condition yields no condition, or the body
/// other types than it takes.
nn::WhileOp createWhile(ImportedOperation &op, mlir::ValueRange inits, mlir::Region &condition, mlir::Region &body);

/// Imports a region that takes values of these types.
using ImportTurn = llvm::function_ref<mlir::FailureOr<mlir::SmallVector<mlir::Value>>(mlir::ValueRange arguments)>;
mlir::LogicalResult importTurn(ImportedOperation &op, mlir::Region &region, mlir::ValueRange inits, ImportTurn import);
/// nn.while from what these create for the condition and the body, in kept regions. Null after a report.
nn::WhileOp importWhile(GraphOperation &op, mlir::ValueRange inits, ImportTurn condition, ImportTurn body);

/// Converts a loop as one of the device or, if that is refused, iteration by iteration. Of two refusals that of the
/// iterations is reported, or that of the loop if `reportsLoop` is set by then.
mlir::LogicalResult convertLoopEither(ImportedOperation &op, llvm::function_ref<mlir::LogicalResult()> asLoop,
                                      llvm::function_ref<mlir::LogicalResult()> unrolled,
                                      const bool *reportsLoop = nullptr);

/// What the iterations of an unrolled loop make: values that the next one takes, and parts of results along a new axis.
class UnrolledTurns {
public:
  UnrolledTurns(llvm::ArrayRef<mlir::Value> values, size_t stacked) : values_(values), parts_(stacked) {}

  llvm::ArrayRef<mlir::Value> values() const { return values_; }
  /// The outputs of an iteration: the values, and then the parts.
  void add(llvm::ArrayRef<mlir::Value> results);
  /// Binds the values, and then the parts along these axes, or in the opposite order.
  mlir::LogicalResult finish(ImportedOperation &op, llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> isBackward);

private:
  mlir::SmallVector<mlir::Value> values_;
  mlir::SmallVector<mlir::SmallVector<mlir::Value>> parts_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_CONTROLFLOW_H
