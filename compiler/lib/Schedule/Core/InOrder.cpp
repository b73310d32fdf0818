//===- InOrder.cpp - Addresses for a sequence as it is ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InOrder.h"

#include "avocet/compiler/Schedule/Core/Allocation.h"
#include "avocet/compiler/Schedule/Core/Lowering.h"

namespace avocet::compiler::schedule {

bool placeInOrder(const Problem &problem, Sequence &sequence) {
  const std::vector<Lifetime> lifetimes = lifetimesOf(sequence);
  AllocationProblem blocks{{}, problem.target->sram().bytes, kAlignment};
  std::vector<uint32_t> buffers;
  for (uint32_t i = 0; i < sequence.buffers.size(); ++i)
    if (sequence.buffers[i].space == BufferSpace::Sram && lifetimes[i].used()) {
      blocks.blocks.push_back({sequence.buffers[i].bytes, lifetimes[i].first, lifetimes[i].last, {}});
      buffers.push_back(i);
    }
  auto addresses = allocate(blocks);
  if (!addresses.isOk())
    return false;
  for (size_t i = 0; i < buffers.size(); ++i)
    sequence.buffers[buffers[i]].address = (*addresses)[i];
  return true;
}

} // namespace avocet::compiler::schedule
