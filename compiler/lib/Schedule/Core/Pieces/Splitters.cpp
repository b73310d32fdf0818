//===- Splitters.cpp - Splitters by kernel ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Splitters.h"

#include "avocet/compiler/Schedule/Core/TileCommand.h"

#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <iterator>

namespace avocet::compiler::schedule {

namespace {

struct Entry {
  std::string_view kernel;
  Splitters (*cut)(const Whole &);
};

constexpr Entry kEntries[] = {
    {"eltwise", splitElementwise},
    {"lookup", splitElementwise},
    {"unary", splitElementwise},
    {"cast", splitElementwise},
    {"select", splitElementwise},
    {"quantize", splitElementwise},
    {"dequantize", splitElementwise},
    {"requantize", splitElementwise},
    {"binary", splitBroadcast},
    {"binary", splitElementwise},
    {"softmax", splitLines},
    {"softmaxNd", splitLines},
    {"logSoftmax", splitLines},
    {"l2Normalize", splitLines},
    {"localResponse", splitLines},
    {"instanceNormalize", splitLines},
    {"reduce", splitReductions},
    {"argReduce", splitReductions},
    {"mean", splitReductions},
    {"rearrange", splitRearrange},
    {"gather", splitGather},
    {"windowConv", splitWindowLayers},
    {"windowPool", splitWindowLayers},
    {"resize", splitResize},
    {"conv", splitWindows},
    {"pool", splitWindows},
};

} // namespace

Splitters splittersOf(const Problem &problem, uint32_t operation) {
  const kernels::Kernel *kernel = kernels::findKernel(problem.operations[operation].command);
  if (!kernel)
    return {};
  const Whole whole{problem, problem.operations[operation], kernel->name()};
  for (const Entry &entry : kEntries)
    if (entry.kernel == whole.kernel)
      if (Splitters splitters = entry.cut(whole); !splitters.empty())
        return splitters;
  return {};
}

} // namespace avocet::compiler::schedule
