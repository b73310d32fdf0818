//===- ConstantGroup.cpp - Constants transferred together -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantGroup.h"

#include "Lowering.h"

namespace avocet::compiler::schedule {

uint32_t ConstantGroup::add(uint32_t constant, uint64_t source, uint64_t size) {
  uint64_t offset = alignUp(bytes);
  contents.push_back({constant, source, size, offset});
  bytes = offset + size;
  return uint32_t(offset);
}

uint32_t ConstantGroup::addWeights(const Operation &op, uint32_t begin, uint32_t end) {
  const uint64_t offset = alignUp(bytes);
  bytes = offset;
  for (const firmware::WeightIndex::Range &range : op.storedWeights.rangesOf(begin, end)) {
    contents.push_back({op.weights, range.begin, range.bytes, bytes});
    bytes += range.bytes;
  }
  return uint32_t(offset);
}

ConstantGroup constantGroup(const Problem &problem, const Operation &op, uint32_t begin, uint32_t end,
                            bool withOperands) {
  ConstantGroup group;
  group.offsets.inputs.assign(op.inputs.size(), 0);
  if (op.records != kNone) {
    const uint64_t size = firmware::channelRecordBytes(std::get<firmware::ConvCommand>(op.command).scaling);
    group.offsets.records = group.add(op.records, begin * size, (end - begin) * size);
  }
  if (op.table != kNone)
    group.offsets.table = group.add(op.table, 0, problem.constants[op.table].bytes);
  if (op.weights != kNone)
    group.offsets.weights = group.addWeights(op, begin, end);
  for (uint32_t i = 0; withOperands && i < op.inputs.size(); ++i)
    if (op.inputs[i].isConstant)
      group.offsets.inputs[i] = group.add(op.inputs[i].id, 0, problem.constants[op.inputs[i].id].bytes);
  return group;
}

} // namespace avocet::compiler::schedule
