//===- TensorUses.cpp - Which operations use a tensor -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorUses.h"

#include "avocet/compiler/Schedule/Core/Lowering.h"

#include <algorithm>

namespace avocet::compiler::schedule {

static void addOnce(std::vector<uint32_t> &list, uint32_t tensor) {
  if (std::find(list.begin(), list.end(), tensor) == list.end())
    list.push_back(tensor);
}

TensorUses::TensorUses(const Problem &problem)
    : problem_(problem), ranges_(problem.tensors.size()), reads_(problem.operations.size()),
      writes_(problem.operations.size()) {
  const uint32_t count = uint32_t(problem.operations.size());
  for (uint32_t i = 0; i < count; ++i) {
    const Operation &op = problem.operations[i];
    for (const Operand &input : op.inputs)
      if (!input.isConstant)
        addOnce(reads_[i], input.id);
    if (op.dynamicScale != kNone)
      addOnce(reads_[i], op.dynamicScale);
    for (uint32_t tensor : reads_[i]) {
      ranges_[tensor].reader = i;
      ranges_[tensor].isRead = true;
    }
    for (const Operand &output : op.outputs) {
      addOnce(writes_[i], output.id);
      Range &range = ranges_[output.id];
      range = {range.isWritten ? range.writer : i, i, true, range.isRead};
    }
  }
  std::vector<int64_t> change(count + 2, 0);
  for (uint32_t t = 0; t < ranges_.size(); ++t)
    if (ranges_[t].isWritten && ranges_[t].reader > ranges_[t].writer && !isOnlyStored(t)) {
      change[ranges_[t].writer + 1] += int64_t(bytesOf(t));
      change[ranges_[t].reader + 1] -= int64_t(bytesOf(t));
    }
  crossing_.assign(count + 1, 0);
  for (uint32_t i = 1; i <= count; ++i)
    crossing_[i] = uint64_t(int64_t(crossing_[i - 1]) + change[i]);
}

bool TensorUses::isOnlyStored(uint32_t tensor) const {
  return !ranges_[tensor].isRead && !problem_.tensors[tensor].networkOutputs.empty();
}

uint64_t TensorUses::bytesOf(uint32_t tensor) const { return alignUp(problem_.tensors[tensor].shape.bytes()); }

} // namespace avocet::compiler::schedule
