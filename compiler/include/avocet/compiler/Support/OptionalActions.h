//===- OptionalActions.h - Work that may be left out ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's passes and pattern drivers are actions (mlir/IR/Action.h), which a handler of the context may leave out. These
// are the same for optional work inside a pass that must run, without MLIR's patterns: executed with
// MLIRContext::executeAction(). Without a handler they cost one comparison.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_OPTIONALACTIONS_H
#define AVOCET_COMPILER_SUPPORT_OPTIONALACTIONS_H

#include "mlir/IR/Action.h"

namespace avocet::compiler {

/// A part of a pass. Its IR unit is the function.
class OptionalTransform : public mlir::tracing::ActionImpl<OptionalTransform> {
public:
  // NOLINTNEXTLINE(readability-identifier-naming): MLIR reads this name
  static constexpr llvm::StringLiteral tag = "avocet-transform";
  OptionalTransform(llvm::ArrayRef<mlir::IRUnit> units, llvm::StringRef name) : ActionImpl(units), name(name) {}
  llvm::StringRef name;
};

/// A change that an OptionalTransform makes. Its IR unit is the operation that is replaced.
class OptionalRewrite : public mlir::tracing::ActionImpl<OptionalRewrite> {
public:
  // NOLINTNEXTLINE(readability-identifier-naming): MLIR reads this name
  static constexpr llvm::StringLiteral tag = "avocet-rewrite";
  OptionalRewrite(llvm::ArrayRef<mlir::IRUnit> units, llvm::StringRef name) : ActionImpl(units), name(name) {}
  llvm::StringRef name;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_OPTIONALACTIONS_H
