//===- ConformanceMain.cpp - The program avocet-conformance -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SubcommandProgram.h"

#include "avocet/base/GuardedMain.h"

namespace {

int runConformance(int argc, char **argv) {
  return avocet::tool::runSubcommand(argc, argv, avocet::tool::kConformanceProgram,
                                     avocet::tool::addConformanceCommand);
}

} // namespace

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runConformance); }
