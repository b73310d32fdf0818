//===- FunctionEdits.h - Changes that make a function smaller -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each edit changes a function of one block in place, in a range of a list of its parts. It returns false if it does
// not apply; the function is then unspecified. The changed function may break rules of its dialects.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_AVOCETREDUCE_FUNCTIONEDITS_H
#define AVOCET_COMPILER_TOOLS_AVOCETREDUCE_FUNCTIONEDITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <cstddef>

namespace avocet::compiler {

struct EditRange {
  size_t first = 0, size = 0;
};

/// An operand that has the type of the operation's only result and is no constant, or null.
mlir::Value standIn(mlir::Operation *op);

/// All elements zero; null if the element type has no number.
mlir::ElementsAttr zerosOf(mlir::ShapedType type);

/// The operations that can be cut: all but constants and the terminator.
llvm::SmallVector<mlir::Operation *> cuttableOps(mlir::func::FuncOp function);

/// Removes a range of cuttableOps(). Values that they computed for others become arguments; values that were computed
/// for them become results.
bool cutOps(mlir::func::FuncOp function, EditRange range);

/// Lets the readers of results in a range of cuttableOps() read the operation's stand-in.
bool bypassOps(mlir::func::FuncOp function, EditRange range);

size_t numResults(mlir::func::FuncOp function);
bool dropResults(mlir::func::FuncOp function, EditRange range);

/// Applies patterns to a range of cuttableOps(). False: none matched.
bool applyPatterns(mlir::func::FuncOp function, EditRange range, const mlir::FrozenRewritePatternSet &patterns);

/// The constants whose elements are not all zero.
llvm::SmallVector<mlir::Operation *> nonzeroConstants(mlir::func::FuncOp function);
bool zeroConstants(mlir::func::FuncOp function, EditRange range);

/// All operations inside a program of a later phase, which is no function.
llvm::SmallVector<mlir::Operation *> programOps(mlir::Operation *program);

/// Erases a range of programOps() with all operations that use their results.
bool eraseProgramOps(mlir::Operation *program, EditRange range);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_AVOCETREDUCE_FUNCTIONEDITS_H
