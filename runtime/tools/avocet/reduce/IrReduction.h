//===- IrReduction.h - Reduction of IR -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_IRREDUCTION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_IRREDUCTION_H

#include "CandidateTester.h"

#include <string>

namespace avocet::tool {

struct IrReduction {
  std::string model;
  std::string output;
  TestCommand command;
};

/// Reduces a module with avocet-reduce, a program of its own: this one does not contain MLIR. It runs the command by
/// calling this program again for each candidate (`avocet reduce --judge`). FailedPrecondition: the command does not
/// hold for the model. NotFound: there is no avocet-reduce beside this program.
Status reduceIr(const IrReduction &reduction, const Bytes &original, CandidateTester &tester);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_IRREDUCTION_H
