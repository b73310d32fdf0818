//===- ResourceUse.h - Time and memory of a phase ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_RESOURCEUSE_H
#define AVOCET_COMPILER_LIB_PIPELINE_RESOURCEUSE_H

#include "avocet/compiler/Compiler.h"

#include <chrono>
#include <string_view>

namespace avocet::compiler {

/// Time since construction and peak memory of the process.
class ResourceUse {
public:
  PhaseCost finish(std::string_view phase) const;

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_RESOURCEUSE_H
