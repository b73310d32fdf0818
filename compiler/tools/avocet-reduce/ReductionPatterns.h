//===- ReductionPatterns.h - Simpler forms of nn operations -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_AVOCETREDUCE_REDUCTIONPATTERNS_H
#define AVOCET_COMPILER_TOOLS_AVOCETREDUCE_REDUCTIONPATTERNS_H

#include "mlir/IR/DialectRegistry.h"

namespace avocet::compiler {

/// Gives the nn dialect patterns for the pass --avocet-reduce-module: an operation becomes one of its operands if the
/// types agree, otherwise a constant of zeros.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_AVOCETREDUCE_REDUCTIONPATTERNS_H
