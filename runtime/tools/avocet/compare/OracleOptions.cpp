//===- OracleOptions.cpp - Options of comparisons with an oracle *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OracleOptions.h"

namespace avocet::tool {

void addOracleOptions(CommandLine &command, RunOptions &run, double &tolerance) {
  command.addTexts("-i,--input", run.inputs.files, "Raw tensor for the next input, in graph order; default: random")
      .oneEach();
  addNumber(command, "--seed", run.inputs.seed, "Seed of the random inputs; default: 1");
  command.addText("--clients", run.clients, "Folder of 'scripts/setup --clients' with TensorFlow Lite");
  addNumber(command, "--tolerance", tolerance, "Real values that differ by at most this much are equal; default: 0", 0,
            1e300);
}

} // namespace avocet::tool
