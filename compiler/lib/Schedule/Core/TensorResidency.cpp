//===- TensorResidency.cpp - Residencies of tensors while a cascade runs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorResidency.h"

#include "avocet/compiler/Schedule/Core/Lowering.h"

#include <algorithm>

namespace avocet::compiler::schedule {

TensorResidency::TensorResidency(const Problem &problem)
    : problem_(problem), isSpilled_(problem.tensors.size(), false) {
  const uint32_t count = uint32_t(problem.operations.size());
  usages_.resize(problem.tensors.size());
  for (uint32_t i = 0; i < count; ++i) {
    const Operation &op = problem.operations[i];
    for (const Operand &input : op.inputs)
      if (!input.isConstant)
        usages_[input.id].reader = std::max(usages_[input.id].reader, i);
    if (op.dynamicScale != kNone)
      usages_[op.dynamicScale].reader = std::max(usages_[op.dynamicScale].reader, i);
    for (const Operand &output : op.outputs)
      usages_[output.id] = {i, i, true};
  }
  // Bytes that cross the border before each operation, as differences.
  std::vector<int64_t> change(count + 2, 0);
  for (size_t t = 0; t < usages_.size(); ++t)
    if (usages_[t].isWritten && usages_[t].reader > usages_[t].writer) {
      change[usages_[t].writer + 1] += int64_t(bytesOf(t));
      change[usages_[t].reader + 1] -= int64_t(bytesOf(t));
    }
  crossing_.assign(count + 1, 0);
  for (uint32_t i = 1; i <= count; ++i)
    crossing_[i] = crossing_[i - 1] + change[i];
}

uint64_t TensorResidency::bytesOf(size_t tensor) const { return alignUp(problem_.tensors[tensor].shape.bytes()); }

void TensorResidency::setResidencies(uint32_t first, uint32_t end, std::vector<Residency> &residencies) const {
  residencies.resize(problem_.tensors.size(), Residency::Sram);
  for (uint32_t i = first; i < end; ++i) {
    const Operation &op = problem_.operations[i];
    for (const Operand &input : op.inputs)
      if (!input.isConstant)
        residencies[input.id] = residencyIn(input.id, first, end);
    if (op.dynamicScale != kNone)
      residencies[op.dynamicScale] = residencyIn(op.dynamicScale, first, end);
    for (const Operand &output : op.outputs)
      residencies[output.id] = residencyIn(output.id, first, end);
  }
}

Residency TensorResidency::residencyIn(uint32_t tensor, uint32_t first, uint32_t end) const {
  const Usage &usage = usages_[tensor];
  const Tensor &t = problem_.tensors[tensor];
  if (t.networkInput != kNone)
    return Residency::Dram;
  const bool inside = usage.isWritten && usage.writer >= first && usage.reader < end;
  if (inside)
    return t.networkOutputs.empty() ? Residency::Ring : Residency::Dram;
  return isSpilled_[tensor] ? Residency::Dram : Residency::Sram;
}

uint64_t TensorResidency::residentBytes(uint32_t first, uint32_t end) const {
  int64_t bytes = crossing_[first];
  for (uint32_t i = first; i < end; ++i)
    for (const Operand &output : problem_.operations[i].outputs)
      if (usages_[output.id].reader >= end)
        bytes += int64_t(bytesOf(output.id));
  for (uint32_t tensor : spills_) {
    const Usage &usage = usages_[tensor];
    if (usage.writer < end && usage.reader >= first && !(usage.writer >= first && usage.reader < end))
      bytes -= int64_t(bytesOf(tensor));
  }
  return uint64_t(std::max<int64_t>(bytes, 0));
}

void TensorResidency::spill(uint32_t tensor) {
  isSpilled_[tensor] = true;
  spills_.push_back(tensor);
}

uint32_t TensorResidency::victimOf(const std::vector<uint32_t> &candidates, uint32_t first, uint32_t end) const {
  uint32_t victim = kNone, output = kNone;
  for (uint32_t t : candidates) {
    const Usage &usage = usages_[t];
    const bool crosses = usage.isWritten && usage.writer < end && usage.reader >= first && usage.reader > usage.writer;
    uint32_t &largest = problem_.tensors[t].networkOutputs.empty() ? victim : output;
    if (crosses && !isSpilled_[t] && (largest == kNone || bytesOf(t) > bytesOf(largest)))
      largest = t;
  }
  return victim != kNone ? victim : output;
}

} // namespace avocet::compiler::schedule
