//===- BlockReview.cpp - Alternatives to the blocks of tiles ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockReview.h"

#include "TileCommand.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace avocet::compiler::schedule {

namespace {

/// By operation, the step of its largest tile.
std::map<uint32_t, const Step *> largestTiles(const Sequence &sequence) {
  std::map<uint32_t, const Step *> largest;
  for (const Step &step : sequence.steps) {
    if (step.isDma() || step.isDsp() || step.origin.operation == kNone)
      continue;
    const Step *&best = largest[step.origin.operation];
    if (!best || step.time.cycles > best->time.cycles)
      best = &step;
  }
  return largest;
}

} // namespace

std::vector<BlockDecision> blockDecisionsOf(const Problem &problem, kernels::BlockChooser &chooser,
                                            const Sequence &sequence) {
  std::vector<BlockDecision> decisions;
  for (const auto &[operation, step] : largestTiles(sequence)) {
    BlockDecision decision{operation, kernels::timesOfBlock(*problem.target, step->command), {}};
    for (const kernels::WalkedBlock &other : chainedBlocks(chooser, problem.operations[operation], step->command))
      if (!(other.choice.block == decision.taken.block))
        decision.others.push_back(other.choice);
    std::ranges::sort(decision.others, {}, [](const kernels::BlockChoice &choice) {
      return std::tuple(choice.cycles, choice.block.height, choice.block.width, choice.block.channels);
    });
    decisions.push_back(std::move(decision));
  }
  return decisions;
}

} // namespace avocet::compiler::schedule
