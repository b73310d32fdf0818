//===- OracleOptions.h - Options of comparisons with an oracle --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ORACLEOPTIONS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ORACLEOPTIONS_H

#include "avocet/base/CommandLine.h"
#include "run/RunOptions.h"

namespace avocet::tool {

/// Adds the options for the inputs of both runs, the oracle's libraries, and what counts as equal. The values must live
/// as long as the command line.
void addOracleOptions(CommandLine &command, RunOptions &run, double &tolerance);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_ORACLEOPTIONS_H
