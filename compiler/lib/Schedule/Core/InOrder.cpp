//===- InOrder.cpp - Addresses for a sequence as it is ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InOrder.h"

#include "Lowering.h"
#include "Schedule/Core/Memory/Allocation.h"
#include "avocet/base/Rounding.h"

namespace avocet::compiler::schedule {

static uint64_t dmaCycles(const firmware::Target &target, const firmware::DmaCommand &dma) {
  const auto &dram = target.dram();
  const uint64_t run = roundUp(dma.runBytes, dram.burstBytes);
  return uint64_t(dma.count0) * dma.count1 * dma.count2 * dram.bandwidth.cyclesFor(run) + dram.readLatencyCycles;
}

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
  for (const Step &step : sequence.steps)
    sequence.cycles +=
        step.isDma() ? dmaCycles(*problem.target, std::get<firmware::DmaCommand>(step.command)) : step.time.cycles;
  return true;
}

} // namespace avocet::compiler::schedule
