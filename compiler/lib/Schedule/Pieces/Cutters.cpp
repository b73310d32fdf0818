//===- Cutters.cpp - Cutters by kernel --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cutters.h"

#include "TileCommand.h"

#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <iterator>

namespace avocet::compiler::schedule {

namespace {

struct Entry {
  std::string_view kernel;
  Cutters (*cut)(const Whole &);
};

constexpr Entry kEntries[] = {
    {"eltwise", cutElementwise},
    {"lookup", cutElementwise},
    {"unary", cutElementwise},
    {"cast", cutElementwise},
    {"select", cutElementwise},
    {"quantize", cutElementwise},
    {"dequantize", cutElementwise},
    {"requantize", cutElementwise},
    {"binary", cutBroadcast},
    {"binary", cutElementwise},
    {"softmax", cutLines},
    {"softmaxNd", cutLines},
    {"logSoftmax", cutLines},
    {"l2Normalize", cutLines},
    {"localResponse", cutLines},
    {"instanceNormalize", cutLines},
    {"reduce", cutReductions},
    {"argReduce", cutReductions},
    {"mean", cutReductions},
    {"rearrange", cutRearrange},
    {"gather", cutGather},
    {"windowConv", cutWindowLayers},
    {"windowPool", cutWindowLayers},
    {"resize", cutResize},
    {"conv", cutWindows},
    {"pool", cutWindows},
};

} // namespace

Cutters cuttersOf(const Problem &problem, uint32_t operation) {
  const kernels::Kernel *kernel = kernels::findKernel(problem.operations[operation].command);
  if (!kernel)
    return {};
  const Whole whole{problem, problem.operations[operation], kernel->name()};
  for (const Entry &entry : kEntries)
    if (entry.kernel == whole.kernel)
      if (Cutters cutters = entry.cut(whole); !cutters.empty())
        return cutters;
  return {};
}

} // namespace avocet::compiler::schedule
