//===- FunctionReduction.h - Reduction of functions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_AVOCETREDUCE_FUNCTIONREDUCTION_H
#define AVOCET_COMPILER_TOOLS_AVOCETREDUCE_FUNCTIONREDUCTION_H

namespace avocet::compiler {

/// Registers the pass --avocet-reduce-function. MLIR's --reduction-tree rewrites operations in place; it changes no
/// function's arguments and results, so that what comes before and after the interesting part stays.
void registerFunctionReduction();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_AVOCETREDUCE_FUNCTIONREDUCTION_H
