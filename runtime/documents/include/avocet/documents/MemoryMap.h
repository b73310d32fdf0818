//===- MemoryMap.h - On-chip memory over time -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_MEMORYMAP_H
#define AVOCET_DOCUMENTS_MEMORYMAP_H

#include "avocet/analysis/RunTimeline.h"
#include "avocet/analysis/StepTimes.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::documents {

/// How the steps of the memory plan were matched with the cycles of the run.
enum class StepMatch {
  Exact,     ///< by the source map
  Estimated, ///< from the order of the commands only
};
std::string_view toString(StepMatch match);

/// A buffer of the memory plan: bytes [address, address + bytes) of a region.
struct MappedBuffer {
  std::string name;
  uint32_t region = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t firstStep = 0, lastStep = 0;
  uint64_t startCycle = 0, endCycle = 0; ///< of its first and last command
  uint32_t layer = firmware::kNoLayer;   ///< whose result or constants it holds; if not known, the first that uses it
  size_t tensor = 0;                     ///< in MemoryMap::tensors
};

struct MemoryMap {
  std::vector<MappedBuffer> buffers;
  /// What the buffers hold: "stem" (the result of that name), "constants of stem". Several buffers may hold parts of
  /// one tensor, or the tensor at different times. Without a source map each name of a buffer is one.
  std::vector<std::string> tensors;
  StepMatch match = StepMatch::Estimated;
};

/// `runs`: the steps of each run of a section, in order; empty without a source map. A buffer of a section that runs
/// several times is one for each run.
MemoryMap makeMemoryMap(const cache::ModelCache &model, const analysis::RunTimeline &timeline,
                        std::span<const analysis::StepTimes> runs);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_MEMORYMAP_H
