//===- ConstantGroup.cpp - Constants transferred together -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantGroup.h"

#include "Lowering.h"

#include <algorithm>

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

/// Whether two convolutions read the same constants, and no others.
static bool hasSameConstants(const Operation &a, const Operation &b) {
  const auto readsOthers = [](const Operation &op) { return std::ranges::any_of(op.inputs, &Operand::isConstant); };
  return a.weights != kNone && a.weights == b.weights && a.records == b.records && a.table == b.table &&
         !readsOthers(a) && !readsOthers(b);
}

uint32_t sharedConstants(const Problem &problem, uint32_t first, uint32_t operation) {
  for (uint32_t other = first; other < operation; ++other)
    if (hasSameConstants(problem.operations[other], problem.operations[operation]))
      return other;
  return kNone;
}

bool readsOwnResults(const Problem &problem, uint32_t first, uint32_t end) {
  const auto reads = [](const Operation &reader, const Operand &result) {
    return reader.dynamicScale == result.id || std::ranges::any_of(reader.inputs, [&](const Operand &input) {
             return !input.isConstant && input.id == result.id;
           });
  };
  for (uint32_t writer = first; writer + 1 < end; ++writer)
    for (const Operand &result : problem.operations[writer].outputs)
      for (uint32_t reader = writer + 1; reader < end; ++reader)
        if (reads(problem.operations[reader], result))
          return true;
  return false;
}

bool canShareParts(const Problem &problem, uint32_t first, uint32_t end) {
  for (uint32_t i = first + 1; i < end; ++i)
    if (sharedConstants(problem, first, i) != first)
      return false;
  return end > first + 1 && !readsOwnResults(problem, first, end);
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
