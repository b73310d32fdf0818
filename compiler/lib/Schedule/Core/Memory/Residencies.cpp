//===- Residencies.cpp - Residencies of tensors -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Plan.h"

namespace avocet::compiler::schedule {

namespace {

/// First and last cascade that accesses each tensor.
struct Reach {
  uint32_t first = kNone, last = 0;
  bool isRead = false;
  void add(uint32_t cascade) {
    first = std::min(first, cascade);
    last = std::max(last, cascade);
  }
  void read(uint32_t cascade) {
    add(cascade);
    isRead = true;
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
          reach[input.id].read(s);
      if (op.dynamicScale != kNone)
        reach[op.dynamicScale].read(s);
      for (const Operand &output : op.outputs)
        reach[output.id].add(s);
    }
  std::vector<Residency> residencies;
  for (size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor &tensor = problem.tensors[i];
    const bool oneCascade = reach[i].first >= reach[i].last;
    if (tensor.networkInput != kNone || ((oneCascade || !reach[i].isRead) && !tensor.networkOutputs.empty()))
      residencies.push_back(Residency::Dram);
    else
      residencies.push_back(oneCascade ? Residency::Ring : Residency::Sram);
  }
  return residencies;
}

bool readsOwnStores(const Problem &problem, const Cascade &cascade, uint32_t tensor) {
  const MapShape &shape = problem.tensors[tensor].shape;
  std::vector<const Operand *> made;
  uint64_t bytes = 0;
  for (uint32_t i = cascade.first; i < cascade.end; ++i)
    for (const Operand &output : problem.operations[i].outputs)
      if (output.id == tensor) {
        made.push_back(&output);
        bytes += output.shape.bytes();
      }
  if (made.empty() || bytes == shape.bytes())
    return false;
  for (uint32_t i = cascade.first; i < cascade.end; ++i)
    for (const Operand &input : problem.operations[i].inputs)
      for (const Operand *output : made)
        if (!input.isConstant && input.id == tensor && mayOverlap(shape, input, *output))
          return true;
  return false;
}

} // namespace avocet::compiler::schedule
