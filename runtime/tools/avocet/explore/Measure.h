//===- Measure.h - Compiles and simulates one design point ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_MEASURE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_MEASURE_H

#include "Networks.h"
#include "Record.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Target.h"

#include <memory>
#include <string>

namespace avocet::tool {

struct PointRequest {
  const compiler::LoadedCompiler &compiler;
  const Network &network;
  std::shared_ptr<const firmware::Target> target;
  std::string targetPath; ///< the target's file
  std::string optimise;   ///< as kOptimiseHelp says; empty: default
};

/// Without the key. The simulator counts cycles and computes no values, on the calling thread. Any thread.
Record measurePoint(const PointRequest &request);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_MEASURE_H
