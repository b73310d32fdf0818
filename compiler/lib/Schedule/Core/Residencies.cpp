//===- Residencies.cpp - Residencies of tensors -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Plan.h"

namespace avocet::compiler::schedule {

namespace {

/// First and last cascade that accesses each tensor.
struct Reach {
  uint32_t first = kNone, last = 0;
  void add(uint32_t cascade) {
    first = std::min(first, cascade);
    last = std::max(last, cascade);
  }
};

} // namespace

std::vector<Residency> residenciesOf(const Problem &problem, const std::vector<Cascade> &cascades) {
  std::vector<Reach> reach(problem.tensors.size());
  for (uint32_t s = 0; s < cascades.size(); ++s)
    for (uint32_t i = cascades[s].first; i < cascades[s].end; ++i) {
      const Operation &op = problem.operations[i];
      for (const Operand &input : op.inputs)
        if (!input.isConstant)
          reach[input.id].add(s);
      if (op.dynamicScale != kNone)
        reach[op.dynamicScale].add(s);
      for (const Operand &output : op.outputs)
        reach[output.id].add(s);
    }
  std::vector<Residency> residencies;
  for (size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor &tensor = problem.tensors[i];
    const bool oneCascade = reach[i].first >= reach[i].last;
    if (tensor.networkInput != kNone || (oneCascade && !tensor.networkOutputs.empty()))
      residencies.push_back(Residency::Dram);
    else
      residencies.push_back(oneCascade ? Residency::Ring : Residency::Sram);
  }
  return residencies;
}

} // namespace avocet::compiler::schedule
