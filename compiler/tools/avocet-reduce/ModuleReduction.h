//===- ModuleReduction.h - Reduction of modules -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_AVOCETREDUCE_MODULEREDUCTION_H
#define AVOCET_COMPILER_TOOLS_AVOCETREDUCE_MODULEREDUCTION_H

namespace avocet::compiler {

/// Registers the pass --avocet-reduce-module, which cuts functions and programs with the tester and the reduction
/// patterns of MLIR's reducer. (MLIR's own pass, --reduction-tree, is not registered. It keeps arguments and results of
/// functions. It erases operations whose results are used, and crashes when it copies their users.)
void registerModuleReduction();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_AVOCETREDUCE_MODULEREDUCTION_H
