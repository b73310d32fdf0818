//===- CompiledModels.h - Streams of compiled networks ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command streams of the networks of the tree and of the shared data, compiled by the shipped library.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_YIELD_COMPILEDMODELS_H
#define AVOCET_TESTS_COMPILER_YIELD_COMPILEDMODELS_H

#include "Sync/StreamSync.h"
#include "avocet/base/Status.h"

#include <string>
#include <vector>

namespace avocet::compiler {

struct CompiledModel {
  std::vector<std::vector<Stream>> sections; ///< streams without their End
  uint64_t predictedCycles = 0;
};

/// Names of networks: those of tests/models/digits, then those of the shared data, if present, in alphabetical order.
std::vector<std::string> modelNames();

Result<CompiledModel> compileModel(const std::string &name, const std::string &target);

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_YIELD_COMPILEDMODELS_H
