//===- LayerCycles.cpp - Predicted cycles by layer ----------*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerCycles.h"

#include <algorithm>
#include <utility>

namespace avocet::compiler::schedule {

std::map<uint32_t, uint64_t> layerCyclesOf(const Problem &problem, const OrderedSequence &ordered) {
  std::vector<std::pair<uint64_t, uint32_t>> ends; ///< of tiles, with their layers
  size_t tile = 0;
  for (const Step &step : ordered.sequence.steps)
    if (!step.isDma())
      ends.emplace_back(ordered.tileEnds[tile++], step.layer);
  std::ranges::sort(ends);
  std::map<uint32_t, uint64_t> cycles;
  for (const Operation &operation : problem.operations)
    cycles[operation.layer] = 0;
  uint64_t divided = 0;
  for (const auto &[end, layer] : ends)
    cycles[layer] += end - std::exchange(divided, end);
  if (!ends.empty())
    cycles[ends.back().second] += ordered.cycles - divided;
  return cycles;
}

} // namespace avocet::compiler::schedule
