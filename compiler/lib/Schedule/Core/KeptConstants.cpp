//===- KeptConstants.cpp - Constants that stay in SRAM --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptConstants.h"

#include "ConstantGroup.h"
#include "Lowering.h"

#include <algorithm>
#include <map>

namespace avocet::compiler::schedule {

namespace {

/// Operations with the same constants.
struct Readers {
  std::vector<uint32_t> operations; ///< in order
  uint32_t cascades = 0;            ///< that load them
  uint64_t bytes = 0;

  uint64_t savedBytes() const { return bytes * (cascades - 1); }
};

/// By the first of the operations, those of cascades that load their constants once.
std::map<uint32_t, Readers> findReaders(const Problem &problem, const Plan &plan) {
  std::map<uint32_t, uint32_t> firstOf; // by weights
  std::map<uint32_t, Readers> found;
  for (const Cascade &cascade : plan.cascades) {
    if (cascade.pieceBytes || cascade.channelParts > 1)
      continue;
    for (uint32_t index = cascade.first; index < cascade.end; ++index) {
      const Operation &op = problem.operations[index];
      // An operation of constant operands, such as the first step of a recurrent layer, shares none.
      if (op.weights == kNone || std::ranges::any_of(op.inputs, &Operand::isConstant))
        continue;
      const uint32_t first = firstOf.try_emplace(op.weights, index).first->second;
      if (index != first && sharedConstants(problem, first, index) != first)
        continue;
      Readers &readers = found[first];
      readers.cascades += readers.operations.empty() || readers.operations.back() < cascade.first;
      readers.operations.push_back(index);
    }
  }
  std::erase_if(found, [](const auto &entry) { return entry.second.cascades < 2; });
  return found;
}

} // namespace

std::optional<Plan> withKeptConstants(const Problem &problem, const Plan &plan) {
  std::vector<Readers> all;
  for (auto &[first, readers] : findReaders(problem, plan)) {
    const Operation &op = problem.operations[first];
    readers.bytes = alignUp(constantBytes(problem, op, 0, op.outputs[0].shape.channels));
    all.push_back(std::move(readers));
  }
  std::ranges::sort(all, std::greater<>(),
                    [](const Readers &readers) { return std::pair(readers.savedBytes(), readers.operations.front()); });
  Plan kept = plan;
  kept.keptConstants.assign(problem.operations.size(), kNone);
  uint64_t bytes = 0;
  const uint64_t limit = problem.target->sram().bytes / 2;
  for (const Readers &readers : all) {
    if (bytes + readers.bytes > limit)
      continue;
    bytes += readers.bytes;
    for (uint32_t operation : readers.operations)
      kept.keptConstants[operation] = readers.operations.front();
  }
  return bytes > 0 ? std::optional(std::move(kept)) : std::nullopt;
}

} // namespace avocet::compiler::schedule
