//===- DspCost.cpp - Cost of the vector DSP's commands ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   compute cycles = ceil(elementOps / lanes of the type) + ceil(byteProducts / lanes of i8) + rows * loop cycles
//                  + nests * ceil(lines / lanes of the type) * (ops + loop cycles)
//
// Of several forms of the same work the shortest counts. The command is divided into as many row groups as its first
// output has rows, or as its kernel says, but no more than take the latency of a read each, and kMaxGroups at most.
// Like the MAC array, the DSP reads the next group while it computes one and writes the previous one.
//
//   cycles = issue + SRAM latency + first group's reads
//          + compute, or the port's other bytes, whichever is longer
//          + last group's writes
//
//===----------------------------------------------------------------------===//

#include "Cost.h"

#include "avocet/base/Rounding.h"
#include "avocet/kernels/EvenShare.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {

constexpr uint64_t kMaxGroups = 64;

uint64_t lanesOf(const Target &target, DataType type) {
  return std::max(target.dsp().lanes[static_cast<uint32_t>(type)], 1u);
}

/// Groups that take less time than the latency of their reads would make the DSP wait.
uint64_t groupsOf(const Target &target, const DspCommand &command, const DspWork &work, uint64_t compute) {
  const uint64_t rows = command.outputs.empty() ? 1 : command.outputs[0].height;
  const uint64_t most = compute / std::max(target.sram().latencyCycles, 1u);
  return std::clamp<uint64_t>(std::min(work.groups ? work.groups : rows, most), 1, kMaxGroups);
}

uint64_t cyclesOf(const Target &target, const DspLoops &loops) {
  const uint64_t lanes = lanesOf(target, loops.type), loopCycles = target.dsp().loopCycles;
  uint64_t cycles = divideUp(loops.elementOps, lanes) + divideUp(loops.byteProducts, lanesOf(target, DataType::Int8)) +
                    loops.rows * loopCycles;
  for (const LineLoops &group : loops.lines)
    cycles += group.nests * divideUp(group.lines, lanes) * (group.ops + loopCycles);
  return cycles;
}

uint64_t operationsOf(const DspLoops &loops) {
  uint64_t operations = loops.elementOps + loops.byteProducts;
  for (const LineLoops &group : loops.lines)
    operations += group.nests * group.lines * group.ops;
  return operations;
}

const DspLoops &shortest(const Target &target, const DspWork &work) {
  const DspLoops *best = &work;
  for (const DspLoops &other : work.others)
    if (cyclesOf(target, other) < cyclesOf(target, *best))
      best = &other;
  return *best;
}

uint32_t rowsEndOf(const std::vector<FeatureMap> &maps, uint64_t groupsDone, uint64_t groups) {
  return maps.empty() ? 0 : static_cast<uint32_t>(divideUp(maps[0].height * groupsDone, groups));
}

uint32_t rowsCompleteOf(const std::vector<FeatureMap> &maps, uint64_t groupsDone, uint64_t groups) {
  return maps.empty() ? 0 : static_cast<uint32_t>(maps[0].height * groupsDone / groups);
}

} // namespace

TileCost dspCost(const Target &target, const DspCommand &command, const DspWork &work) {
  const DspLoops &loops = shortest(target, work);
  const uint64_t compute = cyclesOf(target, loops);
  const uint64_t groups = groupsOf(target, command, work, compute);
  const uint64_t port = target.sram().portBytesPerCycle;

  TileCost cost;
  cost.dspOperations = operationsOf(loops);
  cost.runs.reserve(groups);
  for (uint64_t i = 0; i < groups; ++i) {
    BlockRun run;
    run.loadBytes = evenShare(work.bytesRead, i, groups);
    run.computeCycles = evenShare(compute, i, groups);
    run.storeBytes = evenShare(work.bytesWritten, i, groups);
    run.inputRowsEnd = rowsEndOf(command.inputs, i + 1, groups);
    run.outputRowsEnd = rowsCompleteOf(command.outputs, i + 1, groups);
    cost.runs.push_back(run);
  }
  const uint64_t firstLoad = cost.runs.front().loadBytes, lastStore = cost.runs.back().storeBytes;
  const uint64_t between = work.bytesRead + work.bytesWritten - firstLoad - lastStore;
  cost.cycles = target.dsp().issueCycles + target.sram().latencyCycles + divideUp(firstLoad, port) +
                std::max(compute, divideUp(between, port)) + divideUp(lastStore, port);
  return cost;
}

} // namespace avocet::kernels
